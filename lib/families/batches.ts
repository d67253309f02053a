import 'server-only';
import { ruledRoles } from '@/lib/command/approval-keys';
import { identifyKeys } from '@/lib/command/identify-keys';
import { Problem } from '@/lib/errors';
import type { JobContext } from '@/lib/jobs/define';
import { isSensitive } from '@/lib/keyspace/guarded';
import type { Pace } from '@/lib/redis/budget';
import type { Key } from '@/lib/redis/commands';
import { timeRoundTrip } from '@/lib/redis/round-trip';
import { untilConnected } from '@/lib/redis/server-process';
import { pacesOf as pacesAt } from '@/lib/redis/topology';
import { approvalMatcher, flagsNeedApproval } from '@/lib/values/two-person';
import { confirmed } from './confirmed';
import { mayTouchSensitive } from './guarded';
import { idOf, scanBranches } from './scan';
import { includedIn, type Target } from './target';

/** State of a walk over the keys of a target; it survives restarts of the walk. */
export interface TargetScan {
  /** Number of guarded keys skipped. */
  guarded: number;
  families: Set<string>;
  /** Keys by `idOf` that were processed and still exist. A restarted walk skips them. */
  skipped: Set<string>;
  /** Named keys by `idOf` that are not counted yet; null before the first walk. */
  named: Set<string> | null;
  isRestarted: boolean;
}

export const newTargetScan = (): TargetScan => ({
  guarded: 0,
  families: new Set(),
  skipped: new Set(),
  named: null,
  isRestarted: false,
});

/** Marks keys as counted. A restarted walk yields them only if they still exist. */
export const markCounted = ({ named }: TargetScan, keys: readonly Key[]): void => {
  if (named && named.size > 0) for (const key of keys) named.delete(idOf(key));
};

/** For `walkWithRestart`: the keys that still exist are counted again. */
export const restartOptions = ({ signal }: JobContext, met: TargetScan) => ({
  signal,
  restarted: () => {
    met.guarded = 0;
    met.isRestarted = true;
  },
});

/** Filters keys that may be changed. Each key is classified again, because it may have changed since. */
const mayTouch = (ctx: JobContext, { family }: Target, met: TargetScan) => {
  const needsApproval = approvalMatcher(ctx);
  // A search for a family finds only its own keys, so the family decides for all of them.
  const isFree = family && !ruledRoles(ctx).has(family.role);
  if (isFree && (!family.guarded || (mayTouchSensitive(ctx) && !flagsNeedApproval(ctx)))) {
    met.families.add(family.id);
    return async (keys: Key[]): Promise<Key[]> => keys;
  }
  return async (keys: Key[]): Promise<Key[]> => {
    const identified = await identifyKeys(ctx.connection.background, ctx.catalog, keys);
    // Checked for each batch: the user may lose the permission while the job runs.
    const mayTouchAll = mayTouchSensitive(ctx);
    return keys.filter((key, i) => {
      const what = identified[i]!;
      if ((!mayTouchAll && isSensitive(what)) || needsApproval(key)) {
        met.guarded += 1;
        return false;
      }
      if (what.family) met.families.add(what.family.id);
      return true;
    });
  };
};

const MAX_TIMES_EXPECTED = 4;
const MAX_MORE_THAN_EXPECTED = 20_000;

/** If keys are written faster than they are processed, the walk would never end. */
const refuseEndless = (given: number, expected: number): void => {
  if (given <= MAX_TIMES_EXPECTED * expected + MAX_MORE_THAN_EXPECTED) return;
  throw new Problem(
    'conflict',
    `Keys of this target are written faster than they are processed: stopped after ${given}, with ${expected} expected.`,
  );
};

const existing = async (ctx: JobContext, keys: readonly Key[]): Promise<Key[]> => {
  const replies = await ctx.reader.readMany(keys.map((key) => ['EXISTS', key] as const));
  return keys.filter((_, i) => replies[i] !== 0);
};

/**
 * Yields the keys of a target in pages, each key once. A page may be empty, so a cancel does not wait for a match. Throws
 * 409 when there are many more keys than expected.
 */
export async function* keysOf(
  ctx: JobContext,
  { target, total }: { target: Target; total: number },
  met: TargetScan,
): AsyncGenerator<Key[]> {
  const branches = includedIn(target);
  const wanted = mayTouch(ctx, target, met);
  const named = [...new Map(branches.flatMap(({ keys }) => keys.map((key) => [idOf(key), key]))).values()];
  // A named key that does not exist counts as vanished. Most keys of an entity are never cached, so those do not
  // count.
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
  const due = there.filter((key) => !met.skipped.has(idOf(key)));
  yield await wanted(await confirmed(ctx, branches, due));
  const except = new Set([...there.map(idOf), ...met.skipped]);
  let given = 0;
  for await (const { keys } of scanBranches(ctx, branches, { except, isFaster: ctx.isFaster })) {
    const fits = await wanted(keys);
    given += fits.length;
    refuseEndless(given, total);
    yield fits;
  }
}

/** What a job does to keys. Each kind has its own pace in the queue of all calls to the server. */
type Change = 'copy' | 'delete' | 'delete unchanged' | 'restore' | 'ttl';

/** Copying or deleting a key costs the server slightly more than reading its type and size. */
const FIRST_CALL_TIMES = 0.5;

/** The pace on a key's node. An announced call is made even after a cancel: only its pause is cut short. */
export const pacesOf = (
  { connection, signal, isFaster }: JobContext,
  change: Change,
): ((near: Key) => Pace) =>
  pacesAt(connection.topology, change, { signal, isFaster, times: FIRST_CALL_TIMES, isBesideScans: true });

/** Makes a call for this many keys at a pace. */
export const paced = async <T>(
  { connection, signal }: JobContext,
  pace: Pace,
  keys: number,
  call: () => Promise<T>,
): Promise<T> => {
  const trip = async () => {
    // The server may have gone during the pause, and a change must be sent only once.
    await untilConnected(connection, signal);
    return timeRoundTrip(call);
  };
  return (await pace.run(trip, keys)).value;
};

/** For `batchesOf` where the items are keys. */
export const itself = (key: Key): Key => key;

/** Batches of items whose keys are on one node, as large as one call permits, until the job is cancelled. */
export async function* batchesOf<T>(
  ctx: JobContext,
  keyOf: (item: T) => Key,
  keysFor: (near: Key) => number,
  pages: AsyncIterable<T[]> | Iterable<T[]>,
): AsyncGenerator<T[]> {
  for await (const items of pages) {
    if (ctx.signal.aborted) return;
    for (const group of ctx.writer.byNode(items, keyOf))
      for (let from = 0, size = 0; from < group.length && !ctx.signal.aborted; from += size) {
        size = keysFor(keyOf(group[0]!));
        yield group.slice(from, from + size);
      }
  }
}
