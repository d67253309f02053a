import 'server-only';
import { type Bucket, joinBuckets, toPoint } from '@/lib/history/bucket';
import { type LiveSample, newestLive, readLive } from '@/lib/history/points';
import { serverHistory } from '@/lib/history/server-history';
import { readSteps } from '@/lib/history/spans';
import { readableRate } from '@/lib/hit-rates/rate';
import { MINUTE, SECOND } from '@/lib/time';
import type { Figure, FigureContext, FigureDefinition, FigureSource } from './figure';

/** An older sample says nothing about now. */
const MAX_AGE_MS = 10 * SECOND;

type Measured = Extract<LiveSample, { bucket: Bucket }>;

/** What is read of the newest sample, and of the last minute. */
interface Seen {
  newest: Measured;
  minute: ReturnType<typeof toPoint>;
}

type Minute = Seen['minute'];

interface Instance extends FigureDefinition {
  of: (seen: Seen) => number | null;
  /** The same of a stored point; without it no history of the figure is kept. `memory` is the present limit in bytes. */
  past?: (point: Minute, memory: number) => number | null;
}

const figure = (
  name: string,
  unit: FigureDefinition['unit'],
  help: string,
  of: Instance['of'],
  past?: Instance['past'],
): Instance => ({
  name: `keyward_redis_${name}`,
  unit,
  help,
  of,
  ...(past && { past }),
  labels: [],
  permission: 'view',
});

/** A figure of the last minute. */
const ofMinute = (
  name: string,
  unit: FigureDefinition['unit'],
  help: string,
  past: (minute: Minute) => number | null,
): Instance => figure(name, unit, help, ({ minute }) => past(minute), past);

const seconds = ({ latencyMs }: Pick<Bucket, 'latencyMs'>): number | null =>
  latencyMs === null ? null : latencyMs / SECOND;

const UP = { name: 'keyward_redis_up', help: 'Whether this Redis answered the last sample: 1 or 0.' };

const INSTANCE: readonly Instance[] = [
  ofMinute(
    'operations_per_second',
    'perSecond',
    'Commands per second in the last minute.',
    (minute) => minute.opsPerSecond,
  ),
  ofMinute(
    'hit_ratio',
    'ratio',
    'Hits of all look-ups in the last minute, without those of Keyward; absent for fewer than 20.',
    (minute) => readableRate(minute.hits, minute.misses),
  ),
  figure(
    'memory_used_bytes',
    'bytes',
    'Memory the server uses.',
    ({ newest }) => newest.bucket.usedMemoryBytes,
    ({ usedMemoryBytes }) => usedMemoryBytes,
  ),
  figure(
    'memory_max_bytes',
    'bytes',
    'The memory limit; absent without one.',
    ({ newest }) => newest.figures.maxMemoryBytes || null,
  ),
  figure(
    'memory_used_ratio',
    'ratio',
    'Used memory of the limit; absent without one.',
    ({ newest: { bucket, figures } }) =>
      figures.maxMemoryBytes > 0 ? bucket.usedMemoryBytes / figures.maxMemoryBytes : null,
    ({ usedMemoryBytes }, memory) => (memory > 0 ? usedMemoryBytes / memory : null),
  ),
  figure('keys', 'count', 'Keys in the database of the connection.', ({ newest }) => newest.figures.keys),
  figure('keys_with_ttl', 'count', 'Keys that expire.', ({ newest }) => newest.figures.keysWithTtl),
  figure(
    'connected_clients',
    'count',
    'Clients connected to the server.',
    ({ newest }) => newest.bucket.connectedClients,
    ({ connectedClients }) => connectedClients,
  ),
  ofMinute(
    'evicted_keys_per_second',
    'perSecond',
    'Keys evicted per second in the last minute.',
    (minute) => minute.evictedPerSecond,
  ),
  ofMinute(
    'expired_keys_per_second',
    'perSecond',
    'Keys expired per second in the last minute.',
    (minute) => minute.expiredPerSecond,
  ),
  ofMinute(
    'network_input_bytes_per_second',
    'perSecond',
    'Bytes received per second in the last minute.',
    (minute) => minute.netInBytesPerSecond,
  ),
  ofMinute(
    'network_output_bytes_per_second',
    'perSecond',
    'Bytes sent per second in the last minute.',
    (minute) => minute.netOutBytesPerSecond,
  ),
  figure(
    'latency_seconds',
    'seconds',
    'Round trip of the last sample.',
    ({ newest }) => seconds(newest.bucket),
    seconds,
  ),
];

const isMeasured = (sample: LiveSample): sample is Measured => 'bucket' in sample;

const timeOf = (sample: LiveSample): number =>
  isMeasured(sample) ? sample.bucket.at + sample.bucket.observedMs : sample.at;

/** A server that refuses INFO answers nevertheless. */
const isDown = (sample: LiveSample): boolean => 'gap' in sample && !sample.notPermitted;

/** Whether the newest sample says that the Redis is unreachable, or is too old to say anything. */
export const isKnownDown = async ({ store, connection, now }: FigureContext): Promise<boolean> => {
  const newest = (await newestLive(store, connection.config.id))?.sample;
  return newest !== undefined && (isDown(newest) || now - timeOf(newest) > MAX_AGE_MS);
};

/** Figures of the server itself, from the samples of the last minute. */
export const instanceFigures: FigureSource = {
  alsoWhenDown: true,
  definitions: [
    { ...UP, unit: 'count', labels: [], permission: 'view' },
    ...INSTANCE.map(({ of: _, past: __, ...definition }) => definition),
  ],
  read: async ({ store, connection, now }) => {
    const samples = (await readLive(store, connection.config.id, now - MINUTE)).map(({ sample }) => sample);
    const newest = samples.at(-1);
    if (!newest || now - timeOf(newest) > MAX_AGE_MS) return [];
    const at = timeOf(newest);
    const up: Figure = { name: UP.name, labels: {}, value: isDown(newest) ? 0 : 1, at };
    if (!isMeasured(newest)) return [up];
    const minute = toPoint(
      samples
        .filter(isMeasured)
        .map(({ bucket }) => bucket)
        .reduce(joinBuckets),
    );
    const measured = INSTANCE.flatMap(({ name, of }) => {
      const value = of({ newest, minute });
      return value === null ? [] : [{ name, labels: {}, value, at }];
    });
    return [up, ...measured];
  },
};

/** A value of a figure, and when it began to be so; epoch ms. */
export interface PastValue {
  at: number;
  value: number;
}

/** The values of a figure of the server in stored steps of a minute or more; null where no history of it is kept. */
export const readPast = async (
  { store, connection, now }: FigureContext,
  metric: string,
  { from, to }: { from: number; to: number },
): Promise<{ stepMs: number; values: PastValue[] } | null> => {
  const past = INSTANCE.find(({ name }) => name === metric)?.past;
  if (!past) return null;
  const { id } = connection.config;
  const [{ spans, stepMs }, live] = await Promise.all([
    readSteps(serverHistory, store, id, { from, to, stepMs: MINUTE, now }),
    newestLive(store, id),
  ]);
  const memory = live && isMeasured(live.sample) ? live.sample.figures.maxMemoryBytes : 0;
  const values = spans.flatMap((span) => {
    const value = past(toPoint(span), memory);
    return value === null ? [] : [{ at: span.at, value }];
  });
  return { stepMs, values };
};
