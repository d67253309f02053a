import { z } from 'zod';
import {
  changeInput,
  changeResult,
  contract,
  isoTime,
  pageInput,
  pageOf,
  queryBoolean,
} from '@/lib/contract';

export const SESSION_STATES = ['live', 'unindexed', 'ghost', 'noTtl', 'malformed'] as const;

/** A user id as the applications write them: digits (keyspace.md). */
export const userId = z.string().regex(/^\d{1,19}$/, 'A user id is a number.');

/** The user's id and a digest of the token: the token itself never leaves the server. */
export const sessionHandle = z
  .string()
  .regex(/^\d{1,19}\.[A-Za-z0-9_-]{22}$/, 'This is not a session handle.');

export const session = z.object({
  handle: sessionHandle
    .nullable()
    .meta({ description: 'null where the key is too damaged to name its user.' }),
  userId: z.string().nullable(),
  username: z.string().nullable(),
  createdAt: isoTime.nullable(),
  lastActivity: isoTime.nullable(),
  expiresAt: isoTime.nullable(),
  ttlSeconds: z.number().nullable(),
  device: z.object({
    label: z.string().nullable(),
    userAgent: z.string().nullable(),
    address: z.string().nullable(),
  }),
  fingerprint: z
    .string()
    .meta({ description: 'Tells two sessions apart without saying anything of the token.' }),
  indexed: z.boolean(),
  states: z.array(z.enum(SESSION_STATES)),
  jwt: z
    .object({
      issuedAt: isoTime.nullable(),
      expiresAt: isoTime.nullable(),
      subject: z.string().nullable(),
      disagreements: z.array(z.string()),
    })
    .nullable()
    .meta({ description: "The token's own claims, decoded and not verified." }),
});
export type Session = z.output<typeof session>;

export const stillValid = z.object({
  kind: z.enum(['session', 'legacySession', 'oauthAccess', 'oauthRefresh', 'verification', 'jwt']),
  userId: z.string(),
  provider: z.string().optional(),
  count: z.number(),
  ttlSeconds: z.number().nullable(),
});
export type StillValid = z.output<typeof stillValid>;

export const tokenSummary = z.object({
  id: z.string(),
  kind: z.enum(['access', 'refresh', 'verification']),
  provider: z.string().nullable(),
  type: z.string().nullable(),
  ttlSeconds: z.number().nullable(),
});

const base = '/api/v1/connections/{connection}/sessions';

export const sessionContracts = {
  list: contract({
    id: 'sessions.list',
    method: 'GET',
    path: base,
    permission: 'sessions:view',
    summary: 'Sessions in the order of the server, a short page at a time.',
    input: z.strictObject({
      username: z.string().max(200).optional(),
      device: z.string().max(200).optional(),
      state: z.enum(SESSION_STATES).optional(),
      ...pageInput,
    }),
    result: pageOf(session).extend({ examined: z.number(), keys: z.number() }),
  }),
  user: contract({
    id: 'sessions.user',
    method: 'GET',
    path: `${base}/users/{userId}`,
    permission: 'sessions:view',
    summary: "A person's sessions and tokens: from the index at once, with complete=true also by a scan.",
    input: z.strictObject({ userId, complete: queryBoolean.default(false) }),
    result: z.object({
      userId: z.string(),
      username: z.string().nullable(),
      sessions: z.array(session),
      oauth: z.array(tokenSummary),
      verifications: z.array(tokenSummary),
      legacy: z.array(
        z.object({ fingerprint: z.string(), username: z.string(), ttlSeconds: z.number().nullable() }),
      ),
      staleIndex: z.number(),
      unindexed: z.number(),
      complete: z.boolean(),
    }),
  }),
  revoke: contract({
    id: 'sessions.revoke',
    method: 'POST',
    path: `${base}/revoke`,
    permission: 'sessions:revoke',
    summary: 'Ends sessions: the hash, its index entry and a legacy twin together, with a proof.',
    input: changeInput({
      handles: z.array(sessionHandle).min(1).max(500).optional(),
      userId: userId.optional(),
      also: z
        .array(z.enum(['oauth', 'verification']))
        .max(2)
        .optional(),
      dryRun: z.boolean().default(false),
    }).refine((input) => (input.handles === undefined) !== (input.userId === undefined), {
      path: ['handles'],
      message: 'Name either handles or userId.',
    }),
    result: changeResult({
      matched: z.number(),
      revoked: z.number(),
      alreadyGone: z.number(),
      remaining: z.number(),
      alsoRevoked: z.object({ oauth: z.number(), verification: z.number() }),
      stillValid: z.array(stillValid),
      dryRun: z.boolean(),
    }).extend({ auditId: z.string().nullable().meta({ description: 'null for a dry run.' }) }),
  }),
};
