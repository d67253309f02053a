import { expect, it } from 'vitest';
import { tickOf } from './bars';

it('names a bar on the axis by its own tick, whichever of the bars have room for one', () => {
  const bars = ['0 – 1 s', '1 – 10 s', '10 s and more'].map((name, i) => ({
    name,
    value: i,
    tick: `tick ${i}`,
  }));
  // A narrow axis shows each second one.
  const shown = [bars[0]!, bars[2]!].map(({ name }) => tickOf(bars, name));
  expect(shown).toEqual(['tick 0', 'tick 2']);
  expect(tickOf([{ name: 'Berlin', value: 1 }], 'Berlin')).toBe('Berlin');
});
