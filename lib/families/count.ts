import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { type IdentifiedKey, identifyKeys } from '@/lib/command/identify-keys';
import { isSensitive } from '@/lib/keyspace/guarded';
import type { Key } from '@/lib/redis/commands';
import { countWithRestart } from '@/lib/redis/server-process';
import { MAX_SNAPSHOT_BYTES } from '@/lib/snapshots/snapshots';
import { isConfirmed } from './confirmed';
import { Coverage } from './coverage';
import { idOf, scanBranches } from './scan';
import type { Branch, Target } from './target';

/** The number of keys a target matches, counted within a time limit. */
export interface TargetCount {
  keys: number;
  exact: boolean;
  /** Half width of the 95 % interval, in keys; null when exact. */
  error: number | null;
  memoryBytes: number | null;
  sample: Key[];
  /** Sampled keys whose value is too large to store for undo. */
  tooLarge: number;
  /** Memory of the values that can be stored for undo. */
  undoBytes: number | null;
  byFamily: FamilyCount[];
  /** Number of keys per branch of the target, by its id, including branches that are not selected. */
  byBranch: Map<string, number>;
  /** Matched keys that are sessions, tokens, variables, locks or unknown. */
  sensitive: number;
}

export interface FamilyCount {
  /** Null for keys without a family. */
  family: string | null;
  title: string;
  keys: number;
  sensitive: boolean;
  /** Whether the application rebuilds it. */
  cache: boolean;
}

const SAMPLE_SIZE = 50;
/** Counts the keys found so far. */
class Counter {
  found = 0;
  sensitive = 0;
  readonly sample: Key[] = [];
  readonly families = new Map<string | null, FamilyCount>();
  readonly branches = new Map<string, number>();

  constructor(private readonly target: Target) {
    for (const { id } of target.branches) this.branches.set(id, 0);
  }

  /** `naming`: the branches that contain the key itself. Others may match it by a search. */
  add(key: Key, what: IdentifiedKey, naming: readonly Branch[] = []): void {
    const within = this.target.branches.filter(
      (branch) => naming.includes(branch) || branch.search?.accepts(key),
    );
    for (const { id } of within) this.branches.set(id, this.branches.get(id)! + 1);
    if (!within.some(({ included }) => included)) return;
    this.found += 1;
    // Reservoir sampling: each key found has the same probability.
    const { length } = this.sample;
    const place = length < SAMPLE_SIZE ? length : Math.floor(Math.random() * this.found);
    if (place < SAMPLE_SIZE) this.sample[place] = key;
    this.addToFamily(what);
  }

  private addToFamily(found: IdentifiedKey): void {
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

/** Counts the named keys that exist and returns them by `idOf`. */
const countNamed = async (
  ctx: ReadContext,
  { branches }: Target,
  counter: Counter,
): Promise<ReadonlySet<string>> => {
  const named = new Map<string, { key: Key; naming: Branch[] }>();
  for (const branch of branches)
    for (const key of branch.keys) {
      const entry = named.get(idOf(key)) ?? { key, naming: [] };
      entry.naming.push(branch);
      named.set(idOf(key), entry);
    }
  const keys = [...named.values()];
  const replies = await ctx.reader.readMany(keys.map(({ key }) => ['EXISTS', key] as const));
  const existing = keys.filter((_, i) => {
    const reply = replies[i];
    if (reply instanceof Error) throw reply;
    return reply === 1;
  });
  const identified = await identifyKeys(
    ctx.reader,
    ctx.catalog,
    existing.map(({ key }) => key),
  );
  for (const [i, { key, naming }] of existing.entries()) {
    const meant = naming.filter((branch) => isConfirmed(branch, identified[i]!));
    if (meant.length > 0) counter.add(key, identified[i]!, meant);
  }
  return new Set(existing.map(({ key }) => idOf(key)));
};

interface Bounds {
  withinMs: number;
}

/**
 * Scans the keyspace until the time limit. Returns the number found and the scanned share; null after a complete scan.
 */
const countSearched = async (
  ctx: ReadContext,
  { branches }: Target,
  counter: Counter,
  except: ReadonlySet<string>,
  { withinMs }: Bounds,
): Promise<Coverage | null> => {
  const until = performance.now() + withinMs;
  const coverage = new Coverage();
  for await (const { keys, share, part } of scanBranches(ctx, branches, { except })) {
    const before = counter.found;
    const identified = await identifyKeys(ctx.reader, ctx.catalog, keys);
    for (const [i, key] of keys.entries()) counter.add(key, identified[i]!);
    coverage.add(part, counter.found - before);
    ctx.signal?.throwIfAborted();
    if (share < 1 && performance.now() > until) return coverage;
  }
  return null;
};

const measure = async (
  ctx: ReadContext,
  sample: readonly Key[],
  keys: number,
): Promise<Pick<TargetCount, 'memoryBytes' | 'tooLarge' | 'undoBytes'>> => {
  const replies = await ctx.reader.readMany(sample.map((key) => ['MEMORY USAGE', key] as const));
  const sizes = replies.filter((reply): reply is number => typeof reply === 'number');
  const scaled = (some: readonly number[]): number | null => {
    const sum = some.reduce((a, b) => a + b, 0);
    if (sizes.length > 0) return Math.round((sum / sizes.length) * keys);
    return keys === 0 ? 0 : null;
  };
  const kept = sizes.filter((size) => size <= MAX_SNAPSHOT_BYTES);
  return { memoryBytes: scaled(sizes), undoBytes: scaled(kept), tooLarge: sizes.length - kept.length };
};

/** Counts within `withinMs`, or estimates from the part counted by then. */
export const countTarget = (ctx: ReadContext, target: Target, bounds: Bounds): Promise<TargetCount> =>
  countWithRestart(ctx.connection, () => countOnce(ctx, target, bounds));

const countOnce = async (ctx: ReadContext, target: Target, bounds: Bounds): Promise<TargetCount> => {
  const counter = new Counter(target);
  const namedKeys = await countNamed(ctx, target, counter);
  const named = { found: counter.found, branches: new Map(counter.branches) };
  const coverage = await countSearched(ctx, target, counter, namedKeys, bounds);
  const searched = counter.found - named.found;
  const estimate = coverage?.estimate() ?? { keys: searched, error: null };
  const keys = named.found + estimate.keys;
  const timesSearched = searched > 0 ? estimate.keys / searched : 1;
  const times = counter.found > 0 ? keys / counter.found : 1;
  return {
    keys,
    exact: coverage === null,
    error: estimate.error,
    ...(await measure(ctx, counter.sample, keys)),
    sample: counter.sample,
    byFamily: [...counter.families.values()].map((row) => ({ ...row, keys: Math.round(row.keys * times) })),
    byBranch: new Map(
      [...counter.branches].map(([id, found]) => {
        const before = named.branches.get(id)!;
        return [id, before + Math.round((found - before) * timesSearched)];
      }),
    ),
    sensitive: counter.sensitive,
  };
};
