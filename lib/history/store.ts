import 'server-only';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { Store } from '@/lib/redis/store';
import { DAY, HOUR, MINUTE, SECOND } from '@/lib/time';
import { type Bucket, group } from './bucket';

/** How history is kept (issue: 10 s for 24 h, 1 min for 7 d, 1 h for 1 year), finest first. */
export const RESOLUTIONS = [
  { name: '10s', stepMs: 10 * SECOND, keptMs: DAY },
  { name: '1m', stepMs: MINUTE, keptMs: 7 * DAY },
  { name: '1h', stepMs: HOUR, keptMs: 365 * DAY },
] as const;

export type Resolution = (typeof RESOLUTIONS)[number];

const keyOf = (connection: string, resolution: Resolution): Buffer =>
  consoleFamilies.history.key({ connection, resolution: resolution.name });

type StreamRows = [id: string, fields: string[]][];

const timeOf = (streamId: string): number => Number(streamId.split('-')[0]);

const toBucket = ([id, fields]: StreamRows[number]): Bucket => ({
  ...(JSON.parse(fields[1] ?? '{}') as Omit<Bucket, 'at'>),
  at: timeOf(id),
});

/** Writes a finished span. Writing one twice, or an older one, is ignored: streams only grow. */
export const writeBucket = (
  store: Store,
  connection: string,
  resolution: Resolution,
  bucket: Bucket,
): Promise<void> =>
  store.use(async (redis) => {
    const { at, ...counts } = bucket;
    const key = keyOf(connection, resolution);
    const floor = at - resolution.keptMs;
    await redis
      .xadd(key, 'MINID', '~', floor, `${at}-0`, 'b', JSON.stringify(counts))
      .catch((error: Error) => {
        if (!error.message.includes('equal or smaller')) throw error;
      });
  });

/** Spans that start in [from, to], both epoch ms. */
export const readBuckets = (
  store: Store,
  connection: string,
  resolution: Resolution,
  from: number,
  to: number,
): Promise<Bucket[]> =>
  store.use(async (redis) => {
    const rows = (await redis.xrange(
      keyOf(connection, resolution),
      Math.max(0, from),
      Math.max(0, to),
    )) as StreamRows;
    return rows.map(toBucket);
  });

/** The start of the newest span of a resolution, epoch ms; null when there is none. */
export const newestBucket = (
  store: Store,
  connection: string,
  resolution: Resolution,
): Promise<number | null> =>
  store.use(async (redis) => {
    const rows = (await redis.xrevrange(keyOf(connection, resolution), '+', '-', 'COUNT', 1)) as StreamRows;
    return rows[0] ? timeOf(rows[0][0]) : null;
  });

/**
 * Fills the coarser resolutions from the finer: every step that is over and not yet written. Done from what is
 * stored, so neither a restart nor a change of leader loses the step it fell into.
 */
export const rollUp = async (store: Store, connection: string, now: number): Promise<void> => {
  for (let i = 1; i < RESOLUTIONS.length; i++) {
    const [finer, coarser] = [RESOLUTIONS[i - 1]!, RESOLUTIONS[i]!];
    const over = Math.floor(now / coarser.stepMs) * coarser.stepMs;
    const newest = await newestBucket(store, connection, coarser);
    const from = newest === null ? now - finer.keptMs : newest + coarser.stepMs;
    if (from >= over) continue;
    const buckets = await readBuckets(store, connection, finer, from, over - 1);
    for (const bucket of group(buckets, coarser.stepMs))
      await writeBucket(store, connection, coarser, bucket);
  }
};
