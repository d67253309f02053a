import 'server-only';
import { isIP } from 'node:net';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { env } from '@/lib/configuration';
import type { Store } from '@/lib/redis/store';
import { MINUTE } from '@/lib/time';
import type { StoredUser } from '../users';
import type { Passkey } from './record';
import { takeOnce } from './take-once';
import { readToken, tokenFor } from './tokens';

const CHALLENGE_MS = 5 * MINUTE;

/** A passkey belongs to a domain name (WebAuthn Level 3, section 5.4.2); null where people open the console by an address. */
export const passkeySite = (): { id: string; origin: string } | null => {
  const { nextAuthUrl } = env();
  if (!nextAuthUrl) return null;
  const { hostname, origin, protocol } = new URL(nextAuthUrl);
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  return isName && (protocol === 'https:' || hostname === 'localhost') ? { id: hostname, origin } : null;
};

const named = ({ id, transports }: Passkey) => ({ id, transports });

/** What a browser needs to make a passkey; null where the console has no domain name. */
export const passkeyToMake = async (user: StoredUser, existing: readonly Passkey[], now: number) => {
  const site = passkeySite();
  if (!site) return null;
  const options = await generateRegistrationOptions({
    rpName: 'Keyward',
    rpID: site.id,
    userName: user.email,
    userDisplayName: user.name,
    userID: Buffer.from(user.id),
    attestationType: 'none',
    excludeCredentials: existing.map(named),
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
  });
  return { options, token: tokenFor('new passkey', user.id, options.challenge, now + CHALLENGE_MS) };
};

/** What a browser needs to use one of the passkeys; null without any. */
export const passkeyToUse = async (user: StoredUser, existing: readonly Passkey[], now: number) => {
  const site = passkeySite();
  if (!site || existing.length === 0) return null;
  const options = await generateAuthenticationOptions({
    rpID: site.id,
    allowCredentials: existing.map(named),
    userVerification: 'preferred',
  });
  return { options, token: tokenFor('passkey', user.id, options.challenge, now + CHALLENGE_MS) };
};

/** Takes a challenge, which works once. */
const takeChallenge = (store: Store, challenge: string): Promise<boolean> =>
  takeOnce(store, `challenge ${challenge}`, CHALLENGE_MS);

/** The new passkey of a browser's answer; null where it does not fit its challenge. */
export const madePasskey = async (
  store: Store,
  user: StoredUser,
  given: { token: string; answer: unknown; name: string },
  now: number,
): Promise<Passkey | null> => {
  const site = passkeySite();
  const challenge = readToken('new passkey', user.id, given.token, now);
  if (!site || challenge === null || !(await takeChallenge(store, challenge))) return null;
  const verified = await verifyRegistrationResponse({
    response: given.answer as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    requireUserVerification: false,
  }).catch(() => null);
  if (!verified?.verified) return null;
  const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
  const key = Buffer.from(publicKey).toString('base64url');
  return { id, publicKey: key, counter, transports, name: given.name, createdAt: now };
};

/** The passkey that an answer proves, with its new counter; null where it proves none of them. */
export const usedPasskey = async (
  store: Store,
  user: StoredUser,
  existing: readonly Passkey[],
  given: { token: string; answer: { id: string } },
  now: number,
): Promise<Passkey | null> => {
  const site = passkeySite();
  const passkey = existing.find(({ id }) => id === given.answer.id);
  const challenge = readToken('passkey', user.id, given.token, now);
  if (!site || !passkey || challenge === null || !(await takeChallenge(store, challenge))) return null;
  const { id, counter, transports } = passkey;
  const verified = await verifyAuthenticationResponse({
    response: given.answer as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    credential: { id, counter, transports, publicKey: Buffer.from(passkey.publicKey, 'base64url') },
    requireUserVerification: false,
  }).catch(() => null);
  return verified?.verified ? { ...passkey, counter: verified.authenticationInfo.newCounter } : null;
};
