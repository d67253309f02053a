import 'server-only';
import { identifyKeys } from '@/lib/command/identify-keys';
import { Problem } from '@/lib/errors';
import type { JobContext } from '@/lib/jobs/define';
import { ScanBudget } from '@/lib/redis/budget';
import type { Key } from '@/lib/redis/commands';
import { timeRoundTrip } from '@/lib/redis/round-trip';
import { approvalFlagMatcher, flagsNeedApproval } from '@/lib/values/two-person';
import { isSensitive, mayTouchSensitive } from './guarded';
import { CHUNKS_PER_CALL, idOf, isUnthrottled, scanBranches } from './scan';
import { includedIn, type Target } from './target';

/** What a walk met besides what it gave. */
export interface WalkState {
  /** Guarded keys that were left alone. */
  guarded: number;
  families: Set<string>;
  /** Keys by `idOf` that were given and stayed: a walk that begins again does not give them a second time. */
  skipped: Set<string>;
  /** Keys by `idOf` that the target names and that are not counted yet; null before the first walk. */
  named: Set<string> | null;
  /** It is not the first walk. */
  again: boolean;
}

export const newWalkState = (): WalkState => ({
  guarded: 0,
  families: new Set(),
  skipped: new Set(),
  named: null,
  again: false,
});

/** Call it once keys are counted: a walk that begins again then gives only those of them that still exist. */
export const markCounted = ({ named }: WalkState, keys: readonly Key[]): void => {
  if (named && named.size > 0) for (const key of keys) named.delete(idOf(key));
};

/** For `walkWithRestart`: what is still there is met again. */
export const restartOptions = ({ signal }: JobContext, met: WalkState) => ({
  signal,
  restarted: () => {
    met.guarded = 0;
    met.again = true;
  },
});

/** Which keys may be touched: each is classified again, for what is there now is what counts. */
const mayTouch = (ctx: JobContext, { family }: Target, met: WalkState) => {
  const isApprovalFlag = approvalFlagMatcher(ctx);
  // A search for a family finds nothing else: then the family tells for all its keys.
  if (family && (!family.guarded || (mayTouchSensitive(ctx) && !flagsNeedApproval(ctx)))) {
    met.families.add(family.id);
    return async (keys: Key[]): Promise<Key[]> => keys;
  }
  return async (keys: Key[]): Promise<Key[]> => {
    const found = await identifyKeys(ctx.connection.background, ctx.catalog, keys);
    // Asked for each batch: whoever asked may have lost the right on the way.
    const all = mayTouchSensitive(ctx);
    return keys.filter((key, i) => {
      const what = found[i]!;
      if ((!all && isSensitive(what)) || isApprovalFlag(key)) {
        met.guarded += 1;
        return false;
      }
      if (what.family) met.families.add(what.family.id);
      return true;
    });
  };
};

/** Chunks that one call of a walk takes which goes on for long beside an application's load: it waits for each. */
const GENTLE_CHUNKS = 1;

const MAX_TIMES_EXPECTED = 4;
const MAX_MORE_THAN_EXPECTED = 20_000;

/** Where keys are written faster than they are gone through, going through them has no end. */
const refuseEndless = (given: number, expected: number): void => {
  if (given <= MAX_TIMES_EXPECTED * expected + MAX_MORE_THAN_EXPECTED) return;
  throw new Problem(
    'conflict',
    `Keys like these are written faster than this goes: it stopped after ${given}, where ${expected} were expected.`,
  );
};

const existing = async (ctx: JobContext, keys: readonly Key[]): Promise<Key[]> => {
  const replies = await ctx.reader.readMany(keys.map((key) => ['EXISTS', key] as const));
  return keys.filter((_, i) => replies[i] !== 0);
};

/**
 * The target's keys a bit at a time, each once. What it gives may be empty, so that a cancel never waits for a match.
 * Throws 409 when there are many more than were expected.
 */
export async function* keysOf(
  ctx: JobContext,
  { target, total }: { target: Target; total: number },
  met: WalkState,
): AsyncGenerator<Key[]> {
  const branches = includedIn(target);
  const wanted = mayTouch(ctx, target, met);
  const named = [...new Map(branches.flatMap(({ keys }) => keys.map((key) => [idOf(key), key]))).values()];
  // What somebody names and is gone has vanished; of an entity's keys few are cached, and the others were never there.
  met.named ??= new Set(target.kind === 'entity' ? [] : named.map(idOf));
  const isNew = (key: Key): boolean => met.named!.has(idOf(key));
  const fresh = named.filter(isNew);
  const there = [
    ...fresh,
    ...(await existing(
      ctx,
      named.filter((key) => !isNew(key)),
    )),
  ];
  yield await wanted(there.filter((key) => !met.skipped.has(idOf(key))));
  const times = isUnthrottled(ctx) ? CHUNKS_PER_CALL : GENTLE_CHUNKS;
  const except = new Set([...there.map(idOf), ...met.skipped]);
  let given = 0;
  for await (const { keys } of scanBranches(ctx, branches, { except, times })) {
    const fits = await wanted(keys);
    given += fits.length;
    refuseEndless(given, total);
    yield fits;
  }
}

export type Throttle = <T>(call: () => Promise<T>) => Promise<T>;

/** Calls of one kind under the scan budget, which tells by the quickest of the same kind whether one was slow. */
export const throttle = (ctx: JobContext): Throttle => {
  const budget = new ScanBudget(ctx.connection.budget.limits);
  return async (call) => {
    const { value, ...trip } = await timeRoundTrip(call);
    await budget.spend(trip, ctx.signal);
    return value;
  };
};

/** The budget's chunk is of keys that are looked at, 2 µs each; one that is kept or deleted costs the server 6 to 8. */
const SHARE_OF_CHUNK = 0.25;

/** Keys that one call may keep, delete or put back. */
export const keysPerCall = (ctx: JobContext): number => {
  const { chunk } = ctx.connection.budget.limits;
  return isUnthrottled(ctx) ? chunk : Math.max(1, Math.floor(chunk * SHARE_OF_CHUNK));
};

/** Batches of one node each, as large as one call may be, until the job is cancelled. */
export async function* batchesOf(
  ctx: JobContext,
  pages: AsyncIterable<Key[]> | Iterable<Key[]>,
): AsyncGenerator<Key[]> {
  const chunk = keysPerCall(ctx);
  for await (const keys of pages) {
    if (ctx.signal.aborted) return;
    for (const group of ctx.writer.byNode(keys, (key) => key))
      for (let from = 0; from < group.length && !ctx.signal.aborted; from += chunk)
        yield group.slice(from, from + chunk);
  }
}
