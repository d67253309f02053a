import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { newId } from '@/lib/ids';
import { open, seal } from '@/lib/keyring';
import { type PageInput, pageOfRows } from '@/lib/list-page';
import { allReplies, type Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DAY, iso, isoOrNull } from '@/lib/time';
import { readSnapshot, type Snapshot, writeSnapshot } from './payload';
import type { Backup, envContracts } from './schema';

/** Of each kind, for each connection (issue: 30 kept). */
export const MAX_PER_KIND = 30;
/** What a restore replaced is wanted soon or never; daily backups stay until there are 30 newer. */
const BEFORE_RESTORE_MS = 30 * DAY;

/** Names of left out variables that are told; there are hardly ever any. */
const MAX_NAMED = 100;

const indexed = z.object({
  at: z.number(),
  kind: z.enum(['daily', 'before-restore']),
  variables: z.number(),
  /** Names of what was there and could not be kept. */
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

const standing = (index: Record<string, string>, now: number): Indexed[] =>
  Object.entries(index)
    .flatMap(([id, text]) => {
      const entry = parseStored(indexed, text);
      return entry ? [{ id, ...entry }] : [];
    })
    .filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
    .sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1));

/** Those that can still be restored, newest first. */
export const storedBackups = async (store: Store, connection: string, now: number): Promise<Indexed[]> =>
  standing(await readIndex(store, connection), now);

/** Forgets what is beyond 30 of a kind, and what has expired. */
const prune = async (store: Store, connection: string, now: number): Promise<void> => {
  const index = await readIndex(store, connection);
  const kept = standing(index, now);
  const newest = (kind: Indexed['kind']) => kept.filter((each) => each.kind === kind).slice(0, MAX_PER_KIND);
  const stays = new Set([...newest('daily'), ...newest('before-restore')].map(({ id }) => id));
  const goes = Object.keys(index).filter((id) => !stays.has(id));
  if (goes.length === 0) return;
  await store.use(async (redis) => {
    const pipeline = redis.multi().hdel(indexKey(connection), ...goes);
    for (const id of goes) if (isId(id)) pipeline.unlink(backupKey(connection, id));
    allReplies(await pipeline.exec());
  });
};

/** Keeps a snapshot sealed under the console's own key. Returns its id. */
export const storeBackup = async (
  store: Store,
  kind: Indexed['kind'],
  snapshot: Snapshot,
  now: number,
): Promise<string> => {
  const id = newId(now);
  const { connection } = snapshot;
  const sealed = seal('backup', writeSnapshot(snapshot), sealedFor(connection, id));
  const lifetime = kind === 'before-restore' ? BEFORE_RESTORE_MS : null;
  const entry: z.input<typeof indexed> = {
    at: now,
    kind,
    variables: snapshot.variables.length,
    skipped: snapshot.skipped.slice(0, MAX_NAMED),
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
  return id;
};

/** `gone`: there is none of this id; `unreadable`: altered, or sealed under another KEYWARD_SECRET_KEY. */
export const openBackup = async (
  store: Store,
  connection: string,
  id: string,
): Promise<{ ok: true; snapshot: Snapshot } | { ok: false; why: 'gone' | 'unreadable' }> => {
  if (!isId(id)) return { ok: false, why: 'gone' };
  const sealed = await store.use((redis) => redis.getBuffer(backupKey(connection, id)));
  if (!sealed) return { ok: false, why: 'gone' };
  const plain = open('backup', sealed, sealedFor(connection, id));
  const snapshot = plain && readSnapshot(plain);
  return snapshot ? { ok: true, snapshot } : { ok: false, why: 'unreadable' };
};

const toBackup = ({ at, expiresAt, ...rest }: Indexed): Backup => ({
  ...rest,
  at: iso(at),
  expiresAt: isoOrNull(expiresAt),
});

/** The backups kept in the store, newest first. */
export const listBackups = async (
  ctx: ReadContext,
  input: PageInput,
): Promise<Result<typeof envContracts.backups>> => {
  const kept = await storedBackups(ctx.store, ctx.connection.config.id, ctx.now());
  const { items, nextCursor } = pageOfRows(kept, input, ['number', 'string'], ({ at, id }) => [-at, id]);
  return { items: items.map(toBackup), nextCursor };
};
