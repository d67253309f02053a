/** Length and step of each range. Longer ranges have coarser steps, so there are never more points than pixels. */
export const RANGES = {
  '1h': { spanMs: 3_600_000, stepSeconds: 10, refetchMs: 10_000 },
  '24h': { spanMs: 86_400_000, stepSeconds: 60, refetchMs: 60_000 },
  '7d': { spanMs: 7 * 86_400_000, stepSeconds: 600, refetchMs: 300_000 },
  '30d': { spanMs: 30 * 86_400_000, stepSeconds: 3600, refetchMs: 600_000 },
} as const;

export type RangeId = keyof typeof RANGES;

export const RANGE_IDS = Object.keys(RANGES) as RangeId[];

export const rangeOf = (text: string): RangeId => (text in RANGES ? (text as RangeId) : '1h');

/** A range up to now, or a custom one in ISO times. */
export type Period = RangeId | { from: string; to: string };

/** A period in the URL: `range=custom&from=…&to=…`. */
export interface PeriodFields {
  range: string;
  from: string;
  to: string;
}

export const isCustom = (period: Period): period is { from: string; to: string } =>
  typeof period === 'object';

/** The period in a URL; the last hour where it is invalid. */
export const periodOf = ({ range, from, to }: PeriodFields): Period => {
  const readable = range === 'custom' && Date.parse(from) < Date.parse(to);
  return readable ? { from, to } : rangeOf(range);
};

export interface TimeSpan {
  /** Epoch ms. */
  from: number;
  to: number;
  stepSeconds: number;
}

/** Steps in seconds, each a multiple of the previous ones: those of the history, and coarser ones. */
const STEPS = [10, 60, 600, 3600, 14_400, 86_400];

const MAX_POINTS = 1440;

/** The finest step that divides `seconds` into at most `most` points. */
export const stepFor = (seconds: number, most: number): number =>
  STEPS.find((step) => seconds / step <= most) ?? STEPS.at(-1)!;

/** A period at the time `now`, in epoch ms. */
export const timeSpanOf = (period: Period, now: number): TimeSpan => {
  if (!isCustom(period)) {
    const { spanMs, stepSeconds } = RANGES[period];
    return { from: now - spanMs, to: now, stepSeconds };
  }
  const [from, to] = [Date.parse(period.from), Date.parse(period.to)];
  return { from, to, stepSeconds: stepFor((to - from) / 1000, MAX_POINTS) };
};

/** How often a period is refetched, ms; custom periods are not. */
export const refetchOf = (period: Period): number | false =>
  isCustom(period) ? false : RANGES[period].refetchMs;
