/**
 * What the browser's scripts get for `zod` (next.config.js), a hundredth of its size: the server validates inputs and
 * results. Here only the results of jobs and the details of refusals are read, which another version may have written:
 * `safeParse` checks types and required fields, and not lengths, formats and refinements.
 */

/** Returns the value with defaults filled in, or `MISMATCH`. */
type Read = (value: unknown) => unknown;
type Shape = Record<string, Schema>;

const MISMATCH = Symbol('mismatch');

const when =
  (test: (value: unknown) => boolean): Read =>
  (value) =>
    test(value) ? value : MISMATCH;

class Schema {
  constructor(
    readonly read: Read,
    readonly shape: Shape = {},
  ) {}

  safeParse(value: unknown) {
    const data = this.read(value);
    return data === MISMATCH ? { success: false } : { success: true, data };
  }
  optional() {
    return schema((value) => (value === undefined ? value : this.read(value)));
  }
  nullable() {
    return schema((value) => (value === null ? value : this.read(value)));
  }
  nullish() {
    return schema((value) => (value === undefined || value === null ? value : this.read(value)));
  }
  default(other: unknown) {
    return schema((value) => (value === undefined ? other : this.read(value)));
  }
  extend(more: Shape) {
    return object({ ...this.shape, ...more });
  }
}

/** Every other method (`min`, `meta`, `refine`) returns the schema itself. */
const schema = (read: Read, shape?: Shape): Schema => {
  const plain = new Schema(read, shape);
  const chained: Schema = new Proxy(plain, {
    get: (target, name) => (name in target ? Reflect.get(target, name) : () => chained),
  });
  return chained;
};

const object = (shape: Shape): Schema =>
  schema((value) => {
    if (typeof value !== 'object' || value === null) return MISMATCH;
    const fields = Object.entries(shape).map(([name, field]) => [
      name,
      field.read((value as Record<string, unknown>)[name]),
    ]);
    return fields.some(([, read]) => read === MISMATCH) ? MISMATCH : Object.fromEntries(fields);
  }, shape);

const array = (item: Schema): Schema =>
  schema((value) => {
    if (!Array.isArray(value)) return MISMATCH;
    const items = value.map((each) => item.read(each));
    return items.includes(MISMATCH) ? MISMATCH : items;
  });

const typed = (type: string) => () => schema(when((value) => typeof value === type));

const builders = {
  object,
  array,
  string: typed('string'),
  number: typed('number'),
  boolean: typed('boolean'),
  int: typed('number'),
  enum: (values: readonly unknown[]) => schema(when((value) => values.includes(value))),
  literal: (expected: unknown) => schema(when((value) => value === expected)),
};

/** All other builders, also nested ones (`z.iso.datetime()`), accept everything. */
const anything = (): unknown => new Proxy(() => schema((value) => value), { get: () => anything() });

export const z = new Proxy(builders, {
  get: (target, name) => (name in target ? Reflect.get(target, name) : anything()),
});
