import 'server-only';
import type { z } from 'zod';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DAY, HOUR, MINUTE, SECOND } from '@/lib/time';

/** How history is kept (issue: 10 s for 24 h, 1 min for 7 d, 1 h for 1 year), finest first. */
export const RESOLUTIONS = [
  { name: '10s', stepMs: 10 * SECOND, keptMs: DAY },
  { name: '1m', stepMs: MINUTE, keptMs: 7 * DAY },
  { name: '1h', stepMs: HOUR, keptMs: 365 * DAY },
] as const;

export type Resolution = (typeof RESOLUTIONS)[number];

/** One kind of history: what a span of it is, where it is kept, and how spans join. `at`: a span's start, epoch ms. */
export interface History<S extends { at: number }> {
  key(connection: string, resolution: string): Buffer;
  /** A span as it is kept: its start is the entry's id. */
  kept: z.ZodType<Omit<S, 'at'>>;
  /** Spans grouped into steps that start at whole multiples of `stepMs`. A step nobody observed is absent. */
  group(spans: readonly S[], stepMs: number): S[];
}

type StreamRows = [id: string, fields: string[]][];

const timeOf = (streamId: string): number => Number(streamId.split('-')[0]);

/** Writes a finished span. Writing one twice, or an older one, is ignored: streams only grow. */
export const writeSpan = <S extends { at: number }>(
  history: History<S>,
  store: Store,
  connection: string,
  { resolution, span }: { resolution: Resolution; span: S },
): Promise<void> =>
  store.use(async (redis) => {
    const { at, ...rest } = span;
    const key = history.key(connection, resolution.name);
    const floor = at - resolution.keptMs;
    await redis.xadd(key, 'MINID', '~', floor, `${at}-0`, 'b', JSON.stringify(rest)).catch((error: Error) => {
      if (!error.message.includes('equal or smaller')) throw error;
    });
  });

/** Spans that start in [from, to], both epoch ms. */
export const readSpans = <S extends { at: number }>(
  history: History<S>,
  store: Store,
  connection: string,
  { resolution, from, to }: { resolution: Resolution; from: number; to: number },
): Promise<S[]> =>
  store.use(async (redis) => {
    const key = history.key(connection, resolution.name);
    const rows = (await redis.xrange(key, Math.max(0, from), Math.max(0, to))) as StreamRows;
    return rows.flatMap(([id, fields]) => {
      const span = parseStored(history.kept, fields[1]);
      return span ? [{ ...span, at: timeOf(id) } as S] : [];
    });
  });

/** The start of the newest span of a resolution, epoch ms; null when there is none. */
const newestSpan = <S extends { at: number }>(
  history: History<S>,
  store: Store,
  connection: string,
  resolution: Resolution,
): Promise<number | null> =>
  store.use(async (redis) => {
    const key = history.key(connection, resolution.name);
    const rows = (await redis.xrevrange(key, '+', '-', 'COUNT', 1)) as StreamRows;
    return rows[0] ? timeOf(rows[0][0]) : null;
  });

/**
 * Fills the coarser resolutions from the finer: every step that is over and not yet written. Done from what is
 * stored, so neither a restart nor a change of leader loses the step it fell into.
 */
export const rollUpSpans = async <S extends { at: number }>(
  history: History<S>,
  store: Store,
  connection: string,
  now: number,
): Promise<void> => {
  for (let i = 1; i < RESOLUTIONS.length; i++) {
    const [finer, coarser] = [RESOLUTIONS[i - 1]!, RESOLUTIONS[i]!];
    const over = Math.floor(now / coarser.stepMs) * coarser.stepMs;
    const newest = await newestSpan(history, store, connection, coarser);
    const from = newest === null ? now - finer.keptMs : newest + coarser.stepMs;
    if (from >= over) continue;
    const spans = await readSpans(history, store, connection, { resolution: finer, from, to: over - 1 });
    for (const span of history.group(spans, coarser.stepMs))
      await writeSpan(history, store, connection, { resolution: coarser, span });
  }
};

/** The coarsest resolution that is fine enough for the step, or coarser where only that reaches back to `from`. */
const resolutionFor = (stepMs: number, from: number, now: number): Resolution => {
  const fine = [...RESOLUTIONS].reverse().find((r) => r.stepMs <= stepMs) ?? RESOLUTIONS[0];
  const index = RESOLUTIONS.indexOf(fine);
  return RESOLUTIONS.slice(index).find((r) => from >= now - r.keptMs) ?? RESOLUTIONS[RESOLUTIONS.length - 1]!;
};

/**
 * History in steps of at least `stepMs`; the step in use is coarser where the finer history is no longer kept. The
 * newest time, not yet rolled up, comes from the finer resolutions.
 */
export const readSteps = async <S extends { at: number }>(
  history: History<S>,
  store: Store,
  connection: string,
  { from, to, stepMs: wanted, now }: { from: number; to: number; stepMs: number; now: number },
): Promise<{ spans: S[]; stepMs: number }> => {
  const resolution = resolutionFor(wanted, from, now);
  // A whole multiple: otherwise one step would hold two spans and the next one.
  const stepMs = Math.ceil(wanted / resolution.stepMs) * resolution.stepMs;
  const spans: S[] = [];
  let since = from;
  for (let i = RESOLUTIONS.indexOf(resolution); i >= 0; i--) {
    const level = RESOLUTIONS[i]!;
    const found = await readSpans(history, store, connection, { resolution: level, from: since, to });
    spans.push(...found);
    const newest = found[found.length - 1];
    if (newest) since = newest.at + level.stepMs;
  }
  return { spans: history.group(spans, stepMs), stepMs };
};
