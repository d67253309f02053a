import 'server-only';
import { randomUUID } from 'node:crypto';
import { env } from '@/lib/configuration';
import { digest, open, sameDigest, seal } from '@/lib/keyring';
import type { Store } from '@/lib/redis/store';
import { DAY, SECOND } from '@/lib/time';
import { findUserByEmail, type StoredUser } from './users';

/**
 * Identifies a browser that signed in before: strangers' failed attempts do not delay it. It never replaces the
 * password.
 */
export const DEVICE_COOKIE = 'keyward-device';
const LIFETIME_MS = 180 * DAY;

/** Depends on the password, so a new password makes all devices unknown. */
const markOf = ({ id, passwordHash }: StoredUser): string => digest('device', `${id} ${passwordHash}`);

/** A new value of the cookie, sealed for the e-mail address so that it reveals nothing about the account. */
export const makeDevice = (user: StoredUser, now: number): string => {
  const plain = [randomUUID(), markOf(user), now + LIFETIME_MS].join(' ');
  return seal('device', Buffer.from(plain), user.email).toString('base64url');
};

/**
 * The id of a device that signed in as this user before; null otherwise. Reads the user only if the value was made for
 * this address, so that the response time reveals nothing to strangers.
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
