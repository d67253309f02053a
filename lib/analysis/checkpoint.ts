import 'server-only';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { z } from 'zod';
import { open, seal } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DAY } from '@/lib/time';
import { type AnalysisCollector, storedCounts } from './collector';

/** How long an unfinished analysis can be continued. */
const STORED_MS = DAY;
const MAX_STATE_BYTES = 64 * 2 ** 20;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

const checkpoint = z.object({
  counts: storedCounts,
  /** The walk's place, from which it continues. */
  place: z.string(),
  share: z.number(),
});
export type Checkpoint = z.output<typeof checkpoint>;

const keyOf = (connection: string, id: string): Buffer =>
  consoleFamilies.analysisState.key({ connection, id });
const sealedFor = (connection: string, id: string): string => `${connection}:${id}`;

/**
 * Stores the counts up to a place, so that another analysis can continue there. They contain names of keys, so they
 * are sealed. The counts are copied before the first await.
 */
export const writeCheckpoint = async (
  store: Store,
  { connection, id }: { connection: string; id: string },
  counted: AnalysisCollector,
  at: Pick<Checkpoint, 'place' | 'share'>,
): Promise<void> => {
  const body = await deflate(JSON.stringify({ counts: counted.stored(), ...at }));
  const sealed = seal('analysis', body, sealedFor(connection, id));
  await store.use((redis) => redis.set(keyOf(connection, id), sealed, 'PX', STORED_MS));
};

export const hasCheckpoint = (store: Store, connection: string, id: string): Promise<boolean> =>
  store.use(async (redis) => (await redis.exists(keyOf(connection, id))) === 1);

/** Null where none is stored, or another version wrote it. */
export const readCheckpoint = async (
  store: Store,
  connection: string,
  id: string,
): Promise<Checkpoint | null> => {
  const sealed = await store.use((redis) => redis.getBuffer(keyOf(connection, id)));
  const body = sealed && open('analysis', sealed, sealedFor(connection, id));
  if (!body) return null;
  const text = await inflate(body, { maxOutputLength: MAX_STATE_BYTES }).catch(() => null);
  return parseStored(checkpoint, text?.toString('utf8'));
};

export const deleteCheckpoint = (store: Store, connection: string, id: string): Promise<void> =>
  store.use(async (redis) => {
    await redis.unlink(keyOf(connection, id));
  });
