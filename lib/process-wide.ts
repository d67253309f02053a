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

/** A process-wide value for each of some objects, such as connections, created when it is first asked for. */
export const processWidePer = <K extends object, T>(
  name: string,
  make: (key: K) => T,
): ((key: K) => T) & { forget(): void } => {
  const byKey = processWide(name, () => new WeakMap<K, T>());
  const get = (key: K): T => {
    if (!byKey().has(key)) byKey().set(key, make(key));
    return byKey().get(key) as T;
  };
  return Object.assign(get, { forget: byKey.forget });
};
