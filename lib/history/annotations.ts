import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DAY } from '@/lib/time';

const storedAnnotation = z.object({
  /** Epoch ms. */
  at: z.number(),
  text: z.string(),
  href: z.string().nullable(),
  auditId: z.string(),
});
export type Annotation = z.output<typeof storedAnnotation>;

/** As long as the history itself. */
export const ANNOTATIONS_KEPT_MS = 365 * DAY;
const MAX_ANNOTATIONS = 10_000;

const keyOf = (connection: string): Buffer => consoleFamilies.annotations.key({ connection });

/** Sorted by their own time, which may lie in the past: a stream only takes entries in order. */
export const writeAnnotation = (store: Store, connection: string, annotation: Annotation): Promise<void> =>
  store.use(async (redis) => {
    const key = keyOf(connection);
    await redis
      .multi()
      .zadd(key, annotation.at, JSON.stringify(annotation))
      .zremrangebyscore(key, '-inf', Date.now() - ANNOTATIONS_KEPT_MS)
      .zremrangebyrank(key, 0, -MAX_ANNOTATIONS - 1)
      .exec();
  });

/** Returns whether it was still there. */
export const removeAnnotation = (
  store: Store,
  connection: string,
  annotation: Annotation,
): Promise<boolean> =>
  store.use(async (redis) => (await redis.zrem(keyOf(connection), JSON.stringify(annotation))) === 1);

/** Annotations in [from, to], epoch ms, oldest first. */
export const readAnnotations = (
  store: Store,
  connection: string,
  from: number,
  to: number,
): Promise<Annotation[]> =>
  store.use(async (redis) => {
    const rows = await redis.zrangebyscore(keyOf(connection), from, to, 'LIMIT', 0, 1000);
    return rows.flatMap((row) => parseStored(storedAnnotation, row) ?? []);
  });
