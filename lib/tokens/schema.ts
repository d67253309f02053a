import { z } from 'zod';
import {
  changeInput,
  contract,
  isoTime,
  LIST_BODY_BYTES,
  pageInput,
  pageOf,
  queryInteger,
} from '@/lib/contract';
import {
  MAX_HANDLE_LENGTH,
  proofFigures,
  revocationResult,
  userId,
  userOfHandle,
} from '@/lib/sessions/schema';

const DIGEST = /^[A-Za-z0-9_-]{22}$/;

/** A digest of the key, for OAuth tokens after the user's id. */
const id = z
  .string()
  .max(MAX_HANDLE_LENGTH)
  .refine((text) => DIGEST.test(text) || userOfHandle(text) !== null, 'This is not a token id.');

const lifetime = {
  createdAt: isoTime.nullable(),
  createdFrom: z.enum(['value', 'ttl']).nullable().meta({
    description: "Whether the time is in the value, or was computed from the TTL and the family's usual TTL.",
  }),
  ttlSeconds: z.number().nullable(),
};

export const oauthToken = z.object({
  id: z.string().meta({ description: 'A digest: the token itself never leaves the server.' }),
  userId: z.string(),
  kind: z.enum(['access', 'refresh']),
  provider: z.string(),
  form: z.enum(['bare', 'json', 'large', 'other']).meta({
    description:
      'The form of the value: a bare token, JSON (or a Python dictionary), too large to parse, or of another type.',
  }),
  ...lifetime,
});
export type OauthToken = z.output<typeof oauthToken>;

export const verificationToken = z.object({
  id: z.string(),
  userId: z.string().nullable(),
  kind: z.literal('verification'),
  type: z.string().nullable(),
  form: z.enum(['hash', 'json']).meta({
    description: '`verification:{user}:{type}:{token}` or `verification_token:{token}`.',
  }),
  ...lifetime,
});
export type VerificationToken = z.output<typeof verificationToken>;

export const oauthState = z.object({ id: z.string(), provider: z.string().nullable(), ...lifetime });
export type OauthState = z.output<typeof oauthState>;

const expiring = {
  expiringWithinSeconds: queryInteger(1, 366 * 86_400)
    .optional()
    .meta({ description: 'Only tokens that expire within this time.' }),
};
const oauthFields = {
  userId: userId.optional(),
  provider: z.string().min(1).max(60).optional(),
  kind: z.enum(['access', 'refresh']).optional(),
  ...expiring,
};
const verificationFields = {
  userId: userId.optional(),
  type: z.string().min(1).max(60).optional(),
  ...expiring,
};
const stateFields = { provider: z.string().min(1).max(60).optional(), ...expiring };

export const tokenFilter = z.strictObject({ ...oauthFields, ...verificationFields });
export type TokenFilter = z.output<typeof tokenFilter>;

export const tokenRevocation = z.object({ ...proofFigures.shape, dryRun: z.boolean() });
export type TokenRevocation = z.output<typeof tokenRevocation>;

const listed = <T extends z.ZodType>(item: T) =>
  pageOf(item).extend({
    examined: z.number(),
    keys: z.number(),
  });

const revokeInput = <S extends z.ZodRawShape>(fields: S) =>
  changeInput({
    ids: z.array(id).min(1).max(500).optional(),
    filter: z
      .strictObject(fields)
      .refine((filter) => Object.values(filter).some((value) => value !== undefined), {
        message: 'Give at least one condition: an empty filter would match every token.',
      })
      .optional(),
    dryRun: z.boolean().default(false),
  }).refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
    path: ['ids'],
    message: 'Give either ids or filter.',
  });

const revokeResult = revocationResult(tokenRevocation.shape);

const base = '/api/v1/connections/{connection}/tokens';

const touches = ['tokens', 'sessions.stats', 'sessions.user', 'overview'];

export const tokenContracts = {
  oauthList: contract({
    id: 'tokens.oauth.list',
    method: 'GET',
    path: `${base}/oauth`,
    permission: 'sessions:view',
    summary: 'OAuth access and refresh tokens by provider, without the token itself.',
    input: z.strictObject({ ...oauthFields, ...pageInput }),
    result: listed(oauthToken),
  }),
  oauthRevoke: contract({
    id: 'tokens.oauth.revoke',
    method: 'POST',
    path: `${base}/oauth/revoke`,
    permission: 'sessions:revoke',
    mayQueue: true,
    walks: 'dryRun',
    touches,
    maxBodyBytes: LIST_BODY_BYTES,
    summary: 'Revokes OAuth tokens in Redis, not at the provider. In a large keyspace 202 with a job.',
    input: revokeInput(oauthFields),
    result: revokeResult,
  }),
  verificationList: contract({
    id: 'tokens.verification.list',
    method: 'GET',
    path: `${base}/verification`,
    permission: 'sessions:view',
    summary: 'Verification tokens of both forms, by type, without the token itself.',
    input: z.strictObject({ ...verificationFields, ...pageInput }),
    result: listed(verificationToken),
  }),
  verificationRevoke: contract({
    id: 'tokens.verification.revoke',
    method: 'POST',
    path: `${base}/verification/revoke`,
    permission: 'sessions:revoke',
    mayQueue: true,
    walks: 'dryRun',
    touches,
    maxBodyBytes: LIST_BODY_BYTES,
    summary: 'Revokes verification tokens. In a large keyspace 202 with a job.',
    input: revokeInput(verificationFields),
    result: revokeResult,
  }),
  stateList: contract({
    id: 'tokens.oauthStates.list',
    method: 'GET',
    path: `${base}/oauth-states`,
    permission: 'sessions:view',
    summary: 'Pending OAuth sign-ins.',
    input: z.strictObject({ ...stateFields, ...pageInput }),
    result: listed(oauthState),
  }),
  stateRevoke: contract({
    id: 'tokens.oauthStates.revoke',
    method: 'POST',
    path: `${base}/oauth-states/revoke`,
    permission: 'sessions:revoke',
    mayQueue: true,
    walks: 'dryRun',
    touches,
    maxBodyBytes: LIST_BODY_BYTES,
    summary: 'Revokes pending OAuth sign-ins. In a large keyspace 202 with a job.',
    input: revokeInput(stateFields),
    result: revokeResult,
  }),
};
