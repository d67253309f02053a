import 'server-only';
import { setImmediate } from 'node:timers/promises';
import type { ReadContext } from '@/lib/command/context';
import { digest } from '@/lib/keyring';
import type { Key } from '@/lib/redis/commands';
import { LISTED_BYTES, notStringReason, readValues, type StoredValue } from '@/lib/values/string-value';
import { APPROVAL_REQUIRED, variableNeedsApproval } from '@/lib/values/two-person';
import { variableKey } from '@/lib/values/variable-names';
import { type Change, etagOfBytes } from './changes';
import { MAX_BYTES, nameDoubts, valueDoubts } from './rules';
import type { DiffLine, VariableProblem } from './schema';
import { secretBy, shownText, stringPart } from './secrecy';

/** Intended state of one variable, from an import or a restore. */
export interface PlanInput {
  name: string;
  /** New value; null deletes the variable, or is an invalid value with `refusals`. */
  bytes: Buffer | null;
  /** TTL of a created variable. */
  ttlSeconds: number | null;
  /** Removes the TTL of an existing variable, because the backup has none. */
  persists: boolean;
  /** Line in the imported text, else null. */
  line: number | null;
  /** Why it is invalid. The other lines are still planned, so all errors are reported together. */
  refusals: string[];
  /** Whether checks that are only guesses apply: for imports, not for restored values. */
  checkGuesses: boolean;
}

export interface PlannedLine {
  input: PlanInput;
  shown: DiffLine;
  /** Failed checks that are only guesses: refused unless `anyway`. */
  doubts: VariableProblem[];
  /** null if nothing changes or the line is refused. */
  change: Change | null;
  /** Etag of the new value; null for a deletion. */
  etag: string | null;
}

export interface Plan {
  lines: PlannedLine[];
  /** Etag of current and new state: equal only if both are unchanged. */
  etag: string;
  /** Whether some lines are refused because flags need approval. */
  needsApproval: boolean;
}

/** Total bytes of long values read in full, for comparison and undo; the rest is read up to `LISTED_BYTES`. */
const MAX_READ = 32 * 2 ** 20;
const BATCH_SIZE = 250;

const readHeads = async (ctx: ReadContext, keys: readonly Key[]): Promise<(StoredValue | null)[]> => {
  const heads: (StoredValue | null)[] = [];
  for (let from = 0; from < keys.length; from += BATCH_SIZE)
    heads.push(...(await readValues(ctx.reader, keys.slice(from, from + BATCH_SIZE), LISTED_BYTES)));
  return heads;
};

/** Values of these keys, in full up to `MAX_BYTES` each and `MAX_READ` together. */
const readCurrent = async (ctx: ReadContext, keys: readonly Key[]): Promise<(StoredValue | null)[]> => {
  const values = await readHeads(ctx, keys);
  let total = 0;
  for (const [index, head] of values.entries()) {
    if (!head || head.bytes.length === head.length || head.length > MAX_BYTES) continue;
    total += head.length;
    if (total > MAX_READ) break;
    values[index] = (await readValues(ctx.reader, [head.key], MAX_BYTES))[0] ?? null;
  }
  return values;
};

const losesTtl = ({ persists }: PlanInput, before: StoredValue | null): boolean =>
  persists && before !== null && before.ttlSeconds !== null;

const changeOf = (before: StoredValue | null, input: PlanInput): DiffLine['change'] => {
  const after = input.bytes;
  if (after === null) return before ? 'delete' : 'same';
  if (before === null) return 'create';
  const same = before.length === after.length && before.bytes.equals(after);
  return same && !losesTtl(input, before) ? 'same' : 'update';
};

const MAX_SHOWN = 1000;

/** All problems of a line, with its line number. */
const problemsOf = (input: PlanInput, more: readonly (string | null)[]): DiffLine['problems'] =>
  [...input.refusals, ...more]
    .filter((message): message is string => message !== null)
    .map((message) => ({ line: input.line, message }));

