import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Key } from '@/lib/redis/commands';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { HOUR, SECOND } from '@/lib/time';
import { openName, queueIdOf, sealName } from './queue-key';
import { ENDS } from './schema';

/** What the latest samples of a queue say. */
const stateSchema = z.object({
  /** An earlier version did not store it. */
  length: z.number().optional(),
  seconds: z.number(),
  pushed: z.number(),
  taken: z.number(),
  isAtLeast: z.boolean(),
  pushedAt: z.enum(ENDS).nullable(),
  takenFrom: z.enum(ENDS).nullable(),
  /** When it last had elements, epoch ms. */
  filledAt: z.number(),
});
export type QueueState = z.output<typeof stateSchema>;

const storedSchema = stateSchema.extend({ name: z.string() });

export interface QueueStates {
  /** Epoch ms; null where nothing was sampled. */
  sampledAt: number | null;
  /** By queue id. */
  byId: ReadonlyMap<string, QueueState & { key: Key }>;
}

/** An empty queue does not exist in Redis: it is known by its samples for this long. */
export const EMPTY_KEPT_MS = HOUR;

/** Older samples say nothing about now. */
export const MAX_AGE_MS = 45 * SECOND;

const STORED_MS = 2 * HOUR;
/** A field that cannot be a queue's id. */
const SAMPLED_AT = '@';

const keyOf = (connection: string): Buffer => consoleFamilies.queueStates.key({ connection });

export const readStates = async (store: Store, connection: string): Promise<QueueStates> => {
  const stored = await store.use((redis) => redis.hgetall(keyOf(connection)));
  const byId = new Map<string, QueueState & { key: Key }>();
  for (const [id, text] of Object.entries(stored)) {
    const state = id === SAMPLED_AT ? null : parseStored(storedSchema, text);
    const key = state && openName(connection, state.name);
    if (state && key) byId.set(id, { ...state, key });
  }
  const sampledAt = Number(stored[SAMPLED_AT]);
  return { sampledAt: Number.isFinite(sampledAt) ? sampledAt : null, byId };
};

/** Replaces the states of all sampled queues. */
export const writeStates = async (
  store: Store,
  connection: string,
  states: readonly (QueueState & { key: Key })[],
  at: number,
): Promise<void> => {
  const rows = states.flatMap(({ key, ...state }) => [
    queueIdOf(connection, key),
    JSON.stringify({ ...state, name: sealName(connection, key) }),
  ]);
  await store.use((redis) =>
    redis
      .multi()
      .del(keyOf(connection))
      .hset(keyOf(connection), SAMPLED_AT, at, ...rows)
      .pexpire(keyOf(connection), STORED_MS)
      .exec(),
  );
};
