import { describe, expect, it } from 'vitest';
import { filled } from './filled';

const MINUTE = 60_000;
const at = (minute: number) => new Date(minute * MINUTE).toISOString();

describe('filled', () => {
  it('has a sample for every span of the range, 0 where nothing was refused', () => {
    const points = [
      { at: at(11), refused: 3 },
      { at: at(13), refused: 1 },
    ];
    expect(filled(points, 10.5 * MINUTE, 14.2 * MINUTE, MINUTE)).toEqual([
      { at: 10 * MINUTE, refused: 0 },
      { at: 11 * MINUTE, refused: 3 },
      { at: 12 * MINUTE, refused: 0 },
      { at: 13 * MINUTE, refused: 1 },
      { at: 14 * MINUTE, refused: 0 },
    ]);
  });

  it('loses no refusal of the span in which the range begins', () => {
    const [first] = filled([{ at: at(10), refused: 2 }], 10.9 * MINUTE, 11 * MINUTE, MINUTE);
    expect(first).toEqual({ at: 10 * MINUTE, refused: 2 });
  });
});
