import 'server-only';
import { randomUUID } from 'node:crypto';
import { env } from '@/lib/env';
import { digest, open, sameDigest, seal } from '@/lib/keyring';
import type { Store } from '@/lib/redis/store';
import { DAY, SECOND } from '@/lib/time';
import { findUserByEmail, type StoredUser } from './users';

/** What a browser keeps of a successful sign-in: it spares the password's owner the strangers' waits, never the password. */
export const DEVICE_COOKIE = 'keyward-device';
const LIFETIME_MS = 180 * DAY;

/** A new password makes another one, so devices of before are strangers. */
const markOf = ({ id, passwordHash }: StoredUser): string => digest('device', `${id} ${passwordHash}`);

/** A device's value of the cookie. Sealed for the address, so that nobody learns from it whose it is. */
export const makeDevice = (user: StoredUser, now: number): string => {
  const plain = [randomUUID(), markOf(user), now + LIFETIME_MS].join(' ');
  return seal('device', Buffer.from(plain), user.email).toString('base64url');
};

/**
 * The id of a device that signed in as this user before; null where it did not. Looks for the user only where the
 * value was made for this address: the time says nothing to strangers.
 */
export const knownDevice = async (
  store: Store,
  value: string | null,
  email: string,
  now: number,
): Promise<string | null> => {
  const plain = value && open('device', Buffer.from(value, 'base64url'), email);
  const [id, mark, expiresAt] = plain ? plain.toString().split(' ') : [];
  if (!id || !mark || !(Number(expiresAt) > now)) return null;
  const user = await findUserByEmail(store, email);
  return user && sameDigest(mark, markOf(user)) ? id : null;
};

/** The Set-Cookie header of a device. */
export const deviceCookie = (value: string, secure: boolean): string =>
  [
    `${DEVICE_COOKIE}=${value}`,
    `Path=${env().basePath || '/'}`,
    `Max-Age=${LIFETIME_MS / SECOND}`,
    `HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`,
  ].join('; ');
