import 'server-only';
import type { AnalysisReport, FamilyAnalysis } from './schema';

interface Row {
  keys: number;
  memoryBytes: number | null;
}

type Change = NonNullable<AnalysisReport['change']>;
type Compare = (now: Row, before: Row) => Change;

/** `isMeasuredAlike`: the difference between an exact figure and an estimate is not growth. */
const differenceOf =
  (isMeasuredAlike: boolean): Compare =>
  (now, before) => ({
    keys: now.keys - before.keys,
    memoryBytes:
      !isMeasuredAlike || now.memoryBytes === null || before.memoryBytes === null
        ? null
        : now.memoryBytes - before.memoryBytes,
  });

const NONE: Row = { keys: 0, memoryBytes: 0 };

/** Rows with their differences; removed rows come last, as rows without keys. */
const compareRows = <R extends Row>(
  now: readonly R[],
  before: readonly R[],
  name: (row: R) => string,
  gone: (row: R) => R,
  difference: Compare,
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
  withoutTtl: 0,
  types: {},
  encodings: {},
  ttl: { min: null, max: null, histogram: [] },
  size: null,
  lengths: { bytes: null, elements: null },
  idle: null,
  biggest: [],
});

const same = <R>(row: R): R => row;

type Prefixes = AnalysisReport['unclassified'];

/** Whether two rows may count each other's keys: a shorter prefix also counts keys whose longer prefix has no row. */
const overlaps = (a: string, b: string): boolean => a.startsWith(b) || b.startsWith(a);

/**
 * A report has rows for the largest prefixes only, and counts other keys under shorter ones. So where only one report
 * has a row for a prefix, its keys and those of overlapping rows may have moved between rows, which is not growth.
 */
const movedBetween = (now: Prefixes, before: Prefixes): Set<string> => {
  const moved = new Set<string>();
  for (const [some, others] of [
    [now, before],
    [before, now],
  ] as const) {
    const names = others.map(({ prefix }) => prefix);
    for (const { prefix } of some) {
      if (names.includes(prefix)) continue;
      const overlapping = names.filter((name) => overlaps(name, prefix));
      for (const name of overlapping.length > 0 ? [prefix, ...overlapping] : []) moved.add(name);
    }
  }
  return moved;
};

/** Omits a prefix of the earlier report whose keys may now be in other rows. */
const comparePrefixes = (now: Prefixes, before: Prefixes, difference: Compare): Prefixes => {
  const moved = movedBetween(now, before);
  const withoutSample = (row: Prefixes[number]) => ({ ...row, sample: [] });
  return compareRows(now, before, ({ prefix }) => prefix, withoutSample, difference)
    .filter(({ prefix, keys }) => keys > 0 || !moved.has(prefix))
    .map((row) => (moved.has(row.prefix) ? { ...row, change: null } : row));
};

const MEASURED_OTHERWISE =
  'Memory is not compared: one of the two reports measured it exactly, in the other the server estimated it.';

/** A report with the differences from an earlier one. */
export const compareReports = (now: AnalysisReport, before: AnalysisReport): AnalysisReport => {
  const isMeasuredAlike = now.exact === before.exact;
  const difference = differenceOf(isMeasuredAlike);
  const encodingOf = ({ type, encoding }: AnalysisReport['byEncoding'][number]) => `${type} ${encoding}`;
  const reasons = [...(now.reason ? [now.reason] : []), ...(isMeasuredAlike ? [] : [MEASURED_OTHERWISE])];
  return {
    ...now,
    change: difference(now, before),
    since: before.at,
    byType: compareRows(now.byType, before.byType, ({ type }) => type, same, difference),
    byEncoding: compareRows(now.byEncoding, before.byEncoding, encodingOf, same, difference),
    families: compareRows(now.families, before.families, ({ family }) => family, withoutKeys, difference),
    unclassified: comparePrefixes(now.unclassified, before.unclassified, difference),
    reason: reasons.length > 0 ? reasons.join(' ') : null,
  };
};
