/**
 * `value` as `T` if it is an object with these fields, otherwise null. What the server answers is valid, but another
 * operation, or a job of an older version, has other fields.
 */
export const withFields = <T extends object>(value: unknown, ...fields: (keyof T & string)[]): T | null =>
  typeof value === 'object' && value !== null && fields.every((field) => field in value)
    ? (value as T)
    : null;
