import 'server-only';
import type { z } from 'zod';
import type { Store } from '@/lib/redis/store';
import { DAY, HOUR, MINUTE, SECOND } from '@/lib/time';
import { appendTimed, groupTimed, newestTime, readTimed, type Timed } from './timed-stream';

/** Resolutions of the history, finest first. */
export const RESOLUTIONS = [
  { name: '10s', stepMs: 10 * SECOND, keptMs: DAY },
  { name: '1m', stepMs: MINUTE, keptMs: 7 * DAY },
  { name: '1h', stepMs: HOUR, keptMs: 365 * DAY },
] as const;

export type Resolution = (typeof RESOLUTIONS)[number];

/** One kind of history: the schema of its spans, where they are stored and how they are joined. `at`: start, epoch ms. */
export interface History<S extends Timed> {
  key(connection: string, resolution: string): Buffer;
  /** A span without its start. */
  kept: z.ZodType<Omit<S, 'at'>>;
  join(before: S, next: S): S;
}

/** Writes a finished span. A span that is not newer than the last one is ignored. */
export const writeSpan = <S extends Timed>(
  history: History<S>,
  store: Store,
  connection: string,
  { resolution, span: { at, ...kept } }: { resolution: Resolution; span: S },
): Promise<void> =>
  appendTimed(store, history.key(connection, resolution.name), {
    at,
    kept,
    trim: ['MINID', at - resolution.keptMs],
  });

/** Spans that start in [from, to], both epoch ms. */
export const readSpans = <S extends Timed>(
  history: History<S>,
  store: Store,
  connection: string,
  { resolution, ...range }: { resolution: Resolution; from: number; to: number },
): Promise<S[]> =>
  readTimed(store, history.key(connection, resolution.name), history.kept, range) as Promise<S[]>;

/**
 * Writes the completed steps of the coarser resolutions from the stored finer ones, so neither a restart nor a change of
 * leader loses a step.
 */
export const rollUpSpans = async <S extends Timed>(
  history: History<S>,
  store: Store,
  connection: string,
  now: number,
): Promise<void> => {
  for (let i = 1; i < RESOLUTIONS.length; i++) {
    const [finer, coarser] = [RESOLUTIONS[i - 1]!, RESOLUTIONS[i]!];
    const over = Math.floor(now / coarser.stepMs) * coarser.stepMs;
    const newest = await newestTime(store, history.key(connection, coarser.name));
    const from = newest === null ? now - finer.keptMs : newest + coarser.stepMs;
    if (from >= over) continue;
    const spans = await readSpans(history, store, connection, { resolution: finer, from, to: over - 1 });
    for (const span of groupTimed(spans, coarser.stepMs, history.join))
      await writeSpan(history, store, connection, { resolution: coarser, span });
  }
};

/** The coarsest resolution that fits the step, or a coarser one where only that one reaches back to `from`. */
const resolutionFor = (stepMs: number, from: number, now: number): Resolution => {
  const fine = [...RESOLUTIONS].reverse().find((r) => r.stepMs <= stepMs) ?? RESOLUTIONS[0];
  const index = RESOLUTIONS.indexOf(fine);
  return RESOLUTIONS.slice(index).find((r) => from >= now - r.keptMs) ?? RESOLUTIONS[RESOLUTIONS.length - 1]!;
};

/**
 * History in steps of at least `stepMs`; coarser where finer history is no longer stored. The newest part, not yet rolled
 * up, comes from the finer resolutions.
 */
export const readSteps = async <S extends Timed>(
  history: History<S>,
  store: Store,
  connection: string,
  { from, to, stepMs: wanted, now }: { from: number; to: number; stepMs: number; now: number },
): Promise<{ spans: S[]; stepMs: number }> => {
  const resolution = resolutionFor(wanted, from, now);
  // A multiple of the resolution, so that every step covers the same number of spans.
  const stepMs = Math.ceil(wanted / resolution.stepMs) * resolution.stepMs;
  const spans: S[] = [];
  let since = from;
  for (let i = RESOLUTIONS.indexOf(resolution); i >= 0; i--) {
    const level = RESOLUTIONS[i]!;
    const read = await readSpans(history, store, connection, { resolution: level, from: since, to });
    spans.push(...read);
    const newest = read[read.length - 1];
    if (newest) since = newest.at + level.stepMs;
  }
  return { spans: groupTimed(spans, stepMs, history.join), stepMs };
};
