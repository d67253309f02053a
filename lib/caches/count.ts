import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { scanKeys } from '@/lib/redis/scan';
import { reaches, type Target } from './target';

/** How many keys a target reaches, counted as long as there is time. */
export interface TargetCount {
  keys: number;
  exact: boolean;
  /** Half width of the 95 % interval, in keys; null when exact. */
  error: number | null;
  memoryBytes: number | null;
  sample: Key[];
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
  return { keys: there.length, exact: true, error: null, memoryBytes, sample };
};

const countFamily = async (
  ctx: ReadContext,
  target: Extract<Target, { kind: 'family' }>,
  deadlineMs: number,
): Promise<TargetCount> => {
  const size = await ctx.reader.size();
  const until = performance.now() + deadlineMs;
  const seen = new Seen();
  const sample: Key[] = [];
  const { chunk } = ctx.connection.config.scan;
  let examined = 0;
  let keys = 0;
  let exact = true;
  for await (const found of scanKeys(ctx.connection, { match: target.match })) {
    examined += chunk;
    for (const key of found.keys) {
      if (!reaches(ctx.catalog, target, key) || !seen.isNew(key)) continue;
      keys += 1;
      if (sample.length < SAMPLE) sample.push(key);
    }
    if (found.cursor !== null && performance.now() > until) {
      exact = false;
      break;
    }
  }
  if (exact)
    return { keys, exact, error: null, memoryBytes: await estimateMemory(ctx, sample, keys), sample };
  // SCAN visits the table in an order that has nothing to do with names: what was examined is a sample of it.
  const share = keys / examined;
  const whole = Math.max(keys, Math.round(share * size));
  const error = Math.ceil(1.96 * Math.sqrt((share * (1 - share)) / examined) * size);
  return { keys: whole, exact, error, memoryBytes: await estimateMemory(ctx, sample, whole), sample };
};

/** Counts within `deadlineMs`, else estimates from what was examined by then. */
export const countTarget = (ctx: ReadContext, target: Target, deadlineMs: number): Promise<TargetCount> =>
  target.kind === 'keys' ? countKeys(ctx, target.keys) : countFamily(ctx, target, deadlineMs);
