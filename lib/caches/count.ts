import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Key } from '@/lib/redis/commands';
import { scanPatterns } from '@/lib/redis/scan';
import { LARGEST_KEPT } from './kept';
import type { Branch, Target } from './reach';
import { Seen } from './seen';
import { isSensitive } from './target';

/** How many keys a target reaches, counted as long as there is time. */
export interface TargetCount {
  keys: number;
  exact: boolean;
  /** Half width of the 95 % interval, in keys; null when exact. */
  error: number | null;
  memoryBytes: number | null;
  sample: Key[];
  /** Keys of the sample whose value is too large to be kept for undo. */
  tooLarge: number;
  /** Memory of what could be kept for undo. */
  keptBytes: number | null;
  byFamily: FamilyCount[];
  /** Keys of each branch of the target, by its id; those that are not meant to go as well. */
  byBranch: Map<string, number>;
  /** Keys met that are sessions, tokens, variables, locks or nothing known. */
  sensitive: number;
}

export interface FamilyCount {
  /** Null: of no family. */
  family: string | null;
  title: string;
  keys: number;
  sensitive: boolean;
  /** The application builds it anew. */
  cache: boolean;
}

const SAMPLE = 50;
/** A preview answers within this, exact or not. */
export const COUNT_WITHIN_MS = 2000;
/** A call may take this many of the budget's chunks, for of most keys the server only looks at the name. */
const CHUNKS_A_CALL = 10;
/** More keys in a call are no quicker: what they need does not fit the processor's caches any more. */
const KEYS_A_CALL = 4000;

export const chunksACall = ({ connection }: ReadContext): number =>
  Math.max(1, Math.min(CHUNKS_A_CALL, Math.floor(KEYS_A_CALL / connection.budget.limits.chunk)));

/** What was found so far. */
class Tally {
  found = 0;
  sensitive = 0;
  readonly sample: Key[] = [];
  readonly families = new Map<string | null, FamilyCount>();
  readonly branches = new Map<string, number>();
  private readonly ctx: ReadContext;

  constructor(ctx: ReadContext, target: Target) {
    this.ctx = ctx;
    for (const { id } of target.branches) this.branches.set(id, 0);
  }

  add(key: Key, within: readonly Branch[]): void {
    for (const { id } of within) this.branches.set(id, this.branches.get(id)! + 1);
    if (!within.some(({ included }) => included)) return;
    this.found += 1;
    // Each key found has the same chance to be in the sample.
    const place = this.sample.length < SAMPLE ? this.sample.length : Math.floor(Math.random() * this.found);
    if (place < SAMPLE) this.sample[place] = key;
    this.addToFamily(key);
  }

  private addToFamily(key: Key): void {
    const found = this.ctx.catalog.locate(key);
    const { family } = found;
    const id = family?.id ?? null;
    const sensitive = isSensitive(found);
    const row = this.families.get(id) ?? {
      family: id,
      title: family?.title ?? '',
      keys: 0,
      sensitive: false,
      cache: family?.cache ?? false,
    };
    row.keys += 1;
    row.sensitive ||= sensitive;
    if (sensitive) this.sensitive += 1;
    this.families.set(id, row);
  }
}

/** Of the keys that are named, those that exist, each with the branches that name it. */
const countNamed = async (ctx: ReadContext, target: Target, tally: Tally, seen: Seen): Promise<void> => {
  const named = new Map<string, { key: Key; within: Branch[] }>();
  for (const branch of target.branches)
    for (const key of branch.keys) {
      const id = key.toString('latin1');
      const entry = named.get(id) ?? { key, within: [] };
      entry.within.push(branch);
      named.set(id, entry);
    }
  const all = [...named.values()];
  const replies = await ctx.reader.readMany(all.map(({ key }) => ['EXISTS', key] as const));
  for (const [i, { key, within }] of all.entries()) {
    const others = target.branches.filter(({ search }) => search?.accepts(key));
    if (replies[i] === 1 && seen.isNew(key)) tally.add(key, [...within, ...others]);
  }
};

interface Bounds {
  withinMs: number;
  signal?: AbortSignal;
}

/** Goes through the keyspace as far as there is time. Returns the share of it that was gone through. */
const countSearched = async (
  ctx: ReadContext,
  target: Target,
  tally: Tally,
  seen: Seen,
  { withinMs, signal }: Bounds,
): Promise<number> => {
  const until = performance.now() + withinMs;
  const searching = target.branches.filter(({ search }) => search !== null);
  if (searching.length === 0) return 1;
  const patterns = searching.map(({ search }) => search!.match);
  for await (const { keys, share } of scanPatterns(ctx.connection, patterns, { times: chunksACall(ctx) })) {
    for (const key of keys) {
      const within = searching.filter(({ search }) => search!.accepts(key));
      if (within.length > 0 && seen.isNew(key)) tally.add(key, within);
    }
    if (share < 1 && (performance.now() > until || signal?.aborted)) return share;
  }
  return 1;
};

/** A scan goes through up to so many more keys, as a share, than it asked for: COUNT is a hint. */
const COUNT_ERROR = 0.01;

/** What a scan found in a share of the keyspace, made into the whole with its 95 % interval (Poisson). */
const estimate = (found: number, share: number): { keys: number; error: number } => ({
  keys: Math.round(found / share),
  // Two more than were found: none found does not mean that there are none.
  error: Math.ceil((1.96 * Math.sqrt((found + 2) * (1 - share)) + COUNT_ERROR * found) / share),
});

const measure = async (
  ctx: ReadContext,
  sample: readonly Key[],
  keys: number,
): Promise<Pick<TargetCount, 'memoryBytes' | 'tooLarge' | 'keptBytes'>> => {
  const replies = await ctx.reader.readMany(sample.map((key) => ['MEMORY USAGE', key] as const));
  const sizes = replies.filter((reply): reply is number => typeof reply === 'number');
  const scaled = (some: readonly number[]): number | null => {
    const sum = some.reduce((a, b) => a + b, 0);
    if (sizes.length > 0) return Math.round((sum / sizes.length) * keys);
    return keys === 0 ? 0 : null;
  };
  const kept = sizes.filter((size) => size <= LARGEST_KEPT);
  return { memoryBytes: scaled(sizes), keptBytes: scaled(kept), tooLarge: sizes.length - kept.length };
};

/**
 * Counts within `withinMs`, else estimates from what was gone through by then, or when `signal` aborts: SCAN walks the
 * table in an order that has nothing to do with names, so that a part of it is a sample of all.
 */
export const countTarget = async (ctx: ReadContext, target: Target, bounds: Bounds): Promise<TargetCount> => {
  const tally = new Tally(ctx, target);
  const seen = new Seen();
  await countNamed(ctx, target, tally, seen);
  const named = { found: tally.found, branches: new Map(tally.branches) };
  const share = await countSearched(ctx, target, tally, seen, bounds);
  const exact = share === 1;
  const scaled = (found: number, before: number) => before + estimate(found - before, share).keys;
  const keys = exact ? tally.found : scaled(tally.found, named.found);
  const times = tally.found > 0 ? keys / tally.found : 1;
  return {
    keys,
    exact,
    error: exact ? null : estimate(tally.found - named.found, share).error,
    ...(await measure(ctx, tally.sample, keys)),
    sample: tally.sample,
    byFamily: [...tally.families.values()].map((row) => ({ ...row, keys: Math.round(row.keys * times) })),
    byBranch: new Map(
      [...tally.branches].map(([id, found]) => [id, exact ? found : scaled(found, named.branches.get(id)!)]),
    ),
    sensitive: tally.sensitive,
  };
};
