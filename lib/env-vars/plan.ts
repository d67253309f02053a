import 'server-only';
import { setImmediate } from 'node:timers/promises';
import type { ReadContext } from '@/lib/command/context';
import { digest } from '@/lib/keyring';
import type { Key } from '@/lib/redis/commands';
import { LISTED_BYTES, noString, readValues, type StoredValue } from '@/lib/values/string-value';
import { APPROVAL_REQUIRED, variableNeedsApproval } from '@/lib/values/two-person';
import { variableKey } from '@/lib/values/variable-names';
import { type Change, etagOfBytes } from './changes';
import { MAX_BYTES, nameDoubts, valueDoubts } from './rules';
import type { DiffLine, VariableProblem } from './schema';
import { secretBy, shownText, stringPart } from './secrecy';

/** What an import or a restore wants of one variable. */
export interface Wanted {
  name: string;
  /** Null: that it is deleted. */
  bytes: Buffer | null;
  /** Of one that begins. */
  ttlSeconds: number | null;
  /** Whether one that is there loses its TTL: a backup knew it without. */
  persists: boolean;
  /** Where it stands in the text, if it came from one. */
  line: number | null;
  /** Why it cannot be; the rest is planned all the same, so that everything wrong is told at once. */
  refusals: string[];
  /** Whether it is held to the rules that are guesses: what was there once, and comes back, is not. */
  guessed: boolean;
}

export interface PlannedLine {
  wanted: Wanted;
  shown: DiffLine;
  /** Guesses: refused unless wanted anyway. */
  doubts: VariableProblem[];
  /** Null where nothing changes, or may not. */
  change: Change | null;
  /** Of what is wanted; null where it is that there is none. */
  etag: string | null;
}

export interface Plan {
  lines: PlannedLine[];
  /** Of what was there and what would be: the same plan again only while both are the same. */
  etag: string;
  /** Whether a second person is all that some of it lacks. */
  needsApproval: boolean;
}

/** Whole values together that are read to compare and to keep for undo; beyond, only beginnings are. */
const MAX_READ = 32 * 2 ** 20;
const BATCH_SIZE = 250;

const readHeads = async (ctx: ReadContext, keys: readonly Key[]): Promise<(StoredValue | null)[]> => {
  const heads: (StoredValue | null)[] = [];
  for (let from = 0; from < keys.length; from += BATCH_SIZE)
    heads.push(...(await readValues(ctx.reader, keys.slice(from, from + BATCH_SIZE), LISTED_BYTES)));
  return heads;
};

