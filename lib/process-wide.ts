/** One value of the process: call it for the value, which is made at the first call. */
export interface ProcessWide<T> {
  (): T;
  /** The value if it was made by now. */
  made(): T | undefined;
  /** Another value from now on; tests put theirs here. */
  replace(value: T): void;
  /** The next call makes the value anew. */
  forget(): void;
}

const shared = globalThis as { keyward?: Map<string, unknown> };
shared.keyward ??= new Map();
const values = shared.keyward;

/**
 * Under Next routes, pages and instrumentation each have their own copy of a module's variables. What all of them
 * share is made here, under a name of its own.
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
