import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { displayName } from '@/lib/keyspace/display';
import type { Store } from '@/lib/redis/store';
import { MINUTE } from '@/lib/time';
import { protector } from '../address';
import { readField } from './field';
import { readBanned } from './reads';
import { readPeriods, readWatch } from './storage';
import type { Period, Sample } from './watch';

const MAX_TEXT_LENGTH = 60;
/** An older sample says nothing about the current period. */
const MAX_SAMPLE_AGE_MS = MINUTE;

/** A caller over the threshold that is not banned. */
export interface HeavyCaller {
  ip: string;
  requests: number;
  /** The address to ban; null for a chain or other text. */
  banText: string | null;
}

/** What was sampled of the current period and the one before; null where that is too old. */
export const recentSamples = async (
  store: Store,
  connection: string,
  now: number,
): Promise<{ current: Sample | null; before: Period | null }> => {
  const since = now - MAX_SAMPLE_AGE_MS;
  const [watch, periods] = await Promise.all([
    readWatch(store, connection),
    readPeriods(store, connection, { since, most: 1 }),
  ]);
  const newest = watch?.samples.at(-1);
  return { current: newest && newest.at > since ? newest : null, before: periods[0] ?? null };
};

/** The most requests of each sampled caller in one of these periods, by member id. */
export const requestsByCaller = (samples: readonly (Sample | null)[]): Map<string, number> => {
  const requests = new Map<string, number>();
  for (const [member, count] of samples.flatMap((sample) => sample?.top ?? []))
    requests.set(member, Math.max(count, requests.get(member) ?? 0));
  return requests;
};

/**
 * Callers that crossed the threshold in the current period or the one before and are not banned now, heaviest first.
 * Read from the console's samples: the collector deletes the map at the end of a period, before anybody could act on it.
 */
export const heavyCallers = async (ctx: ReadContext, limit: number): Promise<HeavyCaller[]> => {
  const { id, hawk } = ctx.connection.config;
  if (!ctx.catalog.roles.has('period-request-counts')) return [];
  const { current, before } = await recentSamples(ctx.store, id, ctx.now());
  const heavy = [...requestsByCaller([before, current])]
    .filter(([, count]) => count >= hawk.threshold)
    .sort(([, a], [, b]) => b - a)
    .map(([member, count]) => ({ field: Buffer.from(member, 'base64url'), requests: count }));
  const banned = await readBanned(
    ctx,
    heavy.map(({ field }) => field),
  );
  const isProtected = protector(hawk.protectedIps);
  return (
    heavy
      .filter((_, i) => banned[i] === false)
      .map(({ field, requests: count }) => ({ field, count, caller: readField(field, isProtected) }))
      // The first address of a chain is its sender's claim, so it protects nobody.
      .filter(({ caller }) => caller.kind !== 'address' || !isProtected(caller.firstAddress!))
      .slice(0, limit)
      .map(({ field, count, caller }) => ({
        ip: displayName(field, MAX_TEXT_LENGTH),
        requests: count,
        banText: caller.banText,
      }))
  );
};
