import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { isoOrNull, SECOND } from '@/lib/time';
import { readTime } from '@/lib/values/read-time';
import { readRaw, scoreOf } from './entries';

/** Units of a Unix time per second, by its number of digits. */
const unitsPerSecond = (score: string): number | null => {
  if (readTime(score) === null) return null;
  const digits = score.split('.')[0]!.length;
  return digits <= 10 ? 1 : digits <= 13 ? 1e3 : 1e6;
};

interface Due {
  due: number | null;
  nextDueAt: string | null;
}

const NOT_DELAYED: Due = { due: null, nextDueAt: null };

/** Reads a score at a rank; '' where there is none. */
const scoreAt = async (ctx: ReadContext, key: Key, from: 'head' | 'tail', place: number): Promise<string> => {
  const [raw] = await readRaw(ctx, key, { type: 'zset', from, place, count: 1 });
  return raw ? scoreOf(raw) : '';
};

/**
 * How many tasks are due, and when the next one is: of a sorted set whose scores are times, in the unit that the lowest
 * or the highest has. Both null where neither is a time.
 */
export const readDue = async (ctx: ReadContext, key: Key, lowest: string): Promise<Due> => {
  const units = unitsPerSecond(lowest) ?? unitsPerSecond(await scoreAt(ctx, key, 'tail', 0));
  if (units === null) return NOT_DELAYED;
  const now = (ctx.now() / SECOND) * units;
  const due = await ctx.reader.read(['ZCOUNT', key, '-inf', `${now}`]);
  return { due, nextDueAt: isoOrNull(readTime(await scoreAt(ctx, key, 'head', due))) };
};
