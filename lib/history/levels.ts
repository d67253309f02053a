import 'server-only';
import type { Store } from '@/lib/redis/store';
import { iso, SECOND } from '@/lib/time';
import type { Span } from './schema';
import { type History, RESOLUTIONS, readSpans, readSteps, rollUpSpans, writeSpan } from './spans';
import { groupTimed, type Timed } from './timed-stream';

/** History of levels rather than counts: a step has the values of its last sample. */
export const levelHistory = <S extends Timed>({
  key,
  kept,
}: Pick<History<S>, 'key' | 'kept'>): History<S> => ({
  key,
  kept,
  join: (before, next) => ({ ...next, at: before.at }),
});

const FINEST = RESOLUTIONS[0];

/** How often levels can be recorded, ms. */
export const LEVELS_EVERY_MS = FINEST.stepMs;

/** Records one sample; a second one in the same step is ignored. */
export const recordLevels = async <S extends Timed>(
  history: History<S>,
  store: Store,
  connection: string,
  levels: S,
): Promise<void> => {
  const [span] = groupTimed([levels], FINEST.stepMs, history.join);
  await writeSpan(history, store, connection, { resolution: FINEST, span: span! });
  await rollUpSpans(history, store, connection, levels.at);
};

/** The newest sample that is at most `maxAgeMs` old, by the start of its step; null without one. */
export const newestLevels = async <S extends Timed>(
  history: History<S>,
  store: Store,
  connection: string,
  { now, maxAgeMs }: { now: number; maxAgeMs: number },
): Promise<S | null> => {
  const range = { resolution: FINEST, from: now - maxAgeMs, to: now };
  return (await readSpans(history, store, connection, range)).at(-1) ?? null;
};

/** The points of a range (`spanInput`). A step without a sample has no point. */
export const readLevels = async <S extends Timed>(
  history: History<S>,
  store: Store,
  connection: string,
  { from, to, stepSeconds, now }: Span & { now: number },
): Promise<{ points: (Omit<S, 'at'> & { at: string })[]; stepSeconds: number }> => {
  const range = { from: Date.parse(from), to: Date.parse(to), stepMs: stepSeconds * SECOND, now };
  const { spans, stepMs } = await readSteps(history, store, connection, range);
  return { points: spans.map((span) => ({ ...span, at: iso(span.at) })), stepSeconds: stepMs / SECOND };
};
