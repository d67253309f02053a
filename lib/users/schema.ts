import { z } from 'zod';
import { changeFields, contract, isoTime, noInput, pageOf, shortListInput } from '@/lib/contract';
import { ROLES, USER_ROLES } from '@/lib/permissions';
import { preferences } from './preferences/schema';

export const email = z
  .email('This is not an e-mail address.')
  .max(254)
  .transform((v) => v.trim().toLowerCase());
export const MIN_PASSWORD = 10;
export const password = z
  .string()
  .min(MIN_PASSWORD, `A password has at least ${MIN_PASSWORD} characters.`)
  .max(1024);

export const user = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.enum(USER_ROLES),
  disabled: z.boolean(),
  /** Whether the user has one of Keyward's own. */
  secondFactor: z.boolean(),
  createdAt: isoTime,
  lastSeenAt: isoTime.nullable(),
});
const listedUser = user.extend({
  /** API tokens that end with the user. */
  tokens: z.number().int(),
  /** Not written by Keyward: the user is refused and can only be disabled. */
  changedOutside: z.boolean(),
  invited: z.boolean().meta({ description: 'Has no password and never signed in at a provider.' }),
  linkUntil: isoTime.nullable().meta({ description: 'Until when a link sets a password; null without one.' }),
});
export type User = z.output<typeof listedUser>;
const tokensEnded = z.number().int();

export const apiToken = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  createdAt: isoTime,
  createdBy: z.string(),
  expiresAt: isoTime.nullable(),
  lastUsedAt: isoTime.nullable(),
});
const listedApiToken = apiToken.extend({
  /** API tokens that end with it: those it created, directly or through others. */
  tokens: z.number().int(),
  /** Not written by Keyward: the token is refused and can only be revoked. */
  changedOutside: z.boolean(),
});
export type ApiToken = z.output<typeof listedApiToken>;

export const userId = z.string().regex(/^[0-9a-f-]{36}$/, 'This is not a user id.');
export const name = z.string().trim().min(1).max(120);

export const userContracts = {
  list: contract({
    id: 'users.list',
    method: 'GET',
    path: '/api/v1/users',
    permission: 'users:manage',
    summary: "The console's users, oldest first.",
    input: z.strictObject({
      q: z.string().max(200).optional().meta({ description: 'Part of the name or e-mail address.' }),
      ...shortListInput,
    }),
    result: pageOf(listedUser),
  }),
  create: contract({
    id: 'users.create',
    method: 'POST',
    path: '/api/v1/users',
    permission: 'users:manage',
    summary: 'Creates a user. 409 when the address is taken.',
    input: z.strictObject({ email, name, role: z.enum(USER_ROLES), password, ...changeFields }),
    result: z.object({ user, auditId: z.string() }),
    status: 201,
  }),
  update: contract({
    id: 'users.update',
    method: 'PATCH',
    path: '/api/v1/users/{id}',
    touches: ['users', 'tokens.api'],
    permission: 'users:manage',
    summary:
      "Changes name, role or disabled, resets the password, or signs out everywhere. Disabling, a role with fewer permissions and a new password end the user's API tokens.",
    input: z.strictObject({
      id: userId,
      name: name.optional(),
      role: z.enum(USER_ROLES).optional(),
      disabled: z.boolean().optional(),
      password: password.optional(),
      signOutEverywhere: z.boolean().optional(),
      ...changeFields,
    }),
    result: z.object({ user, tokensEnded, auditId: z.string() }),
  }),
};

export const accountContracts = {
  get: contract({
    id: 'account.get',
    method: 'GET',
    path: '/api/v1/account',
    permission: 'signed-in',
    summary: 'The signed-in user, with role and permissions.',
    input: noInput,
    result: z.object({
      id: z.string(),
      email: z.string().nullable(),
      name: z.string(),
      role: z.enum(ROLES),
      permissions: z.array(z.string()),
      preferences: preferences.nullable().meta({ description: 'null for an API token.' }),
    }),
  }),
  changePassword: contract({
    id: 'account.changePassword',
    method: 'POST',
    path: '/api/v1/account/password',
    permission: 'signed-in',
    summary:
      'Changes your own password. All of your sessions end, including this one, and so do your API tokens: sign in again.',
    input: z.strictObject({ currentPassword: z.string().min(1).max(1024), newPassword: password }),
    result: z.object({ tokensEnded, auditId: z.string() }),
  }),
  signOutEverywhere: contract({
    id: 'account.signOutEverywhere',
    method: 'POST',
    path: '/api/v1/account/sign-out-everywhere',
    permission: 'signed-in',
    summary: 'Ends all of your own sessions in this console, including this one.',
    input: noInput,
    result: z.object({ auditId: z.string() }),
  }),
  setup: contract({
    id: 'account.setup',
    method: 'POST',
    path: '/api/v1/setup',
    permission: 'public',
    summary: 'Creates the first admin with the one-time set-up code printed at start.',
    input: z.strictObject({ code: z.string().min(1).max(100), email, name, password }),
    result: z.object({ user }),
    status: 201,
  }),
};

export const apiTokenContracts = {
  list: contract({
    id: 'tokens.api.list',
    method: 'GET',
    path: '/api/v1/api-tokens',
    permission: 'users:manage',
    summary: 'API tokens, oldest first, without the token itself.',
    input: z.strictObject(shortListInput),
    result: pageOf(listedApiToken),
  }),
  create: contract({
    id: 'tokens.api.create',
    method: 'POST',
    path: '/api/v1/api-tokens',
    touches: ['tokens.api', 'users'],
    permission: 'users:manage',
    summary:
      'Creates an API token, which is shown only once. A token created by another token ends with it, and cannot outlive it.',
    input: z.strictObject({ name, role: z.enum(ROLES), expiresAt: isoTime.nullable(), ...changeFields }),
    result: z.object({ apiToken, token: z.string(), auditId: z.string() }),
    status: 201,
  }),
  revoke: contract({
    id: 'tokens.api.revoke',
    method: 'DELETE',
    path: '/api/v1/api-tokens/{id}',
    touches: ['tokens.api', 'users'],
    permission: 'users:manage',
    summary: 'Revokes an API token immediately, and those it created.',
    input: z.strictObject({ id: userId, ...changeFields }),
    result: z.object({ id: z.string(), alsoEnded: z.number().int(), auditId: z.string() }),
  }),
};
