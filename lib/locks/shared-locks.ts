import 'server-only';
import { changeNotice } from '@/lib/command/change-notice';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { keyIdOf } from '@/lib/command/key-ids';
import type { Registry } from '@/lib/keyspace/registry';
import { processWidePer } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { readPaced } from '@/lib/redis/paced-reads';
import type { RoleKey, RoleKeys } from '@/lib/role-keys/role-keys';
import { type RolePass, rolePass } from '@/lib/role-keys/role-pass';
import { type ShownName, shownName } from '@/lib/role-keys/shown-name';
import { FirstSeen } from './age';
import { readLocks, type StoredLock } from './stored-lock';

export interface HeldLock extends RoleKey {
  stored: StoredLock;
  keyId: string;
  subject: ShownName<'operation' | 'entityId'>;
  /** When this console first saw it with this owner, epoch ms. */
  seenAt: number;
  /** When the previous owner was last seen, or no lock, epoch ms; null where unknown. */
  notBefore: number | null;
}

/** Locks per call: for hashes the server compares the complete content. */
const CHUNK_SIZE = 10;

const firstSeenOf = processWidePer('locks first seen', (_: ConnectionHandle) => new FirstSeen());

const read = async (
  found: HeldLock[],
  handle: ConnectionHandle,
  catalog: Registry,
  { keys, isComplete, scannedFrom }: RoleKeys,
): Promise<void> => {
  const readFrom = Date.now();
  const ctx = { connection: handle, reader: handle.background, purpose: 'scan' } as const;
  const stored = await readPaced(handle.topology, keys, CHUNK_SIZE, (some) => readLocks(ctx, some));
  const locks = keys.flatMap((key, i) => (stored[i] ? [{ ...key, stored: stored[i] }] : []));
  const times = { readFrom, readAt: Date.now(), scannedFrom: isComplete ? scannedFrom : null };
  const seen = firstSeenOf(handle).update(locks, times);
  for (const [i, lock] of locks.entries()) {
    const { at, notBefore, expiresAt } = seen[i]!;
    found.push({
      ...lock,
      stored: { ...lock.stored, expiresAt },
      seenAt: at,
      notBefore,
      keyId: keyIdOf({ connection: handle, catalog }, lock.key),
      subject: shownName(catalog, lock, ['operation', 'entityId']),
    });
  }
};

/** Tests begin without known locks. */
export const forgetFirstSeen = (): void => firstSeenOf.forget();

/** The locks of a connection, read once for all readers. After a change of a lock they are read again. */
export const sharedLocks = rolePass<HeldLock[]>({ name: 'locks', role: 'lock', empty: () => [], read });

const notice = changeNotice('locks');

/** The current pass; a new one after any process has released a lock. */
export const currentLocks = async (ctx: ReadContext): Promise<RolePass<HeldLock[]>> => {
  if (await notice.isNew(ctx)) sharedLocks.outdate(ctx.connection);
  return sharedLocks.current(ctx.connection, ctx.catalog);
};

/** Called after this process has released a lock. */
export const locksChanged = async (ctx: WriteContext): Promise<void> => {
  sharedLocks.outdate(ctx.connection);
  await notice.send(ctx);
};
