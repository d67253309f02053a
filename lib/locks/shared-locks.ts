import 'server-only';
import type { Registry } from '@/lib/catalog/registry';
import { keyIdOf } from '@/lib/command/key-ids';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { timeRoundTrip } from '@/lib/redis/round-trip';
import type { RoleKey } from '@/lib/role-keys/role-keys';
import { rolePass } from '@/lib/role-keys/role-pass';
import { type ShownName, shownName } from '@/lib/role-keys/shown-name';
import { FirstSeen } from './age';
import { readLocks, type StoredLock } from './stored-lock';

/** A lock of a pass. */
export interface HeldLock extends RoleKey {
  stored: StoredLock;
  keyId: string;
  subject: ShownName<'operation' | 'entityId'>;
  /** When this console first saw it with this owner, epoch ms. */
  seenAt: number;
}

/** Those of one call: hashes take several round trips side by side. */
const CHUNK_SIZE = 50;

const memories = processWide('locks first seen', () => new WeakMap<ConnectionHandle, FirstSeen>());

const firstSeenOf = (handle: ConnectionHandle): FirstSeen => {
  const found = memories().get(handle) ?? new FirstSeen();
  memories().set(handle, found);
  return found;
};

const read = async (
  found: HeldLock[],
  handle: ConnectionHandle,
  catalog: Registry,
  keys: readonly RoleKey[],
): Promise<void> => {
  const locks: (RoleKey & { stored: StoredLock })[] = [];
  const runPaced = handle.budget.walk();
  for (let from = 0; from < keys.length; from += CHUNK_SIZE) {
    const chunk = keys.slice(from, from + CHUNK_SIZE);
    const readChunk = () =>
      readLocks({ connection: handle, reader: handle.background, purpose: 'scan' }, chunk);
    const { value: stored } = await runPaced(() => timeRoundTrip(readChunk));
    for (const [i, one] of chunk.entries()) if (stored[i]) locks.push({ ...one, stored: stored[i] });
  }
  const seen = firstSeenOf(handle).update(locks, Date.now());
  for (const [i, lock] of locks.entries()) {
    const { at, expiresAt } = seen[i]!;
    found.push({
      ...{ ...lock, stored: { ...lock.stored, expiresAt }, seenAt: at },
      keyId: keyIdOf({ connection: handle, catalog }, lock.key),
      subject: shownName(catalog, lock, ['operation', 'entityId']),
    });
  }
};

/** The locks of a connection, read once for all readers. After a change of a lock they are read again. */
export const sharedLocks = rolePass<HeldLock[]>({ name: 'locks', role: 'lock', empty: () => [], read });
