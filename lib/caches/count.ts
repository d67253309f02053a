import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { scanKeys, shareScanned } from '@/lib/redis/scan';
import { reaches, type Target } from './target';

/** How many keys a target reaches, counted as long as there is time. */
export interface TargetCount {
  keys: number;
  exact: boolean;
  /** Half width of the 95 % interval, in keys; null when exact. */
  error: number | null;
  memoryBytes: number | null;
  sample: Key[];
  /** Of exact keys, those that exist. */
  existing: Key[];
}

const SAMPLE = 50;
/** Above it keys that SCAN gives twice are no longer told apart, to keep memory flat. */
const MOST_REMEMBERED = 1_000_000;

/** Tells keys seen before from new ones, in bounded memory. */
export class Seen {
  private readonly keys = new Set<string>();

  isNew(key: Key): boolean {
    const id = key.toString('latin1');
    if (this.keys.has(id)) return false;
    if (this.keys.size < MOST_REMEMBERED) this.keys.add(id);
    return true;
  }
}

/** Average size of the sample times the count; null when nothing could be measured. */
const estimateMemory = async (
  ctx: ReadContext,
  sample: readonly Key[],
  keys: number,
): Promise<number | null> => {
  const replies = await ctx.reader.readMany(sample.map((key) => ['MEMORY USAGE', key] as const));
  const sizes = replies.filter((reply): reply is number => typeof reply === 'number');
  if (sizes.length === 0) return keys === 0 ? 0 : null;
  return Math.round((sizes.reduce((a, b) => a + b, 0) / sizes.length) * keys);
};

const countKeys = async (ctx: ReadContext, keys: readonly Key[]): Promise<TargetCount> => {
  const replies = await ctx.reader.readMany(keys.map((key) => ['EXISTS', key] as const));
  const there = keys.filter((_, i) => replies[i] === 1);
  const sample = there.slice(0, SAMPLE);
  const memoryBytes = await estimateMemory(ctx, sample, there.length);
  return { keys: there.length, exact: true, error: null, memoryBytes, sample, existing: there };
};

/** What a scan found in a share of the keyspace, made into the whole with its 95 % interval (Poisson). */
const estimate = (found: number, share: number): { keys: number; error: number } => ({
  keys: Math.round(found / share),
  // Two more than were found: none found does not mean that there are none.
  error: Math.ceil((1.96 * Math.sqrt((found + 2) * (1 - share))) / share),
});

const countFamily = async (
  ctx: ReadContext,
  target: Extract<Target, { kind: 'family' }>,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<TargetCount> => {
  const until = performance.now() + deadlineMs;
  const nodes = ctx.connection.topology.primaries().length;
  const seen = new Seen();
  const sample: Key[] = [];
  let found = 0;
  let share = 1;
  for await (const { keys, cursor } of scanKeys(ctx.connection, { match: target.match })) {
    for (const key of keys) {
      if (!reaches(ctx.catalog, target, key) || !seen.isNew(key)) continue;
      found += 1;
      if (sample.length < SAMPLE) sample.push(key);
    }
    if (cursor === null || (performance.now() <= until && !signal?.aborted)) continue;
    share = shareScanned(cursor, nodes);
    break;
  }
  // SCAN walks the table in an order that has nothing to do with names: what was walked is a sample of it.
  const exact = share === 1;
  const { keys, error } = exact ? { keys: found, error: null } : estimate(found, share);
  return { keys, exact, error, memoryBytes: await estimateMemory(ctx, sample, keys), sample, existing: [] };
};

/** Counts within `deadlineMs`, else estimates from what was walked by then, or when `signal` aborts. */
export const countTarget = (
  ctx: ReadContext,
  target: Target,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<TargetCount> =>
  target.kind === 'keys' ? countKeys(ctx, target.keys) : countFamily(ctx, target, deadlineMs, signal);
