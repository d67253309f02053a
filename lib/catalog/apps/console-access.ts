import type { Family } from '../family';
import { DAY, own, within } from './console-own';

/** Users, API tokens and what guards signing in. */
export const accessFamilies = {
  user: own('user:{id}', 'hash', 'persistent', {
    sensitiveFields: ['passwordHash'],
    title: 'Users',
    purpose: 'A user of the console.',
  }),
  userEmail: own('user-email:{digest}', 'string', 'persistent', {
    title: 'Users by e-mail',
    purpose: "A user's id by the digest of the address.",
  }),
  users: own('users', 'set', 'persistent', {
    title: 'User index',
    purpose: 'Ids of all users.',
  }),
  setupCode: own('setup-code', 'string', within(60, 30 * DAY), {
    sensitiveValue: true,
    title: 'Set-up code',
    purpose: 'The one-time code with which the first administrator is made.',
  }),
  apiToken: own('api-token:{id}', 'hash', 'any', {
    sensitiveFields: ['digest'],
    title: 'API tokens',
    purpose: 'An API token: name, role, expiry, last use; never the token.',
  }),
  apiTokenDigest: own('api-token-digest:{digest}', 'string', 'any', {
    sensitive: ['digest'],
    title: 'API tokens by digest',
    purpose: "An API token's id by the digest of the token.",
  }),
  apiTokens: own('api-tokens', 'set', 'persistent', {
    title: 'API token index',
    purpose: 'Ids of all API tokens.',
  }),
  throttle: own('throttle:{kind}:{digest}', 'hash', within(1, DAY), {
    title: 'Sign-in throttle',
    purpose: 'Failed sign-ins of an account or an address.',
  }),
  secrets: own('secrets', 'string', 'persistent', {
    title: 'Secrets in use',
    purpose: 'A digest of the secrets of the processes on this store, so that one with others is refused.',
  }),
} as const satisfies Record<string, Family>;
