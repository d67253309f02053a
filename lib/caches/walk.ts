import 'server-only';
import { Problem } from '@/lib/errors';
import type { JobContext } from '@/lib/jobs/define';
import { may } from '@/lib/permissions';
import { ahead } from '@/lib/redis/ahead';
import { ScanBudget } from '@/lib/redis/budget';
import type { Key } from '@/lib/redis/commands';
import { scanPatterns } from '@/lib/redis/whole-scan';
import { flagsNeedTwo, flagsOfTwo } from '@/lib/values/second-person';
import { chunksACall } from './count';
import { reachOf, type Target } from './reach';
import { Seen } from './seen';
import { isSensitive, namesSensitive } from './target';

export const SENSITIVE = 'caches:invalidate-sensitive';

/** What a walk met besides what it gave. */
export interface Met {
  /** Guarded keys that were left alone. */
  guarded: number;
  families: Set<string>;
}

export const mayReachSensitive = (ctx: JobContext): boolean =>
  ctx.actor.role !== null && may(ctx.actor.role, SENSITIVE);

/** Whether something guarded may be among what a job of this actor changes. */
export const mayTouchSensitive = (ctx: JobContext, target: Target): boolean => {
  const { searches } = reachOf(target);
  const searched = searches.length > 0 && target.family === null;
  return mayReachSensitive(ctx) && (searched || namesSensitive(ctx.catalog, target));
};

/** Whether every key of the target may go, as far as guards are concerned: it is of one family, known beforehand. */
const isAllowedWhole = (ctx: JobContext, { family }: Target): boolean =>
  family !== null && !(family.guarded && (!mayReachSensitive(ctx) || flagsNeedTwo(ctx)));

/** Each key again, whatever was found before the job: what it reaches now is what counts. */
const lookAt = (ctx: JobContext, target: Target, met: Met): ((key: Key) => boolean) => {
  const all = mayReachSensitive(ctx);
  const isOfTwo = flagsOfTwo(ctx);
  if (target.family && isAllowedWhole(ctx, target)) {
    met.families.add(target.family.id);
    return () => true;
  }
  return (key) => {
    const found = ctx.catalog.locate(key);
    if ((!all && isSensitive(found)) || isOfTwo(key)) {
      met.guarded += 1;
      return false;
    }
    if (found.family) met.families.add(found.family.id);
    return true;
  };
};

/** The connection's budget asks for no pauses: then reading goes on while what was read is worked on. */
export const isUnthrottled = (ctx: JobContext): boolean => ctx.connection.budget.limits.pauseMs === 0;

/** Chunks that one call of a walk takes which goes on for long beside an application's load: it waits for each. */
const GENTLY = 1;

const TIMES_EXPECTED = 4;
const MORE_THAN_EXPECTED = 20_000;

/** Where keys are written faster than they are gone through, going through them has no end. */
const refuseEndless = (given: number, expected: number): void => {
  if (given <= TIMES_EXPECTED * expected + MORE_THAN_EXPECTED) return;
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
  met: Met,
): AsyncGenerator<Key[]> {
  const { keys: named, searches } = reachOf(target);
  const seen = new Seen();
  const wanted = lookAt(ctx, target, met);
  const found: Key[] = [];
  // What somebody names and is gone has vanished; of an entity's keys few are cached, and the others were never there.
  const there = target.kind === 'entity' ? await existing(ctx, named) : named;
  for (const key of there) if (seen.isNew(key) && wanted(key)) found.push(key);
  yield found;
  if (searches.length === 0) return;
  const patterns = searches.map(({ match }) => match);
  const times = isUnthrottled(ctx) ? chunksACall(ctx) : GENTLY;
  const walk = scanPatterns(ctx.connection, patterns, { times });
  let given = 0;
  for await (const { keys } of isUnthrottled(ctx) ? ahead(walk) : walk) {
    const fits = keys.filter(
      (key) => searches.some((search) => search.accepts(key)) && seen.isNew(key) && wanted(key),
    );
    given += fits.length;
    refuseEndless(given, total);
    yield fits;
  }
}

export type Paced = <T>(call: () => Promise<T>) => Promise<T>;

/** Calls of one kind under the scan budget, which tells by the quickest of the same kind whether one was slow. */
export const paced = (ctx: JobContext): Paced => {
  const budget = new ScanBudget(ctx.connection.budget.limits);
  return async (call) => {
    const started = performance.now();
    const reply = await call();
    await budget.spend(performance.now() - started, ctx.signal);
    return reply;
  };
};

/** The budget's chunk is of keys that are looked at, 2 µs each; one that is kept or deleted costs the server 6 to 8. */
const SHARE_OF_CHUNK = 0.25;

/** Keys that one call may keep, delete or put back. */
export const keysACall = (ctx: JobContext): number => {
  const { chunk } = ctx.connection.budget.limits;
  return isUnthrottled(ctx) ? chunk : Math.max(1, Math.floor(chunk * SHARE_OF_CHUNK));
};

/** Batches of one node each, as large as one call may be, until the job is cancelled. */
export async function* batchesOf(
  ctx: JobContext,
  pages: AsyncIterable<Key[]> | Iterable<Key[]>,
): AsyncGenerator<Key[]> {
  const chunk = keysACall(ctx);
  for await (const keys of pages) {
    if (ctx.signal.aborted) return;
    for (const group of ctx.writer.apart(keys.map((key) => ({ key }))))
      for (let from = 0; from < group.length && !ctx.signal.aborted; from += chunk)
        yield group.slice(from, from + chunk).map(({ key }) => key);
  }
}
