import 'server-only';
import { Problem } from '@/lib/errors';
import type { Store } from '@/lib/redis/store';
import { iso, SECOND } from '@/lib/time';
import { type Bucket, group, toPoint } from './bucket';
import { readHistoryEvents } from './events';
import { type LiveRow, liveHub, readLive } from './live';
import type { HistoryEvent, Point } from './schema';
import { RESOLUTIONS, type Resolution, readBuckets } from './store';

const LIVE_MS = 15 * 60 * SECOND;

const liveBuckets = async (store: Store, connection: string, from: number, to: number): Promise<Bucket[]> =>
  (await readLive(store, connection, from)).flatMap(({ sample }) =>
    'bucket' in sample && sample.bucket.at <= to ? [sample.bucket] : [],
  );

/** The coarsest resolution that is fine enough for the step, or coarser where only that reaches back to `from`. */
const resolutionFor = (stepMs: number, from: number, now: number): Resolution => {
  const fine = [...RESOLUTIONS].reverse().find((r) => r.stepMs <= stepMs) ?? RESOLUTIONS[0];
  const index = RESOLUTIONS.indexOf(fine);
  return RESOLUTIONS.slice(index).find((r) => from >= now - r.keptMs) ?? RESOLUTIONS[RESOLUTIONS.length - 1]!;
};

/**
 * History in steps of at least `stepMs`. The newest time, not yet rolled up, comes from the finer resolutions.
 * `stepSeconds` is the step in use: coarser than asked where the finer history is no longer kept.
 */
export const readSeries = async (
  store: Store,
  connection: string,
  range: { from: number; to: number; stepMs: number },
  now: number,
): Promise<{ points: Point[]; events: HistoryEvent[]; stepSeconds: number }> => {
  const { from, to } = range;
  const events = await readHistoryEvents(store, connection, from, to);
  if (range.stepMs < RESOLUTIONS[0].stepMs && from >= now - LIVE_MS) {
    const points = group(await liveBuckets(store, connection, from, to), range.stepMs).map(toPoint);
    return { points, events, stepSeconds: range.stepMs / SECOND };
  }
  const resolution = resolutionFor(range.stepMs, from, now);
  // A whole multiple: otherwise one step would hold two spans and the next one.
  const stepMs = Math.ceil(range.stepMs / resolution.stepMs) * resolution.stepMs;
  const buckets: Bucket[] = [];
  let since = from;
  for (let i = RESOLUTIONS.indexOf(resolution); i >= 0; i--) {
    const level = RESOLUTIONS[i]!;
    const found = await readBuckets(store, connection, level, since, to);
    buckets.push(...found);
    const newest = found[found.length - 1];
    if (newest) since = newest.at + level.stepMs;
  }
  return { points: group(buckets, stepMs).map(toPoint), events, stepSeconds: stepMs / SECOND };
};

interface Sink {
  send(event: 'point' | 'gap', data: unknown, id?: string): void;
  signal: AbortSignal;
  lastEventId: string | null;
}

const sendRow = (sink: Sink, row: LiveRow): void => {
  if ('gap' in row.sample) sink.send('gap', { reason: row.sample.gap, at: iso(row.sample.at) }, row.id);
  else sink.send('point', toPoint(row.sample.bucket), row.id);
};

/** Passes each row on once, in order, from several sources that overlap. */
const inOrder = (sink: Sink, after: string | null): ((row: LiveRow) => void) => {
  let last = after;
  return (row) => {
    if (last !== null && !isAfter(row.id, last)) return;
    last = row.id;
    sendRow(sink, row);
  };
};

/** `ms-seq` in the order of the stream. */
const isAfter = (id: string, other: string): boolean => {
  const [ms, seq] = id.split('-').map(Number) as [number, number];
  const [otherMs, otherSeq] = other.split('-').map(Number) as [number, number];
  return ms > otherMs || (ms === otherMs && seq > otherSeq);
};

/** The live points of a connection until the listener goes; what it missed since its last event comes first. */
export const streamLive = async (store: Store, connection: string, sink: Sink): Promise<void> => {
  const after = sink.lastEventId;
  if (after !== null && !/^\d{1,15}-\d{1,10}$/.test(after))
    throw new Problem('bad_input', 'Last-Event-ID is not one of this stream.');
  const pass = inOrder(sink, after);
  // Listened to before the past is read, and kept until it is: nothing falls between the two.
  let early: LiveRow[] | null = [];
  let lost = false;
  const stop = liveHub(store).subscribe(
    connection,
    (row) => {
      if ('lost' in row) {
        if (!lost) sink.send('gap', { reason: "the console's store cannot be reached", at: iso(Date.now()) });
        lost = true;
        return;
      }
      lost = false;
      if (early) early.push(row);
      else pass(row);
    },
    after,
  );
  try {
    for (const row of after === null ? [] : await readLive(store, connection, after)) pass(row);
    for (const row of early) pass(row);
    early = null;
    await aborted(sink.signal);
  } finally {
    stop();
  }
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
