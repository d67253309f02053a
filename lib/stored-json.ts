import type { z } from 'zod';

/**
 * What was kept as JSON, perhaps by another version of the console: null where there is none, or it is not what the
 * schema says.
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
