import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { keyIdOf, rememberLongKeys } from '@/lib/command/key-ids';
import { REMAINING } from '@/lib/history/family-ttls';
import { displayKey, displayUnclassified } from '@/lib/keyspace/display';
import { iso, SECOND, ttlSeconds } from '@/lib/time';
import { readSome } from '@/lib/walk/by-commands';
import { Refusals } from '@/lib/walk/facts';
import type { WalkCost } from '@/lib/walk/schema';
import type { BigKey } from './biggest';
import type { AnalysisCollector } from './collector';
import { type GroupCounts, memoryOf, newTotal, projected, type Total } from './group-counts';
import type { AnalysisReport, AnalysisSummary, BiggestKey, FamilyAnalysis } from './schema';
import { shownBins } from './spread';

const MAX_PREFIXES = 100;

type Context = Pick<ReadContext, 'connection' | 'catalog' | 'store' | 'now'>;

type Lengths = ReadonlyMap<BigKey, number | null>;

const toBiggest = (ctx: Context, big: BigKey, lengths: Lengths): BiggestKey => {
  const display = big.family === null && big.isSettled ? displayUnclassified : displayKey;
  return {
    key: display(big.key, ctx.catalog),
    keyId: keyIdOf(ctx, big.key),
    family: big.family,
    type: big.type,
    memoryBytes: big.memoryBytes,
    length: lengths.get(big) ?? null,
    ...(!Number.isNaN(big.ttl) && { ttlSeconds: ttlSeconds(big.ttl) }),
  };
};

const rowOf = (sum: Total) => ({ keys: sum.keys, memoryBytes: memoryOf(sum), change: null });

const byMemory = (
  a: { keys: number; memoryBytes: number | null },
  b: { keys: number; memoryBytes: number | null },
): number => (b.memoryBytes ?? 0) - (a.memoryBytes ?? 0) || b.keys - a.keys;

const toFamily = (ctx: Context, id: string, group: GroupCounts, lengths: Lengths): FamilyAnalysis => {
  // A catalog file may have changed during the analysis.
  const { app, title, pattern } = ctx.catalog.get(id) ?? { app: id.split('.')[0]!, title: id, pattern: id };
  const { biggest, ...counts } = group.finish();
  return {
    family: id,
    app,
    title,
    pattern,
    change: null,
    ...counts,
    encodings: projected(counts.encodings, counts.keys - (counts.types.unreadable ?? 0)),
    biggest: biggest.map((key) => toBiggest(ctx, key, lengths)),
  };
};

/** Keys and memory by type and encoding; a sample is extrapolated to all keys of its type. */
const encodingRows = ({ encodings, types }: AnalysisCollector): AnalysisReport['byEncoding'] => {
  const rows = [...encodings].map(([name, sum]) => {
    const [type = name, encoding = name] = name.split(' ');
    return { type, encoding, sum };
  });
  const ofType = (type: string, of: (sum: Total) => number) =>
    rows.reduce((total, one) => total + (one.type === type ? of(one.sum) : 0), 0);
  const share = (type: string, of: (sum: Total) => number) => {
    const sampled = ofType(type, of);
    return sampled > 0 ? of(types.get(type) ?? newTotal()) / sampled : 1;
  };
  return rows
    .map(({ type, encoding, sum }) => {
      const row = rowOf(sum);
      const keys = Math.round(row.keys * share(type, (total) => total.keys));
      const bytes = row.memoryBytes;
      const memoryBytes = bytes === null ? null : Math.round(bytes * share(type, (total) => total.bytes));
      return { ...row, type, encoding, keys, memoryBytes };
    })
    .sort(byMemory);
};

/**
 * Lengths of the biggest keys; those outside the sample are read now. They stay unknown where the server is
 * unreachable.
 */
const lengthsOf = async ({ connection }: Context, big: readonly BigKey[]): Promise<Lengths> => {
  const lengths = big.map(({ length }) => length);
  const places = [...big.keys()].filter((i) => lengths[i] === null);
  const facts = { keys: big.map(({ key }) => key), types: big.map(({ type }) => type), memory: [], lengths };
  if (places.length > 0)
    await readSome(connection, new Refusals(), facts, { memory: [], lengths: places }).catch(() => undefined);
  return new Map(big.map((key, i) => [key, lengths[i]!]));
};

/** The largest prefixes; all other keys are in the row without a prefix. */
const prefixRows = ({ prefixes, unclassified }: AnalysisCollector): AnalysisReport['unclassified'] => {
  const rows = prefixes.rows();
  const shown = rows.slice(0, MAX_PREFIXES).filter(({ prefix }) => prefix !== '');
  const rest = rows.filter((row) => !shown.includes(row));
  const sum = (of: (row: (typeof rows)[number]) => number) => rest.reduce((all, row) => all + of(row), 0);
  const sample = (rest.find(({ prefix }) => prefix === '') ?? rest[0])?.sample ?? [];
  const last = {
    prefix: '',
    keys: sum(({ keys }) => keys),
    memoryBytes: sum((row) => row.memoryBytes),
    sample,
  };
  const isMeasured = unclassified.measured > 0;
  return [...shown, ...(rest.length > 0 ? [last] : [])]
    .map((row) => ({ ...row, memoryBytes: isMeasured ? row.memoryBytes : null, change: null }))
    .sort(byMemory);
};

