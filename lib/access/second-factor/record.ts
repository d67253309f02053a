import 'server-only';
import { z } from 'zod';
import { env } from '@/lib/configuration';
import { Problem } from '@/lib/errors';
import { open, seal } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { withLease } from '@/lib/redis/lease';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { SECOND } from '@/lib/time';
import { findUser, type StoredUser, type UserUpdate, updateUser } from '../users';

const passkey = z.object({
  /** The credential's id, base64url. */
  id: z.string(),
  publicKey: z.string(),
  counter: z.number(),
  transports: z.array(z.string()),
  name: z.string(),
  /** Epoch ms. */
  createdAt: z.number(),
});
export type Passkey = z.output<typeof passkey>;

const secondFactor = z.object({
  /** The secret of the authenticator app, base32. */
  totp: z.string().nullable(),
  /** Digests of the recovery codes that were not used. */
  recoveryCodes: z.array(z.string()),
  passkeys: z.array(passkey),
});
/** The second factor of a user, as it is sealed in their record. */
export type SecondFactor = z.output<typeof secondFactor>;

const NONE: SecondFactor = { totp: null, recoveryCodes: [], passkeys: [] };

const contextOf = (userId: string): string => `user ${userId}`;

export const hasSecondFactor = (user: StoredUser): boolean => user.secondFactor !== '';

/** The second factor of a user. Throws where it was sealed under another key: nobody signs in without it. */
export const secondFactorOf = ({ id, secondFactor: sealed }: StoredUser): SecondFactor => {
  if (sealed === '') return NONE;
  const plain = open('second-factor', Buffer.from(sealed, 'base64url'), contextOf(id));
  const factor = parseStored(secondFactor, plain?.toString());
  if (!factor) throw new Problem('internal', 'The second factor of this user cannot be read.');
  return factor;
};

/** Recovery codes alone are no second factor: they replace one that was lost. */
const sealedFactor = (userId: string, factor: SecondFactor): string => {
  if (factor.totp === null && factor.passkeys.length === 0) return '';
  const plain = Buffer.from(JSON.stringify(factor));
  return seal('second-factor', plain, contextOf(userId)).toString('base64url');
};

/** Whether the configuration asks this user for a second factor. A provider asks its users itself. */
export const isFactorRequired = ({ role, subject }: StoredUser): boolean =>
  subject === null && env().secondFactorRoles.includes(role);

export const needsSecondFactor = (user: StoredUser): boolean =>
  isFactorRequired(user) && !hasSecondFactor(user);

const LEASE_MS = 10 * SECOND;

/**
 * Changes a user's second factor: one change at a time, so that a recovery code works once. `change` returns null to
 * leave it. Resolves with null then. Throws 409 while another change runs, and the store's 503 `Problem`.
 */
export const changeSecondFactor = async (
  store: Store,
  userId: string,
  change: (factor: SecondFactor, user: StoredUser) => SecondFactor | null,
): Promise<UserUpdate | null> => {
  const lease = consoleFamilies.lease.key({ name: `second-factor-${userId}` });
  const done = await withLease(store, lease, { ms: LEASE_MS }, async () => {
    const user = await findUser(store, userId);
    if (!user) return { ok: false, reason: 'not-found' } as const;
    const changed = change(secondFactorOf(user), user);
    return changed && updateUser(store, userId, { secondFactor: sealedFactor(userId, changed) });
  });
  if (!done.ok) throw new Problem('conflict', 'Your second factor is being changed. Try again.');
  return done.value;
};
