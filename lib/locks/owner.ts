import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import { digest } from '@/lib/keyring';
import { displayBytes } from '@/lib/keyspace/display';
import { MASK } from '@/lib/keyspace/mask';
import type { StoredLock } from './stored-lock';

/** A shown beginning has at most this many bytes, and at most a quarter of the token. */
const MAX_SHOWN_BYTES = 4;
const DIGEST_LENGTH = 8;

type Owned = Pick<StoredLock, 'owner' | 'ownerLength'>;

/**
 * An owner for display: only the beginning of the token, because whoever knows a token can release the lock. Null
 * without an owner.
 */
export const shownOwner = ({ owner, ownerLength }: Owned): string | null => {
  if (owner === null || ownerLength === 0) return null;
  const shown = owner.subarray(0, Math.min(MAX_SHOWN_BYTES, Math.floor(ownerLength / 4)));
  return displayBytes(shown) + MASK;
};

/** Distinguishes owners without revealing their tokens: equal for one owner of several locks. */
export const ownerDigest = (
  { connection }: Pick<ReadContext, 'connection'>,
  { owner, ownerLength }: Owned,
): string | null => {
  if (owner === null || ownerLength === 0) return null;
  const context = Buffer.from(`lock owner\0${connection.config.id}\0${ownerLength}\0`);
  return digest('audit-digest', Buffer.concat([context, owner]), DIGEST_LENGTH);
};
