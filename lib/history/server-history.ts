import 'server-only';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { type Bucket, bucketSchema, joinBuckets } from './bucket';
import type { History } from './spans';

/** The history of a server's own figures. */
export const serverHistory: History<Bucket> = {
  key: (connection, resolution) => consoleFamilies.history.key({ connection, resolution }),
  kept: bucketSchema.omit({ at: true }),
  join: joinBuckets,
};
