import { describe, expect, it } from 'vitest';
import { marksOf } from './marks';

const place = (...events: [number, string][]) =>
  marksOf(
    events.map(([at, label]) => ({ at, label })),
    0,
    1000,
    1000,
  ).map(({ at, label, side }) => [at, label, side]);

describe('events on the axis', () => {
  it('each have their line and their word', () => {
    expect(place([500, 'gone'], [100, 'invalidated'])).toEqual([
      [100, 'invalidated', 'after'],
      [500, 'gone', 'after'],
    ]);
  });

  it('say together what would lie on each other, each word once', () => {
    expect(place([100, 'gone'], [110, 'back'], [120, 'gone'])).toEqual([
      [100, 'gone · back', 'after'],
      [110, '', 'after'],
      [120, '', 'after'],
    ]);
  });

  it('do not lie on one that stands before its line', () => {
    expect(place([800, 'invalidated'], [950, 'invalidated'])).toEqual([
      [800, 'invalidated', 'after'],
      [950, '', 'after'],
    ]);
    expect(place([750, 'invalidated'], [950, 'gone'])).toEqual([
      [750, 'invalidated', 'after'],
      [950, 'gone', 'before'],
    ]);
  });

  it('stay inside the picture and leave out what is outside the range', () => {
    expect(place([990, 'gone'], [1001, 'back'])).toEqual([[990, 'gone', 'before']]);
  });
});
