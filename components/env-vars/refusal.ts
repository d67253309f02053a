import { z } from 'zod';
import { ApiProblem } from '@/lib/api-client';

const present = z.object({
  etag: z.string(),
  valueType: z.string(),
  lengthBytes: z.number(),
  secret: z.boolean(),
  value: z.string().nullable(),
  valueBase64: z.string().nullish(),
  updatedAt: z.string().nullish(),
  updatedBy: z.string().nullish(),
});
/** The variable as it is by now, for who was overtaken (412). */
export type Present = z.output<typeof present>;

const doubts = z.array(z.object({ message: z.string() }));

/** Why a change was refused, sorted by where it is said. */
export interface Refusal {
  /** Guesses that speak against it: "save anyway" is possible. */
  doubts: string[] | null;
  present: Present | null;
  /** What is wrong with a field, by its path. */
  fields: Record<string, string>;
  /** What none of the above says. */
  rest: unknown;
}

/** What was planned is not what is there any more. */
export const isOvertaken = (error: unknown): boolean =>
  error instanceof ApiProblem && error.code === 'changed';

const NONE: Refusal = { doubts: null, present: null, fields: {}, rest: null };

/** Field errors go to the fields that are on the page; the others stay with the problem itself. */
export const refusalOf = (error: unknown, paths: readonly string[]): Refusal => {
  if (!error) return NONE;
  if (!(error instanceof ApiProblem)) return { ...NONE, rest: error };
  if (error.code === 'value_doubtful') {
    const told = doubts.safeParse(error.document.doubts).data ?? [{ message: error.message }];
    return { ...NONE, doubts: told.map(({ message }) => message) };
  }
  if (isOvertaken(error)) {
    const known = present.safeParse(error.document).data ?? null;
    return { ...NONE, present: known, rest: known ? null : error };
  }
  const mine = error.errors.filter(({ path }) => paths.includes(path));
  const all = error.code === 'bad_input' && mine.length > 0 && mine.length === error.errors.length;
  if (!all) return { ...NONE, rest: error };
  return { ...NONE, fields: Object.fromEntries(mine.map(({ path, message }) => [path, message])) };
};
