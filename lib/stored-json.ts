import type { z } from 'zod';

/**
 * Parses stored JSON, which another version of the console may have written: null where it is missing or does not match
 * the schema.
 */
export const parseStored = <S extends z.ZodType>(
  schema: S,
  text: string | null | undefined,
): z.output<S> | null => {
  if (!text) return null;
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
};

/** The fields of a stored hash as `parseStored` reads them, by name; those that are null are left out. */
export const parseFields = <S extends z.ZodType>(
  schema: S,
  fields: Readonly<Record<string, string>>,
): [name: string, value: z.output<S>][] =>
  Object.entries(fields).flatMap(([name, text]) => {
    const value = parseStored(schema, text);
    return value === null ? [] : [[name, value]];
  });
