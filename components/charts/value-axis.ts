/** The value axis of a chart. */
export interface ValueAxis {
  from: number;
  to: number;
  /** Round values from one end to the other, in ascending order. */
  ticks: number[];
  /** Whether it begins above zero. */
  cut: boolean;
}

export interface AxisRules {
  /** The largest possible value: 1 for a ratio. */
  most?: number;
  /** Integers only. */
  whole?: boolean;
  /** In which the ticks are round: 1024 for bytes, otherwise 1000. */
  thousand?: number;
}

export const NUMBERS: AxisRules = {};
export const RATIO: AxisRules = { most: 1 };
export const WHOLE: AxisRules = { whole: true };
export const BYTES: AxisRules = { thousand: 1024 };

/** Values that differ by less, relative to the largest, are drawn as nearly level: noise must not look like change. */
const MIN_SPREAD = 0.04;
/** The axis begins at zero where the smallest value is below this share of the largest. */
const CUT_ABOVE = 0.5;
const INTERVALS = 4;
/** Less is drawn as zero. */
const SMALLEST = 1e-9;
const ROUND = [1, 2, 2.5, 5, 10];

/** The smallest round number not below `step`. */
const roundStep = (step: number, whole: boolean): number => {
  const power = 10 ** Math.floor(Math.log10(step));
  const found = ROUND.map((factor) => factor * power).find((candidate) => candidate >= step * (1 - 1e-9))!;
  return whole ? Math.max(1, Math.ceil(found)) : found;
};

/** Without the noise of binary fractions. */
const exact = (value: number): number => Number(value.toPrecision(12));

/** The span of values that are not negative, with round ends: from zero, unless all of them are far above it. */
export const valueAxis = (values: readonly number[], rules: AxisRules = NUMBERS): ValueAxis => {
  const { most = Number.POSITIVE_INFINITY, whole = false, thousand = 1000 } = rules;
  const [low, high] = values.reduce(
    ([least, largest], value) => [Math.min(least, value), Math.max(largest, value)],
    [Number.POSITIVE_INFINITY, 0],
  );
  if (high < SMALLEST) return { from: 0, to: 1, ticks: [0, 1], cut: false };
  const unit = thousand ** Math.max(0, Math.floor(Math.log(high) / Math.log(thousand)));
  const spread = Math.max(high - low, MIN_SPREAD * high);
  const middle = (low + high) / 2;
  const start = low > CUT_ABOVE * high ? middle - spread * 0.6 : 0;
  const end = start > 0 ? Math.min(most, middle + spread * 0.6) : high;
  const step = roundStep((end - start) / INTERVALS / unit, whole && unit === 1) * unit;
  const first = Math.floor(start / step + 1e-9);
  const last = Math.ceil(end / step - 1e-9);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => exact((first + i) * step)).filter(
    (tick) => tick <= most,
  );
  const to = last * step > most ? most : ticks.at(-1)!;
  return { from: ticks[0]!, to, ticks, cut: ticks[0]! > 0 };
};