/** What is at these keys, whole as far as it may be edited. */
const readPresent = async (ctx: ReadContext, keys: readonly Key[]): Promise<(StoredValue | null)[]> => {
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

const losesTtl = ({ persists }: Wanted, before: StoredValue | null): boolean =>
  persists && before !== null && before.ttlSeconds !== null;

const changeOf = (before: StoredValue | null, wanted: Wanted): DiffLine['change'] => {
  const after = wanted.bytes;
  if (after === null) return before ? 'delete' : 'same';
  if (before === null) return 'create';
  const same = before.length === after.length && before.bytes.equals(after);
  return same && !losesTtl(wanted, before) ? 'same' : 'update';
};

const MAX_SHOWN = 1000;

/** Everything against a line, each with the line it stands on. */
const problemsOf = (wanted: Wanted, more: readonly (string | null)[]): DiffLine['problems'] =>
  [...wanted.refusals, ...more]
    .filter((message): message is string => message !== null)
    .map((message) => ({ line: wanted.line, message }));

/** A name is doubted where it begins only: one that is in use is shown with its problem, and edited all the same. */
const doubtsOf = ({ name, bytes, guessed }: Wanted, change: DiffLine['change']): VariableProblem[] => {
  if (!guessed || bytes === null || change === 'same') return [];
  return [...(change === 'create' ? nameDoubts(name) : []), ...valueDoubts(name, bytes)];
};

const planLine = (
  ctx: ReadContext,
  wanted: Wanted,
  key: Key | null,
  before: StoredValue | null,
): PlannedLine => {
  const { name, bytes, ttlSeconds } = wanted;
  const after = bytes && stringPart(bytes);
  const wouldBe = changeOf(before, wanted);
  const unfit = key === null && name !== '' ? 'No variable can have this name.' : null;
  const otherType = before && before.type !== 'string' ? noString(before.type) : null;
  const approval = wouldBe !== 'same' && variableNeedsApproval(ctx, name) ? APPROVAL_REQUIRED : null;
  const refused = wanted.refusals.length > 0 || unfit !== null || otherType !== null || approval !== null;
  const setsTtl = losesTtl(wanted, before);
  const ttl =
    setsTtl && !refused ? `It carries a TTL, which the backup knows nothing of: it is taken away.` : null;
  const doubts = doubtsOf(wanted, wouldBe);
  const secret = secretBy(name, before, after) !== null;
  const textOf = (part: Parameters<typeof shownText>[0] | null): string | null =>
    secret || part === null ? null : shownText(part, MAX_SHOWN);
  return {
    wanted,
    shown: {
      name,
      change: refused ? 'refused' : wouldBe,
      secret,
      before: textOf(before),
      after: textOf(after),
      problems: problemsOf(wanted, [
        unfit,
        otherType,
        approval,
        ttl,
        ...doubts.map(({ message }) => message),
      ]),
    },
    doubts,
    change:
      refused || wouldBe === 'same' || !key ? null : { name, key, before, after: bytes, ttlSeconds, setsTtl },
    etag: bytes && etagOfBytes(bytes),
  };
};

const etagOfPlan = (lines: readonly PlannedLine[], present: readonly (StoredValue | null)[]): string =>
  digest(
    'etag',
    JSON.stringify(
      lines.map(({ wanted, shown, etag }, index) => [
        ...[shown.name, shown.change, wanted.line, shown.problems.length],
        ...[present[index]?.etag ?? null, losesTtl(wanted, present[index] ?? null), etag, wanted.ttlSeconds],
      ]),
    ),
    27,
  );

/** Bytes of values that are looked at before other requests have a turn. */
const STEP_BYTES = 256 * 1024;

/** Does something with each of many values, with turns for others in between. */
export const inSteps = async <T, R>(
  items: readonly T[],
  bytesOf: (item: T) => number,
  work: (item: T, index: number) => R,
): Promise<R[]> => {
  const done: R[] = [];
  let bytes = 0;
  for (const [index, item] of items.entries()) {
    done.push(work(item, index));
    bytes += 1024 + bytesOf(item);
    if (bytes < STEP_BYTES) continue;
    bytes = 0;
    await setImmediate();
  }
  return done;
};

/** What all that is wanted comes to, beside what is there now. Reads only. */
export const planChanges = async (ctx: ReadContext, wanted: readonly Wanted[]): Promise<Plan> => {
  const keys = wanted.map(({ name, refusals }) =>
    name === '' && refusals.length > 0 ? null : variableKey(ctx, name),
  );
  const known = keys.filter((key): key is Key => key !== null);
  const values = await readPresent(ctx, known);
  const byKey = new Map(known.map((key, index) => [key, values[index] ?? null]));
  const present = keys.map((key) => (key ? (byKey.get(key) ?? null) : null));
  const lines = await inSteps(
    wanted,
    ({ bytes }) => bytes?.length ?? 0,
    (each, index) => planLine(ctx, each, keys[index] ?? null, present[index] ?? null),
  );
  const refused = lines.filter(({ shown }) => shown.change === 'refused');
  return {
    lines,
    etag: etagOfPlan(lines, present),
    needsApproval: refused.some(({ wanted: { name } }) => variableNeedsApproval(ctx, name)),
  };
};
