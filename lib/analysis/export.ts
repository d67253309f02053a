import 'server-only';
import { csvCell } from '@/lib/csv';
import type { AnalysisReport, BiggestKey, Distribution, FamilyAnalysis, HistogramBin } from './schema';

/** Columns of the file; each section fills those it has. */
const COLUMNS = [
  'section',
  'name',
  'family',
  'type',
  'pattern',
  'keys',
  'memoryBytes',
  'withoutTtl',
  'ttlMinSeconds',
  'ttlMaxSeconds',
  'sizeP50',
  'sizeP99',
  'sizeMax',
  'bytesP50',
  'bytesP99',
  'bytesMax',
  'elementsP50',
  'elementsP99',
  'elementsMax',
  'idleP50',
  'idleP99',
  'idleMax',
  'length',
  'ttlSeconds',
  'from',
  'to',
  'keysChange',
  'memoryBytesChange',
  'value',
] as const;
type Row = Partial<Record<(typeof COLUMNS)[number], string | number | null>>;

const changeOf = ({ change }: Pick<AnalysisReport, 'change'>): Row => ({
  keysChange: change?.keys,
  memoryBytesChange: change?.memoryBytes,
});

const big = (section: string, { key, family, type, memoryBytes, length, ttlSeconds }: BiggestKey): Row => ({
  section,
  name: key,
  family,
  type,
  keys: 1,
  memoryBytes,
  length,
  ttlSeconds,
});

/** How the report was made: its accuracy and its cost. */
const aboutOf = (report: AnalysisReport): Row[] => {
  const { at, complete, share, exact, detailed, scheduled, since, reason, walk } = report;
  const memory = exact ? 'exact' : 'estimated by the server';
  const cost = walk && {
    startedAt: walk.startedAt,
    finishedAt: walk.finishedAt,
    keysRead: walk.keys,
    calls: walk.calls,
    vanished: walk.vanished,
    serverMs: walk.serverMs,
    readBy: walk.byScript ? 'script' : 'commands',
  };
  const facts = {
    at,
    status: complete ? 'complete' : 'partial',
    share,
    memory,
    detailed,
    scheduled: `${scheduled}`,
  };
  return Object.entries({ ...facts, since, reason, ...cost }).map(
    ([name, value]): Row => ({ section: 'report', name, value }),
  );
};

/** The percentiles of a distribution, as columns with this prefix. */
const percentiles = (name: 'size' | 'bytes' | 'elements' | 'idle', of: Distribution | null): Row => ({
  [`${name}P50`]: of?.p50,
  [`${name}P99`]: of?.p99,
  [`${name}Max`]: of?.max,
});

interface Spreads extends Pick<FamilyAnalysis, 'size' | 'lengths' | 'idle'> {
  ttl: readonly HistogramBin[];
}

const percentilesOf = ({ size, lengths, idle }: Omit<Spreads, 'ttl'>): Row => ({
  ...percentiles('size', size),
  ...percentiles('idle', idle),
  ...percentiles('bytes', lengths.bytes),
  ...percentiles('elements', lengths.elements),
});

/** The bins of all histograms of a family, or of all keys. */
function* binsOf({ ttl, size, lengths, idle }: Spreads, family?: string): Generator<Row> {
  const histograms = {
    'histogram of ttl': ttl,
    'histogram of size': size?.histogram,
    'histogram of bytes': lengths.bytes?.histogram,
    'histogram of elements': lengths.elements?.histogram,
    'histogram of idle': idle?.histogram,
  };
  for (const [section, bins = []] of Object.entries(histograms))
    for (const bin of bins) yield { section, ...(family !== undefined && { family }), ...bin };
}

function* rowsOf(report: AnalysisReport): Generator<Row> {
  const { keys, memoryBytes, withoutTtl } = report;
  yield* aboutOf(report);
  yield {
    section: 'all',
    name: report.at,
    keys,
    memoryBytes,
    withoutTtl,
    ...percentilesOf(report),
    ...changeOf(report),
  };
  yield { section: 'malformed', ...report.malformed };
  yield { section: 'own', ...report.own };
  for (const row of report.byType)
    yield { section: 'type', type: row.type, keys: row.keys, memoryBytes: row.memoryBytes, ...changeOf(row) };
  for (const row of report.byEncoding) {
    const { type, encoding: name, keys, memoryBytes } = row;
    yield { section: 'encoding', name, type, keys, memoryBytes, ...changeOf(row) };
  }
  for (const row of report.families) {
    const { title: name, family, pattern, keys, memoryBytes, withoutTtl, ttl } = row;
    yield {
      section: 'family',
      name,
      family,
      pattern,
      keys,
      memoryBytes,
      withoutTtl,
      ttlMinSeconds: ttl.min,
      ttlMaxSeconds: ttl.max,
      ...percentilesOf(row),
      ...changeOf(row),
    };
  }
  for (const row of report.unclassified) {
    const { prefix: name, keys, memoryBytes } = row;
    yield { section: 'unclassified', name, keys, memoryBytes, ...changeOf(row) };
  }
  for (const key of report.biggest) yield big('biggest of type', key);
  for (const { biggest } of report.families) for (const key of biggest) yield big('biggest of family', key);
  for (const { from, to, keys } of report.expiries) yield { section: 'expiry', from, to, keys };
  yield* binsOf(report);
  for (const { family, types, encodings, ttl, ...row } of report.families) {
    yield* binsOf({ ...row, ttl: ttl.histogram }, family);
    for (const [type, keys] of Object.entries(types)) yield { section: 'type of family', family, type, keys };
    for (const [name, keys] of Object.entries(encodings))
      yield { section: 'encoding of family', family, name, keys };
  }
}

const csvOf = (report: AnalysisReport): string => {
  const lines = [...rowsOf(report)].map((row) => COLUMNS.map((column) => csvCell(row[column])).join(','));
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
};

export const exportReport = (report: AnalysisReport, format: 'csv' | 'json'): string[] => [
  format === 'csv' ? csvOf(report) : `${JSON.stringify(report)}\n`,
];