/** Names are checked only for created variables: an unusual name in use stays editable. */
const doubtsOf = (
  { name, bytes, checkGuesses }: PlanInput,
  change: DiffLine['change'],
): VariableProblem[] => {
  if (!checkGuesses || bytes === null || change === 'same') return [];
  return [...(change === 'create' ? nameDoubts(name) : []), ...valueDoubts(name, bytes)];
};

const planLine = (
  ctx: ReadContext,
  input: PlanInput,
  key: Key | null,
  before: StoredValue | null,
): PlannedLine => {
  const { name, bytes, ttlSeconds } = input;
  const after = bytes && stringPart(bytes);
  const change = changeOf(before, input);
  const invalidName = key === null && name !== '' ? 'Not a valid variable name.' : null;
  const otherType = before && before.type !== 'string' ? notStringReason(before.type) : null;
  const approval = change !== 'same' && variableNeedsApproval(ctx, name) ? APPROVAL_REQUIRED : null;
  const refused =
    input.refusals.length > 0 || invalidName !== null || otherType !== null || approval !== null;
  const setsTtl = losesTtl(input, before);
  const ttl = setsTtl && !refused ? 'It has a TTL that the backup does not have: the TTL is removed.' : null;
  const doubts = doubtsOf(input, change);
  const secret = secretBy(name, before, after) !== null;
  const textOf = (part: Parameters<typeof shownText>[0] | null): string | null =>
    secret || part === null ? null : shownText(part, MAX_SHOWN);
  return {
    input,
    shown: {
      name,
      change: refused ? 'refused' : change,
      secret,
      before: textOf(before),
      after: textOf(after),
      problems: problemsOf(input, [
        invalidName,
        otherType,
        approval,
        ttl,
        ...doubts.map(({ message }) => message),
      ]),
    },
    doubts,
    change:
      refused || change === 'same' || !key ? null : { name, key, before, after: bytes, ttlSeconds, setsTtl },
    etag: bytes && etagOfBytes(bytes),
  };
};

const etagOfPlan = (lines: readonly PlannedLine[], present: readonly (StoredValue | null)[]): string =>
  digest(
    'etag',
    JSON.stringify(
      lines.map(({ input, shown, etag }, index) => [
        shown.name,
        shown.change,
        input.line,
        shown.problems.length,
        present[index]?.etag ?? null,
        losesTtl(input, present[index] ?? null),
        etag,
        input.ttlSeconds,
      ]),
    ),
    27,
  );

/** Bytes processed before yielding to other requests. */
const CHUNK_BYTES = 256 * 1024;

/** Maps many values, yielding to other requests in between. */
export const mapYielding = async <T, R>(
  items: readonly T[],
  bytesOf: (item: T) => number,
  work: (item: T, index: number) => R,
): Promise<R[]> => {
  const results: R[] = [];
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    results.push(work(item, index));
    bytes += 1024 + bytesOf(item);
    if (bytes < CHUNK_BYTES) continue;
    bytes = 0;
    await setImmediate();
  }
  return results;
};

/** Compares the intended with the current state. Reads only. */
export const planChanges = async (ctx: ReadContext, inputs: readonly PlanInput[]): Promise<Plan> => {
  const keys = inputs.map(({ name, refusals }) =>
    name === '' && refusals.length > 0 ? null : variableKey(ctx, name),
  );
  const known = keys.filter((key): key is Key => key !== null);
  const values = await readCurrent(ctx, known);
  const byKey = new Map(known.map((key, index) => [key, values[index] ?? null]));
  const present = keys.map((key) => (key ? (byKey.get(key) ?? null) : null));
  const lines = await mapYielding(
    inputs,
    ({ bytes }) => bytes?.length ?? 0,
    (each, index) => planLine(ctx, each, keys[index] ?? null, present[index] ?? null),
  );
  const refused = lines.filter(({ shown }) => shown.change === 'refused');
  return {
    lines,
    etag: etagOfPlan(lines, present),
    needsApproval: refused.some(({ input: { name } }) => variableNeedsApproval(ctx, name)),
  };
};
