import 'server-only';
import { Secret, TOTP } from 'otpauth';
import { encode } from 'uqr';
import type { Store } from '@/lib/redis/store';
import { MINUTE } from '@/lib/time';
import type { StoredUser } from '../users';
import type { NewTotp } from './schema';
import { takeOnce } from './take-once';
import { readToken, tokenFor } from './tokens';

/** RFC 4226 recommends 160 bits. */
const SECRET_BYTES = 20;
/** Codes of the neighbouring 30 s count too, because the clocks of phones differ (RFC 6238, section 5.2). */
const WINDOW = 1;
const SET_UP_MS = 10 * MINUTE;
/** Longer than a code is accepted. */
const USED_MS = 3 * MINUTE;

const appOf = (secret: string, label: string): TOTP =>
  new TOTP({ issuer: 'Keyward', label, secret: Secret.fromBase32(secret) });

/** A QR code as one path: a square of one unit for each dark module. */
const drawn = (text: string): NewTotp['qr'] => {
  const { data, size } = encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')));
  return { size, path: path.join('') };
};

/** A new secret for an authenticator app; nothing is stored until a code confirms it. */
export const newTotp = (user: StoredUser, now: number): NewTotp => {
  const secret = new Secret({ size: SECRET_BYTES }).base32;
  return {
    secret,
    qr: drawn(appOf(secret, user.email).toString()),
    token: tokenFor('set-up', user.id, secret, now + SET_UP_MS),
  };
};

/** The secret that `newTotp` made; null where the token is not this user's or has expired. */
export const newTotpSecret = (token: string, userId: string, now: number): string | null =>
  readToken('set-up', userId, token, now);

/** The digits of a code: people type spaces and dashes. */
export const plainCode = (code: string): string => code.replace(/[\s-]/g, '');

/** Whether this is a code of the app now, that was not used before. */
export const isTotpCode = async (
  store: Store,
  { id, email }: StoredUser,
  secret: string,
  code: string,
  now: number,
): Promise<boolean> => {
  if (!/^\d{6}$/.test(code)) return false;
  const app = appOf(secret, email);
  const steps = app.validate({ token: code, timestamp: now, window: WINDOW });
  if (steps === null) return false;
  const step = app.counter({ timestamp: now }) + steps;
  return takeOnce(store, `${id} ${secret} ${step}`, USED_MS);
};
