import 'server-only';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { Store } from '@/lib/redis/store';
import { type Bucket, bucketSchema, joinBuckets } from './bucket';
import { type History, type Resolution, readSpans, rollUpSpans, writeSpan } from './spans';

/** The history of a server's own figures. */
export const serverHistory: History<Bucket> = {
  key: (connection, resolution) => consoleFamilies.history.key({ connection, resolution }),
  kept: bucketSchema.omit({ at: true }),
  join: joinBuckets,
};

/** Writes a finished span. Writing one twice, or an older one, is ignored: streams only grow. */
export const writeBucket = (
  store: Store,
  connection: string,
  resolution: Resolution,
  bucket: Bucket,
): Promise<void> => writeSpan(serverHistory, store, connection, { resolution, span: bucket });

/** Spans that start in [from, to], both epoch ms. */
export const readBuckets = (
  store: Store,
  connection: string,
  resolution: Resolution,
  from: number,
  to: number,
): Promise<Bucket[]> => readSpans(serverHistory, store, connection, { resolution, from, to });

export const rollUp = (store: Store, connection: string, now: number): Promise<void> =>
  rollUpSpans(serverHistory, store, connection, now);
