import 'server-only';
import { changeNotice } from '@/lib/command/change-notice';
import type { ReadContext, WriteContext } from '@/lib/command/context';
import { processWidePer } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { readPaced } from '@/lib/redis/paced-reads';
import type { RoleKeys } from '@/lib/role-keys/role-keys';
import { type RolePass, type RoleRow, rolePass } from '@/lib/role-keys/role-pass';
import { FirstSeen } from './age';
import { readLocks, type StoredLock } from './stored-lock';

interface Sighted {
  stored: StoredLock;
  /** When this console first saw it with this owner, epoch ms. */
  seenAt: number;
  /** When the previous owner was last seen, or no lock, epoch ms; null where unknown. */
  notBefore: number | null;
}

export type HeldLock = RoleRow<Sighted, 'operation' | 'entityId'>;

/** Locks per call: for hashes the server compares the complete content. */
const CHUNK_SIZE = 10;

const firstSeenOf = processWidePer('locks first seen', (_: ConnectionHandle) => new FirstSeen());

const read = async (handle: ConnectionHandle, of: RoleKeys): Promise<(Sighted | null)[]> => {
  const { keys, isComplete, scannedFrom } = of;
  const readFrom = Date.now();
  const ctx = { connection: handle, reader: handle.background, purpose: 'scan' } as const;
  const stored = await readPaced(handle.topology, keys, CHUNK_SIZE, (some) => readLocks(ctx, some));
  const locks = keys.flatMap(({ key }, i) => (stored[i] ? [{ key, stored: stored[i] }] : []));
  const times = { readFrom, readAt: Date.now(), scannedFrom: isComplete ? scannedFrom : null };
  const seen = firstSeenOf(handle).update(locks, times).values();
  return stored.map((lock) => {
    if (!lock) return null;
    const { at, notBefore, expiresAt } = seen.next().value!;
    return { stored: { ...lock, expiresAt }, seenAt: at, notBefore };
  });
};

/** The locks of a connection, read once for all readers. After a change of a lock they are read again. */
export const sharedLocks = rolePass({ name: 'locks', role: 'lock', shown: ['operation', 'entityId'], read });

const notice = changeNotice('locks');

/** The current pass; a new one after any process has released a lock. */
export const currentLocks = async (ctx: ReadContext): Promise<RolePass<HeldLock>> => {
  if (await notice.isNew(ctx)) sharedLocks.outdate(ctx.connection);
  return sharedLocks.current(ctx.connection, ctx.catalog);
};

/** Called after this process has released a lock. */
export const locksChanged = async (ctx: WriteContext): Promise<void> => {
  sharedLocks.outdate(ctx.connection);
  await notice.send(ctx);
};