const keysOf = (count: number): string => (count === 1 ? '1 key' : `${count} keys`);

/** Sentences about what could not be measured. */
const gapsOf = ({ keys, size, idle, encodings, types }: ReturnType<GroupCounts['finish']>): string[] => {
  if (keys === 0) return [];
  const measured = size?.of ?? 0;
  const encoded = Object.values(encodings).reduce((sum, each) => sum + each, 0);
  return [
    ...(types.unreadable ? [`The Redis user may not read ${keysOf(types.unreadable)}.`] : []),
    ...(measured === 0 ? ['The Redis user may not run MEMORY USAGE, so no memory was measured.'] : []),
    ...(measured > 0 && measured < keys
      ? [`The memory of ${keysOf(keys - measured)} could not be measured; totals are of the others.`]
      : []),
    ...(encoded === 0 ? ['Encodings could not be read.'] : []),
    ...(idle === null
      ? ['Idle times are not known: an LFU policy, or OBJECT IDLETIME is not permitted.']
      : []),
  ];
};

/** Keys that could be read without their TTL. */
const ttlGap = ({ total, ttlsRead }: GroupCounts, unreadable = 0): string[] => {
  const missing = total.keys - ttlsRead - unreadable;
  return missing > 0 ? [`The TTL of ${missing} keys could not be read.`] : [];
};

/** How an analysis ended. */
export interface Ended {
  id: string;
  at: number;
  complete: boolean;
  share: number;
  scheduled: boolean;
  walk: WalkCost | null;
  /** As sentences. */
  reasons: readonly string[];
}

/** The report of the counts, with names in displayed form. Stores the names of long keys, so that their links work. */
export const reportOf = async (
  ctx: Context,
  counted: AnalysisCollector,
  { id, at, complete, share, scheduled, walk, reasons }: Ended,
): Promise<AnalysisReport> => {
  const totals = counted.all.finish();
  const { remaining, expiries } = counted.expiries();
  const biggest = [...counted.biggest.values()].flatMap(({ keys }) => keys);
  const ofFamilies = [...counted.families.values()].flatMap(({ biggest: { keys } }) => keys);
  const big = [...biggest, ...ofFamilies];
  await rememberLongKeys(
    ctx,
    big.map(({ key }) => key),
  );
  const lengths = await lengthsOf(ctx, big);
  const families = [...counted.families].map(([id, group]) => toFamily(ctx, id, group, lengths));
  // Reading by commands leaves no gap, and the report shows it separately.
  const missing = walk?.byScript && walk.reason !== null ? [walk.reason] : [];
  const gaps = [...gapsOf(totals), ...ttlGap(counted.all, totals.types.unreadable)];
  const sentences = [...reasons, ...missing, ...gaps];
  return {
    id,
    at: iso(at),
    complete,
    share,
    resumable: false,
    exact: counted.exact,
    scheduled,
    keys: totals.keys,
    memoryBytes: totals.memoryBytes,
    change: null,
    since: null,
    withoutTtl: totals.withoutTtl,
    detailed: counted.all.detailed,
    byType: [...counted.types].map(([type, sum]) => ({ type, ...rowOf(sum) })).sort(byMemory),
    byEncoding: encodingRows(counted),
    families: families.sort(byMemory),
    malformed: { keys: counted.malformed.keys, memoryBytes: memoryOf(counted.malformed) },
    own: { keys: counted.own.keys, memoryBytes: memoryOf(counted.own) },
    biggest: biggest.map((key) => toBiggest(ctx, key, lengths)).sort((a, b) => b.memoryBytes - a.memoryBytes),
    expiries: expiries.map(([from, width, keys]) => ({ from: iso(from), to: iso(from + width), keys })),
    ttl: shownBins(
      REMAINING.map((ms) => ms / SECOND),
      remaining,
    ),
    size: totals.size,
    lengths: totals.lengths,
    idle: totals.idle,
    unclassified: prefixRows(counted),
    walk,
    reason: sentences.length > 0 ? sentences.join(' ') : null,
  };
};

/** Keys without a family: each of them is in a row of `unclassified`. */
export const unclassifiedKeys = ({ unclassified }: Pick<AnalysisReport, 'unclassified'>): number =>
  unclassified.reduce((sum, { keys }) => sum + keys, 0);

export const toSummary = (report: AnalysisReport): AnalysisSummary => {
  const { id, at, complete, exact, keys, memoryBytes, scheduled, share, resumable } = report;
  const families = report.families.length;
  const unclassified = unclassifiedKeys(report);
  return { id, at, complete, exact, keys, memoryBytes, families, unclassified, scheduled, share, resumable };
};
