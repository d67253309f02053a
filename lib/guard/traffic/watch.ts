import 'server-only';
import { z } from 'zod';
import { SECOND } from '@/lib/time';

/** One sample of the current period's map: `at` in epoch ms, `top` as member id and requests. */
const sampleSchema = z.object({
  at: z.number(),
  total: z.number(),
  fields: z.number(),
  top: z.array(z.tuple([z.string(), z.number()])),
});
export type Sample = z.output<typeof sampleSchema>;

/** A finished period: its last sample, and its end in epoch ms. */
export const periodSchema = sampleSchema.extend({ endedAt: z.number() });
export type Period = z.output<typeof periodSchema>;

/** Samples of the current period, and when earlier periods ended. */
export const watchSchema = z.object({
  /** When the first sample was taken. */
  since: z.number(),
  /** When deletions of the map were observed, oldest first. Collectors that share a Redis delete it independently. */
  resets: z.array(z.number()),
  /** Samples of the current period, oldest first. */
  samples: z.array(sampleSchema),
});
export type Watch = z.output<typeof watchSchema>;

const MAX_RESETS = 8;
const MAX_SAMPLES = 6;
/** How late an expected deletion may be observed. */
const MAX_DELAY_MS = 3 * SECOND;

const countOf = (sample: Sample, id: string): number | null =>
  sample.top.find(([each]) => each === id)?.[1] ?? (isComplete(sample) ? 0 : null);

/** Whether the sample has all fields of the map. */
const isComplete = ({ top, fields }: Sample): boolean => top.length >= fields;

/** Counters only grow: if one shrank, the map was deleted in between. */
const wasDeleted = (before: Sample, after: Sample): boolean => {
  if (after.total < before.total || after.fields < before.fields) return true;
  const now = new Map(after.top);
  const complete = isComplete(after);
  return before.top.some(([id, requests]) => (now.get(id) ?? (complete ? 0 : requests)) < requests);
};

/**
 * When the map is deleted next, by the deletions observed until `now`; this may be a moment ago and not observed yet.
 * Null where unknown. The end of a period without requests cannot be observed.
 */
export const expectedReset = (watch: Watch, periodMs: number, now: number): number | null => {
  const last = watch.resets.at(-1);
  if (last === undefined) return null;
  const due = watch.resets.map((reset) => reset + periodMs).filter((at) => at + MAX_DELAY_MS > now);
  if (due.length > 0) return Math.min(...due);
  const quiet = (watch.samples.at(-1)?.fields ?? 0) === 0;
  return quiet ? last + Math.ceil((now - last) / periodMs) * periodMs : null;
};

/** When the map is deleted next, always in the future; null where unknown. */
export const nextReset = (watch: Watch, periodMs: number, now: number): number | null => {
  const expected = expectedReset(watch, periodMs, now);
  if (expected === null || expected > now) return expected;
  const others = watch.resets.map((reset) => reset + periodMs).filter((at) => at > now);
  return Math.min(expected + periodMs, ...others);
};

/** Adds a sample. If the map was deleted since the last one, `ended` is the finished period. */
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
  // It ended between the two samples: at the expected time if that lies between them.
  const expected = expectedReset(watch, periodMs, before.at) ?? (before.at + sample.at) / 2;
  const endedAt = Math.round(Math.min(Math.max(expected, before.at), sample.at));
  const resets = [...watch.resets, endedAt].slice(-MAX_RESETS);
  return { watch: { ...watch, resets, samples: [sample] }, ended: { ...before, endedAt } };
};

const RATE_WINDOW_MS = 10 * SECOND;
const MIN_SPAN_MS = SECOND;

/**
 * Requests per second of one field: from `at` back to the oldest sample of this period within ten seconds, or to the
 * beginning of the period. Null where neither is known.
 */
export const rateOf = (
  { samples, resets }: Watch,
  id: string,
  { requests, at }: { requests: number; at: number },
): number | null => {
  const first = samples[0];
  if (!first || at < first.at) return null;
  // Fewer than in a sample: a new period has begun that is not sampled yet.
  if (samples.some((sample) => (countOf(sample, id) ?? 0) > requests)) return null;
  const recent = samples.filter(
    (sample) => at - sample.at <= RATE_WINDOW_MS && at - sample.at >= MIN_SPAN_MS,
  );
  for (const sample of recent) {
    const earlier = countOf(sample, id);
    if (earlier !== null) return ((requests - earlier) * SECOND) / (at - sample.at);
  }
  const began = resets.at(-1);
  if (began === undefined || first.at - began > MAX_DELAY_MS || at - began < MIN_SPAN_MS) return null;
  return at - began <= RATE_WINDOW_MS ? (requests * SECOND) / (at - began) : null;
};

/**
 * Seconds until a field crosses the threshold at this rate; null if it does not before `endsAt`. With an unknown end
 * (null) the count is assumed to keep growing.
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
