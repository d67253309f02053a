import { z } from 'zod';
import {
  changeResult,
  contract,
  isoTime,
  jobAccepted,
  pageInput,
  pageOf,
  queryInteger,
} from '@/lib/contract';

export const SESSION_STATES = [
  'live',
  'unindexed',
  'ghost',
  'noTtl',
  'legacy',
  'malformed',
  'staleIndex',
] as const;
export type SessionState = (typeof SESSION_STATES)[number];

/** A user id as the applications write them: digits (keyspace.md). More than 19 are damage. */
export const USER_ID = /^\d{1,19}$/;
export const userId = z.string().regex(USER_ID, 'A user id is a number.');

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
  states: z.array(z.enum(SESSION_STATES)).meta({
    description: 'A ghost has only last_activity: it comes back when a revoked token is used again.',
  }),
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

const filterFields = {
  username: z.string().min(1).max(200).optional(),
  device: z.string().min(1).max(200).optional(),
  address: z.string().min(1).max(100).optional(),
  state: z.enum(SESSION_STATES).optional(),
  idleLongerThanSeconds: queryInteger(0, 10 * 366 * 86_400).optional(),
};

/** Texts are looked for as parts, whatever the case; every field given must fit. */
export const sessionFilter = z.strictObject(filterFields);
export type SessionFilter = z.output<typeof sessionFilter>;

export const orderFields = {
  sort: z.enum(['lastActivity', 'created', 'expiry']).default('lastActivity'),
  order: z.enum(['asc', 'desc']).default('desc'),
};
export type SessionOrder = z.output<z.ZodObject<typeof orderFields>>;

export const searchProgress = z.object({
  examined: z.number().meta({ description: 'Keys of the keyspace gone through, about.' }),
  keys: z.number(),
  sessions: z.number().meta({ description: 'Sessions looked at.' }),
  matches: z.number(),
  ratePerSecond: z.number().meta({ description: 'Keys gone through in a second.' }),
});
export type SearchProgress = z.output<typeof searchProgress>;

/** Data of the events `match`, `progress` and `end`. */
export const searchEvent = z.union([
  session,
  searchProgress,
  z.object({ reason: z.enum(['complete', 'limit']) }),
]);

export const sessionStats = z.object({
  sessions: z.number().nullable().meta({ description: 'null until they were counted for the first time.' }),
  users: z.number().nullable(),
  byState: z.record(z.enum(SESSION_STATES), z.number()).nullable(),
  oauth: z.array(z.object({ kind: z.enum(['access', 'refresh']), provider: z.string(), count: z.number() })),
  verifications: z.array(z.object({ type: z.string().nullable(), count: z.number() })),
  oauthStates: z.number().nullable(),
  countedAt: isoTime.nullable(),
  counting: z.boolean().meta({ description: 'A newer count is under way.' }),
});
export type SessionStats = z.output<typeof sessionStats>;

/** What a revocation proves: what was named or found, ended, gone before, and found again afterwards. */
export const proofFigures = z.object({
  matched: z.number(),
  revoked: z.number(),
  alreadyGone: z.number(),
  remaining: z.number(),
});

/** Of sessions or tokens: at once, or as a job where they are many or the keyspace is large. */
export const revocationResult = <S extends z.ZodRawShape>(shape: S) =>
  z.union([
    changeResult(shape).extend({
      auditId: z.string().nullable().meta({ description: 'null for a dry run.' }),
    }),
    jobAccepted,
  ]);

export const SESSIONS_PATH = '/api/v1/connections/{connection}/sessions';

export const sessionContracts = {
  list: contract({
    id: 'sessions.list',
    method: 'GET',
    path: SESSIONS_PATH,
    permission: 'sessions:view',
    summary:
      'Sessions in the order of the server, a short page at a time; with state legacy or staleIndex those keys and entries.',
    input: z.strictObject({ ...filterFields, ...pageInput }),
    result: pageOf(session).extend({ examined: z.number(), keys: z.number() }),
  }),
  search: contract({
    id: 'sessions.search',
    method: 'GET',
    path: `${SESSIONS_PATH}/search`,
    permission: 'sessions:view',
    summary: 'Goes through all sessions: `match` events as they are found, `progress`, then `end`.',
    input: z.strictObject({ ...filterFields, limit: queryInteger(1, 1_000_000).optional() }),
    result: searchEvent,
    stream: true,
  }),
  stats: contract({
    id: 'sessions.stats',
    method: 'GET',
    path: `${SESSIONS_PATH}/stats`,
    permission: 'sessions:view',
    summary: 'How many sessions, of how many users, in which states; how many tokens.',
    input: z.strictObject({}),
    result: sessionStats,
  }),
};
