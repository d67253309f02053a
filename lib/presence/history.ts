import 'server-only';
import { z } from 'zod';
import type { ReadOf } from '@/lib/command/context';
import { levelHistory, newestLevels, readLevels, recordLevels } from '@/lib/history/levels';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { MINUTE } from '@/lib/time';
import { presenceFamily } from './online';
import type { presenceContracts } from './schema';

/** `at`: epoch ms. */
const onlineSchema = z.object({ at: z.number(), online: z.number() });
type Online = z.output<typeof onlineSchema>;

const presenceHistory = levelHistory<Online>({
  key: (connection, resolution) => consoleFamilies.presenceHistory.key({ connection, resolution }),
  kept: onlineSchema.omit({ at: true }),
});

export const recordOnline = (store: Store, connection: string, online: Online): Promise<void> =>
  recordLevels(presenceHistory, store, connection, online);

/** They are counted once a minute. */
export const newestOnline = (store: Store, connection: string, now: number): Promise<Online | null> =>
  newestLevels(presenceHistory, store, connection, { now, maxAgeMs: 3 * MINUTE });

/** presence.history */
export const readPresenceHistory: ReadOf<typeof presenceContracts.history> = async (ctx, input) => {
  presenceFamily(ctx);
  return readLevels(presenceHistory, ctx.store, ctx.connection.config.id, { ...input, now: ctx.now() });
};
