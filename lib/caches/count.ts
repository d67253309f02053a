import 'server-only';
import { isSensitive } from '@/lib/catalog/guarded';
import type { ReadContext } from '@/lib/command/context';
import { type IdentifiedKey, identifyKeys } from '@/lib/command/identify-keys';
import type { Key } from '@/lib/redis/commands';
import { countWithRestart } from '@/lib/redis/server-process';
import { MAX_SNAPSHOT_BYTES } from '@/lib/snapshots/snapshots';
import { isConfirmed } from './confirmed';
import { idOf, scanBranches } from './scan';
import type { Branch, Target } from './target';

/** How many keys a target matches, counted within a time limit. */
export interface TargetCount {
  keys: number;
  exact: boolean;
  /** Half width of the 95 % interval, in keys; null when exact. */
  error: number | null;
  memoryBytes: number | null;
  sample: Key[];
  /** Keys of the sample whose value is too large to store for undo. */
  tooLarge: number;
  /** Memory of the values that can be stored for undo. */
  undoBytes: number | null;
  byFamily: FamilyCount[];
  /** Keys of each branch of the target by its id, including branches that are not selected. */
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
  /** The application rebuilds it. */
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
  private readonly target: Target;

  constructor(target: Target) {
    this.target = target;
    for (const { id } of target.branches) this.branches.set(id, 0);
  }

  /** `naming`: the branches that name the key. Others may match it by a search. */
  add(key: Key, what: IdentifiedKey, naming: readonly Branch[] = []): void {
    const within = this.target.branches.filter(
      (branch) => naming.includes(branch) || branch.search?.accepts(key),
    );
    for (const { id } of within) this.branches.set(id, this.branches.get(id)! + 1);
    if (!within.some(({ included }) => included)) return;
    this.found += 1;
    // Each key found has the same chance to be in the sample.
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
  const all = [...named.values()];
  const replies = await ctx.reader.readMany(all.map(({ key }) => ['EXISTS', key] as const));
  const existing = all.filter((_, i) => {
    const reply = replies[i];
    if (reply instanceof Error) throw reply;
    return reply === 1;
  });
  const found = await identifyKeys(
    ctx.reader,
    ctx.catalog,
    existing.map(({ key }) => key),
  );
  for (const [i, { key, naming }] of existing.entries()) {
    const meant = naming.filter((branch) => isConfirmed(branch, found[i]!));
    if (meant.length > 0) counter.add(key, found[i]!, meant);
  }
  return new Set(existing.map(({ key }) => idOf(key)));
};

interface Bounds {
  withinMs: number;
}

/** Scans the keyspace until the time limit. Returns the share that was scanned. */
const countSearched = async (
  ctx: ReadContext,
  { branches }: Target,
  counter: Counter,
  except: ReadonlySet<string>,
  { withinMs }: Bounds,
): Promise<number> => {
  const until = performance.now() + withinMs;
  for await (const { keys, share } of scanBranches(ctx, branches, { except })) {
    const found = await identifyKeys(ctx.reader, ctx.catalog, keys);
    for (const [i, key] of keys.entries()) counter.add(key, found[i]!);
    ctx.signal?.throwIfAborted();
    if (share < 1 && performance.now() > until) return share;
  }
  return 1;
};

/** COUNT is a hint: a scan may pass this share more keys than it asked for. */
const COUNT_ERROR = 0.01;

/** Extrapolates what was found in a share of the keyspace, with the 95 % interval (Poisson). */
const estimate = (found: number, share: number): { keys: number; error: number } => ({
  keys: Math.round(found / share),
  // Plus two, because none found does not mean that none exist.
  error: Math.ceil((1.96 * Math.sqrt((found + 2) * (1 - share)) + COUNT_ERROR * found) / share),
});

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

/**
 * Counts within `withinMs`, or estimates from the share scanned by then. The order of SCAN does not depend on names, so a
 * part of the keyspace is a random sample of it.
 */
export const countTarget = (ctx: ReadContext, target: Target, bounds: Bounds): Promise<TargetCount> =>
  countWithRestart(ctx.connection, () => countOnce(ctx, target, bounds));

const countOnce = async (ctx: ReadContext, target: Target, bounds: Bounds): Promise<TargetCount> => {
  const counter = new Counter(target);
  const namedKeys = await countNamed(ctx, target, counter);
  const named = { found: counter.found, branches: new Map(counter.branches) };
  const share = await countSearched(ctx, target, counter, namedKeys, bounds);
  const exact = share === 1;
  const scaled = (found: number, before: number) => before + estimate(found - before, share).keys;
  const keys = exact ? counter.found : scaled(counter.found, named.found);
  const times = counter.found > 0 ? keys / counter.found : 1;
  return {
    keys,
    exact,
    error: exact ? null : estimate(counter.found - named.found, share).error,
    ...(await measure(ctx, counter.sample, keys)),
    sample: counter.sample,
    byFamily: [...counter.families.values()].map((row) => ({ ...row, keys: Math.round(row.keys * times) })),
    byBranch: new Map(
      [...counter.branches].map(([id, found]) => [
        id,
        exact ? found : scaled(found, named.branches.get(id)!),
      ]),
    ),
    sensitive: counter.sensitive,
  };
};
