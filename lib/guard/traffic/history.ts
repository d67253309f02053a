import 'server-only';
import { z } from 'zod';
import type { ReadOf } from '@/lib/command/context';
import { levelHistory, newestLevels, readLevels, recordLevels } from '@/lib/history/levels';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { MINUTE } from '@/lib/time';
import type { trafficContracts } from './schema';

/** Sizes of the collector's sets; null where unknown. */
const sizesSchema = z.object({
  /** Epoch ms. */
  at: z.number(),
  blockedProjects: z.number().nullable(),
  blacklistedIps: z.number().nullable(),
  limitedProjects: z.number().nullable(),
});
export type Sizes = z.output<typeof sizesSchema>;

const guardHistory = levelHistory<Sizes>({
  key: (connection, resolution) => consoleFamilies.guardHistory.key({ connection, resolution }),
  kept: sizesSchema.omit({ at: true }),
});

export const recordSizes = (store: Store, connection: string, sizes: Sizes): Promise<void> =>
  recordLevels(guardHistory, store, connection, sizes);

export const newestSizes = (store: Store, connection: string, now: number): Promise<Sizes | null> =>
  newestLevels(guardHistory, store, connection, { now, maxAgeMs: MINUTE });

/** guard.history */
export const readGuardHistory: ReadOf<typeof trafficContracts.history> = (ctx, input) =>
  readLevels(guardHistory, ctx.store, ctx.connection.config.id, { ...input, now: ctx.now() });
