import { describe, expect, it } from 'vitest';
import { CostBudget, CostMeter, costOf, expectedCoverageOf, statedShareOf } from './cost';
import { patternOfUnknown } from './pattern';
import { MAX_SHARE } from './schema';
import { TopCounts } from './top-counts';

const reading = (at: number, worked: number, commands: number, inCommands = 0) => ({
  at,
  worked,
  commands,
  inCommands,
});

describe('the cost of a profile', () => {
  it('is stated between two and five per cent, and covers all of a light load', () => {
    expect([0, 500, 10_000, 1_000_000, null].map(statedShareOf)).toEqual([
      0.02,
      0.02,
      MAX_SHARE,
      MAX_SHARE,
      MAX_SHARE,
    ]);
    expect(expectedCoverageOf(500, 0.02)).toBe(1);
    expect(expectedCoverageOf(100_000, MAX_SHARE)).toBeLessThan(0.1);
  });

  it('is what the server worked more than beside it', () => {
    const meter = new CostMeter();
    meter.read(reading(0, 0, 0), false);
    meter.read(reading(1000, 100, 10_000), false);
    expect(meter.measuredMs).toBeNull();
    meter.read(reading(2000, 240, 20_000), true);
    expect(meter.measuredMs).toBeCloseTo(40);
  });

  it.each([
    ['grew', 110, 11_000, 80],
    ['sank', 12, 100, 6],
    ['has one slow script', 440, 1000, 420],
  ])('is not known where the load %s', (_, worked, commands, inCommands) => {
    const meter = new CostMeter();
    meter.read(reading(0, 0, 0, 0), false);
    meter.read(reading(1000, 30, 1000, 20), false);
    meter.read(reading(2000, 30 + worked, 1000 + commands, 20 + inCommands), true);
    expect(meter.measuredMs).toBeNull();
  });

  it('is not known where the server does not tell', () => {
    const meter = new CostMeter();
    for (const at of [0, 1000, 2000]) meter.read({ ...reading(at, 0, 5), worked: null }, at > 1000);
    expect(meter.measuredMs).toBeNull();
  });

  it('may never be more than the share of the whole time', () => {
    const budget = new CostBudget(0.05, 10);
    expect([0, 4000, 60_000].map((ms) => budget.limitMs(ms))).toEqual([50, 250, 500]);
    expect(budget.plannedMs(60_000)).toBeLessThan(500);
    expect(costOf(1000, 100_000)).toBeGreaterThan(costOf(1000, 0));
  });
});

describe('counts in bounded memory', () => {
  it('drop the rarest names, and say how many calls those were', () => {
    const counts = new TopCounts(10);
    let added = 0;
    const add = (name: string) => {
      counts.add(name);
      added += 1;
    };
    for (let i = 0; i < 100; i++) {
      add('often');
      add(`once-${i}`);
    }
    const rows = counts.sorted();
    expect(rows[0]).toEqual(['often', 100]);
    expect(rows.length).toBeLessThanOrEqual(10);
    expect(rows.reduce((sum, [, count]) => sum + count, 0) + counts.dropped).toBe(added);
  });
});

it.each([
  ['shop:cart:17', 'shop:cart:*'],
  ['shop:cart', 'shop:cart'],
  ['user:12:posts', 'user:*:posts'],
  ['tokens:•••', 'tokens:*'],
  ['a:b:c:d:e:f:g', 'a:b:c:d:e:*'],
  ['plain', 'plain'],
  ['k17', '*'],
  ['', '*'],
])('the key %j is one of %j', (key, pattern) => {
  expect(patternOfUnknown(key)).toBe(pattern);
});
