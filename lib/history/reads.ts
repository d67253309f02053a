import 'server-only';
import { once } from 'node:events';
import { Problem } from '@/lib/errors';
import type { Store } from '@/lib/redis/store';
import { iso, SECOND } from '@/lib/time';
import { type Bucket, group, toPoint } from './bucket';
import { readHistoryEvents } from './events';
import { type LiveRow, liveHub, readLive, readMissedRows } from './points';
import type { HistoryEvent, Point, Span } from './schema';
import { serverHistory } from './server-history';
import { RESOLUTIONS, readSteps } from './spans';

const LIVE_MS = 15 * 60 * SECOND;

const liveBuckets = async (store: Store, connection: string, from: number, to: number): Promise<Bucket[]> =>
  (await readLive(store, connection, from)).flatMap(({ sample }) =>
    'bucket' in sample && sample.bucket.at <= to ? [sample.bucket] : [],
  );

/**
 * History in steps of at least `stepMs`. The newest part, not yet rolled up, comes from the finer resolutions.
 * `stepSeconds` is the step in use: coarser than requested where finer history is no longer stored.
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
  const { spans, stepMs } = await readSteps(serverHistory, store, connection, { ...range, now });
  return { points: spans.map(toPoint), events, stepSeconds: stepMs / SECOND };
};

interface Series {
  points: Point[];
  events: HistoryEvent[];
  stepSeconds: number;
  before: { from: string; to: string; points: Point[]; stepSeconds: number } | null;
}

/** History of a range and, on request, of the preceding period of the same length. */
export const readSeriesWithBefore = async (
  store: Store,
  connection: string,
  { from, to, stepSeconds }: Span,
  { compare, now }: { compare: boolean; now: number },
): Promise<Series> => {
  const [begin, end, stepMs] = [Date.parse(from), Date.parse(to), stepSeconds * SECOND];
  const series = await readSeries(store, connection, { from: begin, to: end, stepMs }, now);
  if (!compare) return { ...series, before: null };
  const earlier = { from: begin - (end - begin), to: begin, stepMs: series.stepSeconds * SECOND };
  // `to` belongs to the next period.
  const previous = await readSeries(store, connection, { ...earlier, to: earlier.to - 1 }, now);
  const before = {
    from: iso(earlier.from),
    to: from,
    points: previous.points,
    stepSeconds: previous.stepSeconds,
  };
  return { ...series, before };
};

interface Sink {
  send(event: 'point' | 'gap', data: unknown, id?: string): void;
  signal: AbortSignal;
  lastEventId: string | null;
}

const sendRow = (sink: Sink, row: LiveRow): void => {
  const { sample } = row;
  if ('gap' in sample) {
    const { gap: reason, at, notPermitted = false } = sample;
    sink.send('gap', { of: 'redis', reason, at: iso(at), notPermitted }, row.id);
  } else sink.send('point', toPoint(sample.bucket), row.id);
};

/** A gap that the sampler did not record: the store was unreachable, or earlier samples are no longer stored. */
const sendGap = (sink: Sink, of: 'store' | 'history', reason: string): void =>
  sink.send('gap', { of, reason, at: iso(Date.now()) });

/** Sends each row once and in order, from overlapping sources. */
const inOrder = (sink: Sink, after: string | null): ((row: LiveRow) => void) => {
  let last = after;
  return (row) => {
    if (last !== null && !isAfter(row.id, last)) return;
    last = row.id;
    sendRow(sink, row);
  };
};

/** Compares stream ids (`ms-seq`). */
const isAfter = (id: string, other: string): boolean => {
  const [ms, seq] = id.split('-').map(Number) as [number, number];
  const [otherMs, otherSeq] = other.split('-').map(Number) as [number, number];
  return ms > otherMs || (ms === otherMs && seq > otherSeq);
};

/** Streams the live points of a connection until the listener disconnects, beginning with those since its last event. */
export const streamLive = async (store: Store, connection: string, sink: Sink): Promise<void> => {
  const after = sink.lastEventId;
  if (after !== null && !/^\d{1,15}-\d{1,10}$/.test(after))
    throw new Problem('bad_input', 'Last-Event-ID is not an id of this stream.');
  // Subscribe first and buffer until the past is read, so that no sample is lost between the two.
  let early: LiveRow[] = [];
  let pass = (row: LiveRow): void => void early.push(row);
  const { started, stop } = liveHub(store).subscribe(connection, (row) => {
    if ('lost' in row) {
      // Repeated at every attempt to reach the store, like the sampler's gaps.
      sendGap(sink, 'store', "the console's store cannot be reached");
      return;
    }
    pass(row);
  });
  try {
    if (after !== null) await Promise.race([started, aborted(sink.signal)]);
    const missed = after === null ? null : await readMissedRows(store, connection, after);
    if (missed?.isComplete === false)
      sendGap(sink, 'history', 'some points since your last event are no longer stored');
    pass = inOrder(sink, missed?.isComplete ? after : null);
    for (const row of [...(missed?.rows ?? []), ...early]) pass(row);
    early = [];
    await aborted(sink.signal);
  } finally {
    stop();
  }
};

const aborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort');
};
