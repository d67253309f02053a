import 'server-only';
import { displayBytes } from '@/lib/catalog/display';
import type { ReadContext } from '@/lib/command/context';
import { MINUTE } from '@/lib/time';
import { protector } from '../address';
import { readField } from './field';
import { readBanned } from './reads';
import { readPeriods, readWatch } from './storage';

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

/**
 * Callers that crossed the threshold in the current period or the one before and are not banned now, heaviest first.
 * Read from the console's samples: the collector deletes the map at the end of a period, before anybody could act on it.
 */
export const heavyCallers = async (ctx: ReadContext, limit: number): Promise<HeavyCaller[]> => {
  const { id, hawk } = ctx.connection.config;
  if (!ctx.catalog.roles.has('period-request-counts')) return [];
  const [watch, periods] = await Promise.all([
    readWatch(ctx.store, id),
    readPeriods(ctx.store, id, { since: ctx.now() - MAX_SAMPLE_AGE_MS, most: 1 }),
  ]);
  const fresh = (watch?.samples ?? []).slice(-1).filter(({ at }) => ctx.now() - at < MAX_SAMPLE_AGE_MS);
  const requests = new Map<string, number>();
  for (const { top } of [...periods, ...fresh])
    for (const [member, count] of top)
      if (count >= hawk.threshold) requests.set(member, Math.max(count, requests.get(member) ?? 0));
  const heavy = [...requests]
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
        ip: displayBytes(field, MAX_TEXT_LENGTH),
        requests: count,
        banText: caller.banText,
      }))
  );
};
