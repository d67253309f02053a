import 'server-only';
import { displayBytes } from '@/lib/catalog/display';
import type { ReadContext } from '@/lib/command/context';
import { MINUTE } from '@/lib/time';
import { protector } from '../address';
import { readField } from './field';
import { readPeriods, readWatch } from './kept';
import { readBlacklisted } from './reads';

const SHOWN = 60;
/** What an older sample saw may be long over. */
const FRESH_MS = MINUTE;

/** A caller over the threshold that nobody banned. */
export interface HeavyCaller {
  ip: string;
  requests: number;
  /** The address to ban; null for a chain and the like. */
  banText: string | null;
}

/**
 * Who crossed the threshold in the present period or the one before and is not blacklisted now, heaviest first. From
 * the console's samples: an offer that went with each period's map would be gone before anybody saw it.
 */
export const heavyCallers = async (ctx: ReadContext, most: number): Promise<HeavyCaller[]> => {
  const { id, hawk } = ctx.connection.config;
  if (!ctx.catalog.get('hawk.current-period')) return [];
  const [watch, periods] = await Promise.all([
    readWatch(ctx.store, id),
    readPeriods(ctx.store, id, { since: ctx.now() - FRESH_MS, most: 1 }),
  ]);
  const fresh = (watch?.samples ?? []).slice(-1).filter(({ at }) => ctx.now() - at < FRESH_MS);
  const requests = new Map<string, number>();
  for (const { top } of [...periods, ...fresh])
    for (const [member, count] of top)
      if (count >= hawk.threshold) requests.set(member, Math.max(count, requests.get(member) ?? 0));
  const heavy = [...requests]
    .sort(([, a], [, b]) => b - a)
    .map(([member, count]) => ({ field: Buffer.from(member, 'base64url'), requests: count }));
  const blacklisted = await readBlacklisted(
    ctx,
    heavy.map(({ field }) => field),
  );
  const isProtected = protector(hawk.protectedIps);
  return (
    heavy
      .filter((_, i) => blacklisted[i] === false)
      .map(({ field, requests: count }) => ({ field, count, caller: readField(field, isProtected) }))
      // Of a chain the first address is its sender's own claim: it protects nobody.
      .filter(({ caller }) => caller.kind !== 'address' || !isProtected(caller.firstAddress!))
      .slice(0, most)
      .map(({ field, count, caller }) => ({
        ip: displayBytes(field, SHOWN),
        requests: count,
        banText: caller.banText,
      }))
  );
};
