/** A lazy, process-wide value: calling it creates the value the first time. */
export interface ProcessWide<T> {
  (): T;
  /** The value, if it was created. */
  made(): T | undefined;
  /** Replaces the value; tests use it. */
  replace(value: T): void;
  /** The next call creates the value again. */
  forget(): void;
}

const shared = globalThis as { keyward?: Map<string, unknown> };
shared.keyward ??= new Map();
const values = shared.keyward;

/**
 * Under Next, routes, pages and instrumentation each have their own copy of a module's variables. Values that all of
 * them share are created here, under a unique name.
 */
export const processWide = <T>(name: string, make: () => T): ProcessWide<T> => {
  const get = (): T => {
    if (!values.has(name)) values.set(name, make());
    return values.get(name) as T;
  };
  return Object.assign(get, {
    made: () => values.get(name) as T | undefined,
    replace: (value: T) => void values.set(name, value),
    forget: () => void values.delete(name),
  });
};

/** What `make` makes for an object, once, for as long as the object lives. */
export const oncePer = <K extends object, V>(make: (of: K) => V): ((of: K) => V) => {
  const made = new WeakMap<K, V>();
  return (of) => {
    if (!made.has(of)) made.set(of, make(of));
    return made.get(of)!;
  };
};

/** As `oncePer`, shared by the whole process under a unique name. */
export const processWidePer = <K extends object, V>(name: string, make: (of: K) => V) => {
  const made = processWide(name, () => oncePer(make));
  return Object.assign((of: K): V => made()(of), { forget: made.forget });
};
