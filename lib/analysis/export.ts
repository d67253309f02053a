import 'server-only';
import { withoutFormula } from '@/lib/csv';
import type { AnalysisReport, BiggestKey } from './schema';

/** Columns of the file; a row has those that its section has. */
const COLUMNS = [
  ...['section', 'name', 'family', 'type', 'pattern', 'keys', 'memoryBytes', 'withoutTtl'],
  ...[
    'ttlMinSeconds',
    'ttlMaxSeconds',
    'sizeP50',
    'sizeP99',
    'sizeMax',
    'lengthP50',
    'lengthP99',
    'lengthMax',
  ],
  ...['length', 'ttlSeconds', 'from', 'to', 'keysChange', 'memoryBytesChange'],
] as const;
type Row = Partial<Record<(typeof COLUMNS)[number], string | number | null>>;

const cell = (value: string | number | null | undefined): string => {
  if (value === null || value === undefined) return '';
  // A number that is negative is no formula.
  if (typeof value === 'number') return String(value);
  return `"${withoutFormula(value).replaceAll('"', '""')}"`;
};

const changeOf = ({ change }: Pick<AnalysisReport, 'change'>): Row => ({
  keysChange: change?.keys,
  memoryBytesChange: change?.memoryBytes,
});

const big = (section: string, { key, family, type, memoryBytes, length, ttlSeconds }: BiggestKey): Row => ({
  ...{ section, name: key, family, type, keys: 1, memoryBytes, length, ttlSeconds },
});

function* rowsOf(report: AnalysisReport): Generator<Row> {
  const { keys, memoryBytes, withoutTtl } = report;
  yield { section: 'all', name: report.at, keys, memoryBytes, withoutTtl, ...changeOf(report) };
  yield { section: 'malformed', ...report.malformed };
  yield { section: 'own', ...report.own };
  for (const row of report.byType)
    yield { section: 'type', type: row.type, keys: row.keys, memoryBytes: row.memoryBytes, ...changeOf(row) };
  for (const row of report.byEncoding) {
    const { type, encoding: name, keys, memoryBytes } = row;
    yield { section: 'encoding', name, type, keys, memoryBytes, ...changeOf(row) };
  }
  for (const row of report.families) {
    const { title: name, family, pattern, keys, memoryBytes, withoutTtl, ttl, size, length } = row;
    yield {
      ...{ section: 'family', name, family, pattern, keys, memoryBytes, withoutTtl },
      ...{ ttlMinSeconds: ttl.min, ttlMaxSeconds: ttl.max },
      ...{ sizeP50: size?.p50, sizeP99: size?.p99, sizeMax: size?.max },
      ...{ lengthP50: length?.p50, lengthP99: length?.p99, lengthMax: length?.max },
      ...changeOf(row),
    };
  }
  for (const row of report.unclassified) {
    const { prefix: name, keys, memoryBytes } = row;
    yield { section: 'unclassified', name, keys, memoryBytes, ...changeOf(row) };
  }
  for (const one of report.biggest) yield big('biggest of type', one);
  for (const { biggest } of report.families) for (const one of biggest) yield big('biggest of family', one);
  for (const { from, to, keys } of report.expiries) yield { section: 'expiry', from, to, keys };
}

const csvOf = (report: AnalysisReport): string => {
  const lines = [...rowsOf(report)].map((row) => COLUMNS.map((column) => cell(row[column])).join(','));
  return `${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
};

/** A report as a file. */
export const exportReport = (report: AnalysisReport, format: 'csv' | 'json'): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      const text = format === 'csv' ? csvOf(report) : `${JSON.stringify(report)}\n`;
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
