import 'server-only';
import { z } from 'zod';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { newId } from '@/lib/ids';
import { open, seal } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { type PageInput, pageOfRows } from '@/lib/list-page';
import { allReplies, type Store } from '@/lib/redis/store';
import { parseStoredHash } from '@/lib/stored-json';
import { DAY, iso, isoOrNull } from '@/lib/time';
import { readSnapshot, type Snapshot, writeSnapshot } from './payload';
import { BACKUP_KINDS, type Backup, type envContracts } from './schema';

/** Backups of each kind stored for a connection. */
export const MAX_PER_KIND = 30;
/** Lifetime of backups made before a restore; daily ones are stored until 30 newer exist. */
const BEFORE_RESTORE_MS = 30 * DAY;

/** Names of skipped variables that are stored. */
const MAX_SKIPPED_NAMES = 100;

const indexed = z.object({
  at: z.number(),
  kind: z.enum(BACKUP_KINDS),
  variables: z.number(),
  /** Names of variables that could not be backed up. */
  skipped: z.array(z.string()).default([]),
  bytes: z.number(),
  expiresAt: z.number().nullable(),
});
type Indexed = z.output<typeof indexed> & { id: string };

const indexKey = (connection: string) => consoleFamilies.envBackups.key({ connection });
const backupKey = (connection: string, id: string) => consoleFamilies.envBackup.key({ connection, id });
const sealedFor = (connection: string, id: string): string => `${connection}:${id}`;

const isId = (id: string): boolean => /^[0-9a-f-]{36}$/.test(id);

const readIndex = (store: Store, connection: string): Promise<Record<string, string>> =>
  store.use((redis) => redis.hgetall(indexKey(connection)));

const unexpired = (index: Record<string, string>, now: number): Indexed[] =>
  parseStoredHash(indexed, index)
    .map(([id, entry]) => ({ id, ...entry }))
    .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    .sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1));

/** Backups that can be restored, newest first. */
export const storedBackups = async (store: Store, connection: string, now: number): Promise<Indexed[]> =>
  unexpired(await readIndex(store, connection), now);

/** Deletes expired backups and those beyond `MAX_PER_KIND`. */
const prune = async (store: Store, connection: string, now: number): Promise<void> => {
  const index = await readIndex(store, connection);
  const stored = unexpired(index, now);
  const newest = (kind: Indexed['kind']) =>
    stored.filter((backup) => backup.kind === kind).slice(0, MAX_PER_KIND);
  const retained = new Set(BACKUP_KINDS.flatMap(newest).map(({ id }) => id));
  const removed = Object.keys(index).filter((id) => !retained.has(id));
  if (removed.length === 0) return;
  await store.use(async (redis) => {
    const pipeline = redis.multi().hdel(indexKey(connection), ...removed);
    for (const id of removed) if (isId(id)) pipeline.unlink(backupKey(connection, id));
    allReplies(await pipeline.exec());
  });
};

const toBackup = ({ at, expiresAt, ...rest }: Indexed): Backup => ({
  ...rest,
  at: iso(at),
  expiresAt: isoOrNull(expiresAt),
});

/** Stores a snapshot, sealed with Keyward's key. */
export const storeBackup = async (
  store: Store,
  kind: Indexed['kind'],
  snapshot: Snapshot,
  now: number,
): Promise<Backup> => {
  const id = newId(now);
  const { connection } = snapshot;
  const sealed = seal('backup', writeSnapshot(snapshot), sealedFor(connection, id));
  const lifetime = kind === 'before-restore' ? BEFORE_RESTORE_MS : null;
  const entry: z.output<typeof indexed> = {
    at: now,
    kind,
    variables: snapshot.variables.length,
    skipped: snapshot.skipped.slice(0, MAX_SKIPPED_NAMES),
    bytes: sealed.length,
    expiresAt: lifetime === null ? null : now + lifetime,
  };
  await store.use(async (redis) => {
    const pipeline = redis.multi().hset(indexKey(connection), id, JSON.stringify(entry));
    pipeline.set(backupKey(connection, id), sealed);
    if (lifetime !== null) pipeline.pexpire(backupKey(connection, id), lifetime);
    allReplies(await pipeline.exec());
  });
  await prune(store, connection, now);
  return toBackup({ id, ...entry });
};

/** `missing`: no such backup; `unreadable`: altered, or sealed with another KEYWARD_SECRET_KEY. */
export const openBackup = async (
  store: Store,
  connection: string,
  id: string,
): Promise<{ ok: true; snapshot: Snapshot } | { ok: false; reason: 'missing' | 'unreadable' }> => {
  if (!isId(id)) return { ok: false, reason: 'missing' };
  const sealed = await store.use((redis) => redis.getBuffer(backupKey(connection, id)));
  if (!sealed) return { ok: false, reason: 'missing' };
  const plain = open('backup', sealed, sealedFor(connection, id));
  const snapshot = plain && readSnapshot(plain);
  return snapshot ? { ok: true, snapshot } : { ok: false, reason: 'unreadable' };
};

/** env.backups.list: stored backups, newest first. */
export const listBackups = async (
  ctx: ReadContext,
  input: PageInput,
): Promise<Result<typeof envContracts.backups>> => {
  const stored = await storedBackups(ctx.store, ctx.connection.config.id, ctx.now());
  const { items, nextCursor } = pageOfRows(stored, input, ['number', 'string'], ({ at, id }) => [-at, id]);
  return { items: items.map(toBackup), nextCursor };
};
