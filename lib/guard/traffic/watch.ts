import 'server-only';
import { z } from 'zod';
import { SECOND } from '@/lib/time';

/** The current period's map as it was at one moment: epoch ms, and the heaviest fields as member id and requests. */
const sampleSchema = z.object({
  at: z.number(),
  total: z.number(),
  fields: z.number(),
  top: z.array(z.tuple([z.string(), z.number()])),
});
export type Sample = z.output<typeof sampleSchema>;

/** A period that is over, as last seen before its end. */
export const periodSchema = sampleSchema.extend({ endedAt: z.number() });
export type Period = z.output<typeof periodSchema>;

/** What is known of the present period, and of when periods ended. */
export const watchSchema = z.object({
  /** When the first sample was taken. */
  since: z.number(),
  /** When the map was seen deleted, oldest first. Collectors that share a Redis each delete it in their own time. */
  resets: z.array(z.number()),
  /** Of the present period, oldest first. */
  samples: z.array(sampleSchema),
});
export type Watch = z.output<typeof watchSchema>;

const MAX_RESETS = 8;
const MAX_SAMPLES = 6;
/** How much later than expected a deletion may be seen. */
const LATE_MS = 3 * SECOND;

const countOf = (sample: Sample, id: string): number | null =>
  sample.top.find(([each]) => each === id)?.[1] ?? (isWhole(sample) ? 0 : null);

/** Whether the sample's top is all there was. */
const isWhole = ({ top, fields }: Sample): boolean => top.length >= fields;

/** Counters only grow: what became less was deleted in between. */
const wasDeleted = (before: Sample, after: Sample): boolean => {
  if (after.total < before.total || after.fields < before.fields) return true;
  const now = new Map(after.top);
  const whole = isWhole(after);
  return before.top.some(([id, requests]) => (now.get(id) ?? (whole ? 0 : requests)) < requests);
};

/**
 * When the map is to be deleted after what was seen until `now`: this may have passed a moment ago and not be seen yet.
 * Null where it is not known. Quiet periods are not seen to end.
 */
export const expectedReset = (watch: Watch, periodMs: number, now: number): number | null => {
  const last = watch.resets.at(-1);
  if (last === undefined) return null;
  const due = watch.resets.map((reset) => reset + periodMs).filter((at) => at + LATE_MS > now);
  if (due.length > 0) return Math.min(...due);
  const quiet = (watch.samples.at(-1)?.fields ?? 0) === 0;
  return quiet ? last + Math.ceil((now - last) / periodMs) * periodMs : null;
};

/** When the map is next deleted, always to come; null where it is not known. */
export const nextReset = (watch: Watch, periodMs: number, now: number): number | null => {
  const expected = expectedReset(watch, periodMs, now);
  if (expected === null || expected > now) return expected;
  const others = watch.resets.map((reset) => reset + periodMs).filter((at) => at > now);
  return Math.min(expected + periodMs, ...others);
};

/** Adds a sample; where the map was deleted since the one before, the period that ended comes out. */
export const observe = (
  watch: Watch | null,
  sample: Sample,
  periodMs: number,
): { watch: Watch; ended: Period | null } => {
  const before = watch?.samples.at(-1);
  if (!watch || !before) {
    const { since, resets } = watch ?? { since: sample.at, resets: [] };
    return { watch: { since, resets, samples: [sample] }, ended: null };
  }
  if (!wasDeleted(before, sample))
    return { watch: { ...watch, samples: [...watch.samples, sample].slice(-MAX_SAMPLES) }, ended: null };
  // Somewhere between the two: where it was expected, if that is between them.
  const expected = expectedReset(watch, periodMs, before.at) ?? (before.at + sample.at) / 2;
  const endedAt = Math.round(Math.min(Math.max(expected, before.at), sample.at));
  const resets = [...watch.resets, endedAt].slice(-MAX_RESETS);
  return { watch: { ...watch, resets, samples: [sample] }, ended: { ...before, endedAt } };
};

const RATE_OVER_MS = 10 * SECOND;
const MIN_SPAN_MS = SECOND;

/**
 * Requests a second of one field, by what it has at `at` against the oldest sample of the same period within ten
 * seconds, or against the period's beginning. Null where neither can tell.
 */
export const rateOf = (
  { samples, resets }: Watch,
  id: string,
  { requests, at }: { requests: number; at: number },
): number | null => {
  const first = samples[0];
  if (!first || at < first.at) return null;
  // Less than before: this was read in a period the samples do not know yet.
  if (samples.some((sample) => (countOf(sample, id) ?? 0) > requests)) return null;
  const recent = samples.filter((sample) => at - sample.at <= RATE_OVER_MS && at - sample.at >= MIN_SPAN_MS);
  for (const sample of recent) {
    const earlier = countOf(sample, id);
    if (earlier !== null) return ((requests - earlier) * SECOND) / (at - sample.at);
  }
  const began = resets.at(-1);
  if (began === undefined || first.at - began > LATE_MS || at - began < MIN_SPAN_MS) return null;
  return at - began <= RATE_OVER_MS ? (requests * SECOND) / (at - began) : null;
};

/**
 * Seconds until a field crosses the threshold at this rate; null where it does not before `endsAt`. Where the period's
 * end is not known (null) the counts go on growing as far as anybody can tell.
 */
export const crossesIn = (
  { requests, ratePerSecond }: { requests: number; ratePerSecond: number | null },
  threshold: number,
  { at, endsAt }: { at: number; endsAt: number | null },
): number | null => {
  if (requests >= threshold || ratePerSecond === null || ratePerSecond <= 0) return null;
  const seconds = (threshold - requests) / ratePerSecond;
  return endsAt === null || at + seconds * SECOND < endsAt ? seconds : null;
};
