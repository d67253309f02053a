import 'server-only';
import pLimit from 'p-limit';
import { z } from 'zod';
import type { ReadOf } from '@/lib/command/context';
import { findKey } from '@/lib/command/key-ids';
import { readLevels, recordLevels } from '@/lib/history/levels';
import { type History, RESOLUTIONS } from '@/lib/history/spans';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { DAY, SECOND } from '@/lib/time';
import { queueIdOf, queueNamed } from './queue-key';
import type { queueContracts } from './schema';

/** A queue in one span: its length at the end, and what was added and taken in the seconds that were compared. */
const spanSchema = z.object({
  /** Epoch ms. */
  at: z.number(),
  length: z.number(),
  /** 0 where nothing could be compared. */
  seconds: z.number(),
  pushed: z.number(),
  taken: z.number(),
  isAtLeast: z.boolean(),
});
export type QueueSpan = z.output<typeof spanSchema>;

export const joinSpans = (before: QueueSpan, next: QueueSpan): QueueSpan => ({
  at: before.at,
  length: next.length,
  seconds: before.seconds + next.seconds,
  pushed: before.pushed + next.pushed,
  taken: before.taken + next.taken,
  isAtLeast: before.isAtLeast || next.isAtLeast,
});

const keyOf = (connection: string, queue: string, resolution: string): Buffer =>
  consoleFamilies.queueHistory.key({ connection, queue, resolution });

const historyOf = (queue: string): History<QueueSpan> => ({
  key: (connection, resolution) => keyOf(connection, queue, resolution),
  kept: spanSchema.omit({ at: true }),
  join: joinSpans,
});

/** A queue that is no longer sampled is forgotten after this. */
const KEPT_MS = 8 * DAY;
/** Names of queues may be countless: beyond this the histories that ended first are deleted. */
const MAX_HISTORIES = 1000;

const stream = (connection: string, queue: string): Buffer[] =>
  RESOLUTIONS.map(({ name }) => keyOf(connection, queue, name));

/** Histories written side by side. */
const BATCH_SIZE = 25;

const limitHistories = (store: Store, connection: string, queues: readonly string[], at: number) =>
  store.use(async (redis) => {
    const index = consoleFamilies.queueHistories.key({ connection });
    const pipeline = redis.pipeline();
    for (const queue of queues) {
      pipeline.zadd(index, at, queue);
      for (const key of stream(connection, queue)) pipeline.pexpire(key, KEPT_MS);
    }
    pipeline.pexpire(index, KEPT_MS);
    pipeline.zremrangebyscore(index, '-inf', at - KEPT_MS);
    await pipeline.exec();
    const oldest = await redis.zrange(index, '0', `${-1 - MAX_HISTORIES}`);
    if (oldest.length === 0) return;
    await redis.unlink(...oldest.flatMap((queue) => stream(connection, queue)));
    await redis.zrem(index, ...oldest);
  });

/** Records a span of each queue, by its id. */
export const recordQueues = async (
  store: Store,
  connection: string,
  spans: ReadonlyMap<string, QueueSpan>,
  at: number,
): Promise<void> => {
  if (spans.size === 0) return;
  await pLimit(BATCH_SIZE).map(spans, ([queue, span]) =>
    recordLevels(historyOf(queue), store, connection, span),
  );
  await limitHistories(store, connection, [...spans.keys()], at);
};

const MIN_SECONDS = 0.001;

/** A small rate keeps its digits: 0 means that nothing moved. */
const round = (rate: number): number =>
  rate < 1 ? Number(rate.toPrecision(2)) : Math.round(rate * 100) / 100;

/** The rates of a span; null where nothing was compared. */
export const ratesOf = ({ seconds, pushed, taken, isAtLeast }: Omit<QueueSpan, 'at' | 'length'>) => {
  const isKnown = seconds >= MIN_SECONDS;
  return {
    inPerSecond: isKnown ? round(pushed / seconds) : null,
    outPerSecond: isKnown ? round(taken / seconds) : null,
    ratesAreAtLeast: isKnown && isAtLeast,
  };
};

/** queues.series */
export const readQueueSeries: ReadOf<typeof queueContracts.series> = async (ctx, { keyId, ...range }) => {
  const key = await findKey(ctx, keyId);
  queueNamed(ctx, key);
  const history = historyOf(queueIdOf(ctx.connection.config.id, key));
  const { points, stepSeconds } = await readLevels(history, ctx.store, ctx.connection.config.id, {
    ...range,
    now: ctx.now(),
  });
  return {
    stepSeconds,
    points: points.map(({ at, length, ...span }) => ({ at, length, ...ratesOf(span) })),
  };
};

/** Queues are sampled once in each of these. */
export const EVERY_MS = 10 * SECOND;
