import { describe, expect, it } from 'vitest';
import { compareReports } from './compare';
import type { AnalysisReport } from './schema';

const report = (change: Partial<AnalysisReport> = {}): AnalysisReport => ({
  id: 'a',
  at: '2026-01-01T00:00:00.000Z',
  complete: true,
  share: 1,
  resumable: false,
  exact: false,
  scheduled: false,
  keys: 10,
  memoryBytes: 1000,
  change: null,
  since: null,
  withoutTtl: 0,
  byType: [{ type: 'string', keys: 10, memoryBytes: 1000, change: null }],
  byEncoding: [],
  families: [],
  malformed: { keys: 0, memoryBytes: 0 },
  own: { keys: 0, memoryBytes: 0 },
  biggest: [],
  expiries: [],
  ttl: [],
  size: null,
  idle: null,
  unclassified: [],
  walk: null,
  reason: null,
  lengths: { bytes: null, elements: null },
  detailed: 10,
  ...change,
});

const prefixes = (keys: Record<string, number>): AnalysisReport['unclassified'] =>
  Object.entries(keys).map(([prefix, count]) => ({
    prefix,
    keys: count,
    memoryBytes: count * 100,
    sample: [`${prefix}1`],
    change: null,
  }));

/** Growth in keys by prefix; null where it is not known. */
const growth = (now: Record<string, number>, before: Record<string, number>) => {
  const { unclassified } = compareReports(
    report({ unclassified: prefixes(now) }),
    report({ unclassified: prefixes(before) }),
  );
  return Object.fromEntries(unclassified.map(({ prefix, change }) => [prefix, change?.keys ?? null]));
};

describe('memory', () => {
  it('is not compared between an exact report and an estimated one, and says so', () => {
    const now = report({ exact: true, keys: 12, memoryBytes: 5000, reason: 'Cancelled half-way.' });
    const compared = compareReports(now, report());
    expect(compared.change).toEqual({ keys: 2, memoryBytes: null });
    expect(compared.byType[0]!.change).toEqual({ keys: 0, memoryBytes: null });
    expect(compared.reason).toMatch(/^Cancelled half-way\. Memory is not compared/);
  });

  it('is compared between reports that measured it alike', () => {
    for (const exact of [true, false]) {
      const compared = compareReports(report({ exact, memoryBytes: 1200 }), report({ exact }));
      expect(compared).toMatchObject({ change: { keys: 0, memoryBytes: 200 }, reason: null });
    }
  });
});

describe('a prefix in one of two reports', () => {
  it('is new or gone where no row of the other can have its keys', () => {
    expect(growth({ 'a:': 5, 'b:': 7 }, { 'a:': 4, 'c:': 3 })).toEqual({ 'a:': 1, 'b:': 7, 'c:': -3 });
  });

  it('has no growth where it may be among the keys of the other rows', () => {
    expect(growth({ 'a:': 5, 'b:': 7, '': 2 }, { 'a:': 4, '': 9 })).toEqual({
      'a:': 1,
      'b:': null,
      '': null,
    });
    // Not known to be gone.
    expect(growth({ 'a:': 5, '': 9 }, { 'a:': 4, 'b:': 7, '': 2 })).toEqual({ 'a:': 1, '': null });
  });

  it('has no growth where a longer or shorter prefix may have its keys', () => {
    const [joined, apart] = [
      { 'a:': 60, 'z:': 2 },
      { 'a:': 10, 'a:b:': 50, 'z:': 1 },
    ];
    expect(growth(joined, apart)).toEqual({ 'a:': null, 'z:': 1 });
    expect(growth(apart, joined)).toEqual({ 'a:': null, 'a:b:': null, 'z:': -1 });
  });
});
