import { screen } from '@testing-library/react/pure';
import { expect, it } from 'vitest';
import { fakeApi } from '@/scripts/testing/fake-api';
import { renderAt, textOf } from '@/scripts/testing/render';
import { FamilyPanel, type Rates } from './family-panel';
import { rowsOf } from './rows';

fakeApi();

const point = (second: number) => ({
  ...{ at: new Date(second * 1000).toISOString(), hits: 8, misses: 2, hitRate: 0.8, windowSeconds: 3 },
  ...{ to: new Date((second + 60) * 1000).toISOString(), n: 10, tooFew: false, error: 0.1 },
});

const ratesOf = (seconds: readonly number[], windows: Partial<Rates['windows']>): Rates => ({
  families: [
    {
      ...{ family: 'discours.author-id', title: 'Authors', cache: true, points: seconds.map(point) },
      ...{ hits: 8, misses: 2, hitRate: 0.8, source: 'sample', coverage: 1, error: 0.1, n: 10 },
      tooFew: false,
      ...{ windowSeconds: 3, missesPerSecond: 1, originLoadPerSecond: 1 },
    },
  ],
  notAttributed: { hits: 0, misses: 0, share: 0, reasons: [] },
  windows: { taken: 1, cutShort: 0, seconds: 6, askedSeconds: 6, cuts: [], ...windows },
  instance: { label: 'instance', points: [], hits: 0, misses: 0, hitRate: null },
  ...{ application: null, events: [], stepSeconds: 60, from: 0, to: 3_600_000 },
});

const open = (rates: Rates) => {
  const rows = rowsOf(rates.families, []);
  const props = { connection: 'demo', rates, rows, lines: '', onLines: () => undefined };
  return textOf(renderAt('/demo/hit-rates', <FamilyPanel {...props} />).container);
};

it('says how much was observed of what was asked for, and why windows ended early', () => {
  const cuts: Rates['windows']['cuts'] = [
    { why: 'late', count: 2 },
    { why: 'busy', count: 1 },
  ];
  const text = open(ratesOf([0, 60], { taken: 4, cutShort: 3, seconds: 4.8, cuts }));
  expect(text).toContain('4 windows of the live traffic: 4.8 s observed of 6 s asked for (80.0%)');
  expect(text).toContain('2 windows ended early: the server answered later than before the window.');
  expect(text).toContain('1 window ended early: the console was too busy');
  expect(text).toContain('What was observed is exact.');
  expect(screen.queryAllByLabelText('Families drawn, five at most')).not.toEqual([]);
});

it('draws no chart of a single point', () => {
  const text = open(ratesOf([0], { cutShort: 1, seconds: 0.1, cuts: [{ why: 'late', count: 1 }] }));
  expect(text).toContain('0.1 s observed of 6 s asked for');
  expect(text).toContain('Too little was observed to draw a line');
  expect(screen.queryAllByLabelText('Families drawn, five at most')).toEqual([]);
});

it('says nothing of windows that lasted', () => {
  expect(open(ratesOf([0, 60], {}))).not.toContain('ended early');
});
