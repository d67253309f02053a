import { describe, expect, it } from 'vitest';
import { CostMeter, costOf, expectedCoverageOf, statedShareOf } from './cost';
import { patternOfUnknown } from './pattern';
import { MAX_SHARE } from './schema';
import { TopCounts } from './top-counts';

const reading = (at: number, worked: number, commands: number) => ({ at, worked, commands });

describe('the cost of a profile', () => {
  it('is stated between two and five per cent, and covers all of a light load', () => {
    expect([0, 1000, 10_000, 1_000_000, null].map(statedShareOf)).toEqual([
      0.02,
      0.02,
      MAX_SHARE,
      MAX_SHARE,
      MAX_SHARE,
    ]);
    expect(expectedCoverageOf(500, 0.02)).toBe(1);
    expect(expectedCoverageOf(100_000, MAX_SHARE)).toBeLessThan(0.1);
  });

  it('is what the server worked beyond its usual time for as many commands', () => {
    const meter = new CostMeter(0.05, 10_000);
    meter.read(reading(0, 0, 0), false, 0);
    meter.read(reading(1000, 100, 10_000), false, 0);
    expect(meter.measuredMs).toBeNull();
    meter.read(reading(2000, 240, 20_000), true, 20);
    expect(meter.measuredMs).toBeCloseTo(40);
    // What came since the reading is estimated.
    expect(meter.spentMs(25)).toBeCloseTo(45);
    expect(meter.spentMs(60)).toBeCloseTo(80);
  });

  it('of a load that grew is compared by commands', () => {
    const meter = new CostMeter(0.05, 10_000);
    meter.read(reading(0, 0, 0), false, 0);
    meter.read(reading(1000, 10, 1000), false, 0);
    meter.read(reading(2000, 110, 11_000), true, 0);
    expect(meter.measuredMs).toBeCloseTo(0);
  });

  it('is an estimate where the server does not tell', () => {
    const meter = new CostMeter(0.05, 10_000);
    for (const at of [0, 1000, 2000]) meter.read({ at, worked: null, commands: 5 }, at > 0, 0);
    expect([meter.measuredMs, meter.spentMs(7)]).toEqual([null, 7]);
  });

  it('may never be more than the share of the whole time', () => {
    const meter = new CostMeter(0.05, 10_000);
    expect(meter.allowedMs(0)).toBeLessThanOrEqual(50);
    expect(meter.allowedMs(60_000)).toBeLessThanOrEqual(500);
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
