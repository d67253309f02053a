import { type Family, family } from '../family';
import { digits, jwt, legacyToken, oneOf, text, token } from '../grammar';

const HOUR = 3600;
const DAY = 86_400;

export const OAUTH_PROVIDERS = [
  'google',
  'github',
  'facebook',
  'twitter',
  'telegram',
  'vk',
  'yandex',
] as const;
export const VERIFICATION_TYPES = [
  'email_verification',
  'phone_verification',
  'password_reset',
  'email_change',
] as const;

/** Not a real token: examples of keys that contain a token need its shape. */
const EXAMPLE_JWT =
  'eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJ1c2VyX2lkIjoxMjMsImV4cCI6MTd9.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

const provider = oneOf('oauth-provider', OAUTH_PROVIDERS);
const verificationType = oneOf('verification-type', VERIFICATION_TYPES);
const username = text('username', ':\0\n\r\t', 'a user name without ":"', 256);

const ofUser = { user_id: 'user_id' };

const sessions: readonly Family[] = [
  family({
    id: 'discours.session',
    pattern: 'session:{user_id}:{token}',
    examples: [`session:123:${EXAMPLE_JWT}`],
    params: { user_id: digits, token: jwt },
    type: 'hash',
    ttl: { seconds: 30 * DAY },
    sensitive: ['token'],
    sensitiveFields: ['auth_data'],
    related: [
      { family: 'discours.user-sessions', params: ofUser },
      { family: 'discours.author-id', params: { id: 'user_id' } },
    ],
    role: 'session',
    parts: {
      token: { param: 'token' },
      userId: { param: 'user_id' },
      sameUserId: { field: 'user_id' },
      username: { field: 'username' },
      createdAt: { field: 'created_at', unit: 's' },
      lastActivity: { field: 'last_activity', unit: 's' },
      device: { field: 'device_info', format: 'json' },
    },
    title: 'Sessions',
    purpose: 'A session: its user, sign-in time and device.',
  }),
  family({
    id: 'discours.user-sessions',
    pattern: 'user_sessions:{user_id}',
    examples: ['user_sessions:123'],
    params: { user_id: digits },
    type: 'set',
    ttl: { seconds: 30 * DAY },
    sensitiveValue: true,
    related: [{ family: 'discours.author-id', params: { id: 'user_id' } }],
    role: 'session-index',
    parts: { userId: { param: 'user_id' }, token: { member: 'token' } },
    title: 'Session index',
    purpose:
      "A user's live session tokens. Entries can be stale or missing: sessions themselves are found by scanning.",
  }),
  family({
    id: 'discours.legacy-session',
    pattern: '{user_id}-{username}-{token}',
    examples: [
      '123-anna-4f5b8e0c9d7a6b3e2f1d',
      '123-anna-maria-4f5b8e0c9d7a6b3e2f1d',
      `123-anna-maria-${EXAMPLE_JWT}`,
    ],
    params: { user_id: digits, username, token: legacyToken },
    type: 'string',
    ttl: 'any',
    sensitive: ['token'],
    sensitiveValue: true,
    related: [
      { family: 'discours.user-sessions', params: ofUser },
      { family: 'discours.author-id', params: { id: 'user_id' } },
    ],
    role: 'legacy-session',
    parts: {
      userId: { param: 'user_id' },
      username: { param: 'username' },
      token: { param: 'token' },
    },
    title: 'Legacy sessions',
    purpose: 'Sessions in the deprecated format: found, counted and cleaned up.',
  }),
];

const tokens: readonly Family[] = [
  family({
    id: 'discours.oauth-access',
    pattern: 'oauth_access:{user_id}:{provider}',
    examples: [...OAUTH_PROVIDERS.map((name) => `oauth_access:123:${name}`)],
    params: { user_id: digits, provider },
    type: 'string',
    ttl: { seconds: HOUR },
    sensitiveValue: true,
    related: [
      { family: 'discours.oauth-refresh', params: { user_id: 'user_id', provider: 'provider' } },
      { family: 'discours.user-sessions', params: ofUser },
    ],
    role: 'access-token',
    parts: {
      userId: { param: 'user_id' },
      provider: { param: 'provider' },
      createdAt: { field: 'created_at', unit: 's' },
    },
    title: 'OAuth access tokens',
    purpose: "A provider's access token: bare, or JSON with its provider, user and expiry.",
  }),
  family({
    id: 'discours.oauth-refresh',
    pattern: 'oauth_refresh:{user_id}:{provider}',
    examples: [...OAUTH_PROVIDERS.map((name) => `oauth_refresh:123:${name}`)],
    params: { user_id: digits, provider },
    type: 'string',
    ttl: { seconds: 30 * DAY },
    sensitiveValue: true,
    related: [
      { family: 'discours.oauth-access', params: { user_id: 'user_id', provider: 'provider' } },
      { family: 'discours.user-sessions', params: ofUser },
    ],
    role: 'refresh-token',
    parts: {
      userId: { param: 'user_id' },
      provider: { param: 'provider' },
      createdAt: { field: 'created_at', unit: 's' },
    },
    title: 'OAuth refresh tokens',
    purpose: "A provider's refresh token: bare, or JSON with its provider, user and expiry.",
  }),
  family({
    id: 'discours.oauth-state',
    pattern: 'oauth_state:{state}',
    examples: ['oauth_state:a1b2c3d4e5f6'],
    params: { state: token },
    type: 'hash',
    ttl: { seconds: 600 },
    sensitive: ['state'],
    sensitiveFields: ['csrf_token'],
    role: 'sign-in-state',
    parts: {
      token: { param: 'state' },
      provider: { field: 'provider' },
      createdAt: { field: 'created_at', unit: 's' },
    },
    title: 'OAuth states',
    purpose: 'A pending sign-in at a provider: where to return to, and its CSRF token.',
  }),
  family({
    id: 'discours.verification',
    pattern: 'verification:{user_id}:{type}:{token}',
    examples: [...VERIFICATION_TYPES.map((type) => `verification:123:${type}:8f-2_c`)],
    params: { user_id: digits, type: verificationType, token },
    type: 'hash',
    ttl: { seconds: HOUR },
    sensitive: ['token'],
    sensitiveFields: ['data'],
    related: [
      { family: 'discours.user-sessions', params: ofUser },
      { family: 'discours.author-id', params: { id: 'user_id' } },
    ],
    role: 'verification-token',
    parts: {
      userId: { param: 'user_id' },
      type: { param: 'type' },
      token: { param: 'token' },
      createdAt: { field: 'created_at', unit: 's' },
    },
    title: 'Verification tokens',
    purpose: 'Confirms an e-mail address, a phone number, a password reset or a change of address.',
  }),
  family({
    id: 'discours.verification-token',
    pattern: 'verification_token:{token}',
    examples: ['verification_token:kZ_8-x'],
    params: { token },
    type: 'string',
    // email_change 3600, password_reset 1800, phone_change 600.
    ttl: { minSeconds: 600, maxSeconds: HOUR },
    sensitive: ['token'],
    sensitiveValue: true,
    role: 'verification-token',
    parts: {
      token: { param: 'token' },
      userId: { field: 'user_id' },
      type: { field: 'verification_type', or: ['token_type', 'type'] },
      createdAt: { field: 'created_at', unit: 's' },
    },
    title: 'Verification tokens (as written)',
    purpose: 'The JSON confirmation token that the application really writes.',
  }),
];

export const discoursAccessFamilies: readonly Family[] = [...sessions, ...tokens];
