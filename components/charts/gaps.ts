/** A sample on the time axis: `at` in epoch ms, and one value per series id. */
export type Sample = { at: number } & Record<string, number | null>;

/**
 * Inserts an empty sample into every hole of more than 1.5 steps, so that a line breaks there. `points` are in
 * ascending order; `stepMs` is their regular distance.
 */
export const withGaps = (points: readonly Sample[], stepMs: number): Sample[] => {
  const result: Sample[] = [];
  for (const point of points) {
    const before = result.at(-1);
    if (before && point.at - before.at > 1.5 * stepMs) {
      const empty = Object.keys(point).filter((id) => id !== 'at');
      const hole = Object.fromEntries(empty.map((id) => [id, null]));
      result.push({ ...hole, at: before.at + stepMs } as Sample);
    }
    result.push(point);
  }
  return result;
};

const isKnown = (point: Sample | undefined, id: string): boolean =>
  point?.[id] !== null && point?.[id] !== undefined;

/** Whether a value has gaps on both sides: no line shows it, so it needs a dot. */
export const isIsolated = (points: readonly Sample[], index: number, id: string): boolean =>
  isKnown(points[index], id) && !isKnown(points[index - 1], id) && !isKnown(points[index + 1], id);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  10_000,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
];

/** Round times between two epochs, at most `most`, in the reader's zone (`offsetMs` east of UTC). */
export const timeTicks = (from: number, to: number, most: number, offsetMs = 0): number[] => {
  const step = STEPS.find((candidate) => (to - from) / candidate <= most) ?? (to - from) / most;
  const ticks: number[] = [];
  for (let at = Math.ceil((from + offsetMs) / step) * step - offsetMs; at <= to; at += step) ticks.push(at);
  return ticks;
};
