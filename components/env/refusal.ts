import { withFields } from '@/components/patterns/with-fields';
import { ApiProblem } from '@/lib/api-client';
import type { VariableProblem } from '@/lib/env/schema';

/** The variable's current state, from a 412 response. */
export interface Present {
  etag: string;
  valueType: string;
  lengthBytes: number;
  secret: boolean;
  value: string | null;
  valueBase64?: string | null;
  updatedAt?: string | null;
  updatedBy?: string | null;
}

type FailedCheck = Omit<VariableProblem, 'code'>;

const doubtsIn = (document: object): FailedCheck[] | undefined =>
  withFields<{ doubts: FailedCheck[] }>(document, 'doubts')?.doubts;

/** Why a change was refused, by the place that shows it. */
export interface Refusal {
  /** Failed checks that are only guesses: "save anyway" is possible. */
  doubts: FailedCheck[] | null;
  present: Present | null;
  /** Field errors by path. */
  fields: Record<string, string>;
  /** The error itself, if none of the above applies. */
  rest: unknown;
}

/** The data changed since it was read (412). */
export const isChangedMeanwhile = (error: unknown): boolean =>
  error instanceof ApiProblem && error.code === 'changed';

const NONE: Refusal = { doubts: null, present: null, fields: {}, rest: null };

/** `paths`: fields on the page that can show their own error. If others failed too, the problem is shown instead. */
export const refusalOf = (error: unknown, paths: readonly string[]): Refusal => {
  if (!error) return NONE;
  if (!(error instanceof ApiProblem)) return { ...NONE, rest: error };
  if (error.code === 'value_doubtful')
    return { ...NONE, doubts: doubtsIn(error.document) ?? [{ message: error.message }] };
  if (isChangedMeanwhile(error)) {
    const known = withFields<Present>(error.document, 'etag', 'valueType', 'lengthBytes', 'secret', 'value');
    return { ...NONE, present: known, rest: known ? null : error };
  }
  const mine = error.errors.filter(({ path }) => paths.includes(path));
  const areAllMine = error.code === 'bad_input' && mine.length > 0 && mine.length === error.errors.length;
  if (!areAllMine) return { ...NONE, rest: error };
  return { ...NONE, fields: Object.fromEntries(mine.map(({ path, message }) => [path, message])) };
};
