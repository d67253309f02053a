import { z } from 'zod';
import { changeInput, contract, isoTime, pageInput, pageOf, queryInteger } from '@/lib/contract';
import { proofFigures, revocationResult, userId } from '../schema';

const id = z.string().regex(/^(\d{1,19}\.)?[A-Za-z0-9_-]{22}$/, 'This is not the id of a token.');

const lifetime = {
  createdAt: isoTime.nullable(),
  createdFrom: z.enum(['value', 'ttl']).nullable().meta({
    description: "Whether the value says so, or it follows from the TTL and the family's usual one.",
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
      'What the value is: a token, JSON (or a Python dictionary), too large to look into, or of another type.',
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
    .meta({ description: 'Only what expires within this time; what never expires does not.' }),
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
        message: 'Name at least one property: a filter does not reach everything.',
      })
      .optional(),
    dryRun: z.boolean().default(false),
  }).refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
    path: ['ids'],
    message: 'Name either ids or filter.',
  });

const revokeResult = revocationResult(tokenRevocation.shape);

const base = '/api/v1/connections/{connection}/tokens';

export const tokenContracts = {
  oauthList: contract({
    id: 'tokens.oauth.list',
    method: 'GET',
    path: `${base}/oauth`,
    permission: 'sessions:view',
    summary: 'OAuth access and refresh tokens by provider: never the token.',
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
    summary: 'Deletes OAuth tokens here; the provider keeps its own. In a large keyspace 202 with a job.',
    input: revokeInput(oauthFields),
    result: revokeResult,
  }),
  verificationList: contract({
    id: 'tokens.verification.list',
    method: 'GET',
    path: `${base}/verification`,
    permission: 'sessions:view',
    summary: 'Verification tokens of both forms, by type: never the token.',
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
    summary: 'Deletes verification tokens. In a large keyspace 202 with a job.',
    input: revokeInput(verificationFields),
    result: revokeResult,
  }),
  stateList: contract({
    id: 'tokens.oauthStates.list',
    method: 'GET',
    path: `${base}/oauth-states`,
    permission: 'sessions:view',
    summary: 'Sign-ins under way at a provider.',
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
    summary: 'Ends sign-ins under way. In a large keyspace 202 with a job.',
    input: revokeInput(stateFields),
    result: revokeResult,
  }),
};
