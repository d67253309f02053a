import type { Family } from '../family';
import { ownId, word } from '../grammar';
import { DAY, digest, id, own } from './console-own';

/** Users, API tokens and what guards signing in. */
export const accessFamilies = {
  user: own('user', ':{id}', {
    params: id,
    type: 'hash',
    ttl: 'persistent',
    sensitiveFields: ['passwordHash'],
    title: 'Users',
    purpose: 'A user of the console.',
  }),
  userEmail: own('user-email', ':{digest}', {
    params: digest,
    type: 'string',
    ttl: 'persistent',
    title: 'Users by e-mail',
    purpose: "A user's id by the digest of the address.",
  }),
  users: own('users', '', {
    type: 'set',
    ttl: 'persistent',
    title: 'User index',
    purpose: 'Ids of all users.',
  }),
  setupCode: own('setup-code', '', {
    type: 'string',
    ttl: { minSeconds: 60, maxSeconds: 30 * DAY },
    sensitiveValue: true,
    title: 'Set-up code',
    purpose: 'The one-time code with which the first administrator is made.',
  }),
  apiToken: own('api-token', ':{id}', {
    params: id,
    type: 'hash',
    ttl: 'any',
    sensitiveFields: ['digest'],
    title: 'API tokens',
    purpose: 'An API token: name, role, expiry, last use; never the token.',
  }),
  apiTokenDigest: own('api-token-digest', ':{digest}', {
    params: digest,
    type: 'string',
    ttl: 'any',
    sensitive: ['digest'],
    title: 'API tokens by digest',
    purpose: "An API token's id by the digest of the token.",
  }),
  apiTokens: own('api-tokens', '', {
    type: 'set',
    ttl: 'persistent',
    title: 'API token index',
    purpose: 'Ids of all API tokens.',
  }),
  throttle: own('throttle', ':{kind}:{digest}', {
    params: { kind: word, digest: ownId },
    type: 'hash',
    ttl: { minSeconds: 1, maxSeconds: DAY },
    title: 'Sign-in throttle',
    purpose: 'Failed sign-ins of an account or an address.',
  }),
  secrets: own('secrets', '', {
    type: 'string',
    ttl: 'persistent',
    title: 'Secrets in use',
    purpose: 'A digest of the secrets of the processes on this store, so that one with others is refused.',
  }),
} as const satisfies Record<string, Family>;
