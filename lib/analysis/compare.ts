import 'server-only';
import type { AnalysisReport, FamilyAnalysis } from './schema';

interface Row {
  keys: number;
  memoryBytes: number | null;
}

const difference = (now: Row, before: Row) => ({
  keys: now.keys - before.keys,
  memoryBytes:
    now.memoryBytes === null || before.memoryBytes === null ? null : now.memoryBytes - before.memoryBytes,
});

const NONE: Row = { keys: 0, memoryBytes: 0 };

/** Rows with their differences; those that are gone come last, as rows without keys. */
const compareRows = <R extends Row>(
  now: readonly R[],
  before: readonly R[],
  name: (row: R) => string,
  gone: (row: R) => R,
): R[] => {
  const earlier = new Map(before.map((row) => [name(row), row]));
  const names = new Set(now.map(name));
  return [
    ...now.map((row) => ({ ...row, change: difference(row, earlier.get(name(row)) ?? NONE) })),
    ...before
      .filter((row) => !names.has(name(row)))
      .map((row) => ({ ...gone(row), ...NONE, change: difference(NONE, row) })),
  ];
};

const withoutKeys = (family: FamilyAnalysis): FamilyAnalysis => ({
  ...family,
  ...{ withoutTtl: 0, types: {}, encodings: {}, ttl: { min: null, max: null, histogram: [] } },
  ...{ size: null, lengths: { bytes: null, elements: null }, idle: null, biggest: [] },
});

const same = <R>(row: R): R => row;

/** A report with the differences from an earlier one. */
export const compareReports = (now: AnalysisReport, before: AnalysisReport): AnalysisReport => ({
  ...now,
  change: difference(now, before),
  since: before.at,
  byType: compareRows(now.byType, before.byType, ({ type }) => type, same),
  byEncoding: compareRows(
    now.byEncoding,
    before.byEncoding,
    ({ type, encoding }) => `${type} ${encoding}`,
    same,
  ),
  families: compareRows(now.families, before.families, ({ family }) => family, withoutKeys),
  unclassified: compareRows(
    now.unclassified,
    before.unclassified,
    ({ prefix }) => prefix,
    (row) => ({ ...row, sample: [] }),
  ),
});
