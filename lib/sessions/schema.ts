import { z } from 'zod';
import {
  changeInput,
  changeResult,
  contract,
  isoTime,
  jobAccepted,
  pageInput,
  pageOf,
  queryBoolean,
  queryInteger,
} from '@/lib/contract';
import { oauthToken, verificationToken } from './tokens/schema';

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

export const stillValid = z.object({
  kind: z.enum(['session', 'legacySession', 'oauthAccess', 'oauthRefresh', 'verification', 'jwt']),
  userId: z.string(),
  provider: z.string().optional(),
  count: z.number(),
  ttlSeconds: z.number().nullable(),
});
export type StillValid = z.output<typeof stillValid>;

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

const orderFields = {
  sort: z.enum(['lastActivity', 'created', 'expiry']).default('lastActivity'),
  order: z.enum(['asc', 'desc']).default('desc'),
};
export type SessionOrder = z.output<z.ZodObject<typeof orderFields>>;

const revocationFilter = sessionFilter
  .refine((filter) => Object.values(filter).some((value) => value !== undefined), {
    message: 'Name at least one property: a filter does not reach everybody.',
  })
  .refine(({ state }) => state !== 'staleIndex', {
    path: ['state'],
    message: 'Stale index entries let nobody in: they are repaired, not revoked.',
  });

export const revocation = z.object({
  matched: z.number(),
  revoked: z.number(),
  alreadyGone: z.number(),
  remaining: z.number(),
  users: z.number().meta({ description: 'People whose sessions these are.' }),
  alsoRevoked: z.object({ oauth: z.number(), verification: z.number() }),
  stillValid: z.array(stillValid),
  stillValidCut: z.boolean().meta({
    description: 'Too many users: stillValid tells of the first hundred only.',
  }),
  stillValidComplete: z.boolean().meta({
    description:
      'false in a large keyspace that was not searched for these people: stillValid has what indexes and exact keys know.',
  }),
  exact: z.boolean().meta({
    description: 'false for a dry run that ran out of time: there are at least as many.',
  }),
  dryRun: z.boolean(),
});
export type Revocation = z.output<typeof revocation>;

export const REPAIRS = ['staleIndex', 'unindexed', 'ghost', 'legacy', 'noTtl'] as const;
export type RepairKind = (typeof REPAIRS)[number];

const counts = z.partialRecord(z.enum(REPAIRS), z.number());

/** The result of a repair's job: by kind, and in all. */
export const repairResult = z.object({
  dryRun: z.boolean(),
  found: z.number().optional().meta({ description: 'Of all kinds asked for: the sum of `before`.' }),
  before: counts,
  repaired: counts.meta({ description: 'The ended among noTtl too; none in a dry run.' }),
  after: counts.meta({ description: 'Counted again after the work; in a dry run what was found.' }),
  remaining: z.number().optional().meta({ description: 'The sum of `after`.' }),
  ended: z.number().meta({
    description:
      'Of noTtl: older than 30 days already, so that nothing remained; removed, or to be (dry run).',
  }),
  left: z.number().meta({
    description: 'Found and left as they were: changed meanwhile, or without a readable creation time.',
  }),
});
export type RepairResult = z.output<typeof repairResult>;

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

export const proofFigures = z.object({
  matched: z.number(),
  revoked: z.number(),
  alreadyGone: z.number(),
  remaining: z.number(),
});

const auditLine = z.object({
  id: z.string(),
  at: isoTime,
  actor: z.string(),
  action: z.string(),
  target: z.string().nullable(),
  reason: z.string().nullable(),
  outcome: z.enum(['pending', 'succeeded', 'failed']),
  proof: proofFigures.nullable().meta({ description: 'null while it is pending, and where it failed.' }),
});

/** Sessions of a person on a page, unless fewer are asked for. */
const MOST_OF_PERSON = 1000;

const base = '/api/v1/connections/{connection}/sessions';

export const sessionContracts = {
  list: contract({
    id: 'sessions.list',
    method: 'GET',
    path: base,
    permission: 'sessions:view',
    summary:
      'Sessions in the order of the server, a short page at a time; with state legacy or staleIndex those keys and entries.',
    input: z.strictObject({ ...filterFields, ...pageInput }),
    result: pageOf(session).extend({ examined: z.number(), keys: z.number() }),
  }),
  search: contract({
    id: 'sessions.search',
    method: 'GET',
    path: `${base}/search`,
    permission: 'sessions:view',
    summary: 'Goes through all sessions: `match` events as they are found, `progress`, then `end`.',
    input: z.strictObject({ ...filterFields, limit: queryInteger(1, 1_000_000).optional() }),
    result: searchEvent,
    stream: true,
  }),
  stats: contract({
    id: 'sessions.stats',
    method: 'GET',
    path: `${base}/stats`,
    permission: 'sessions:view',
    summary: 'How many sessions, of how many users, in which states; how many tokens.',
    input: z.strictObject({}),
    result: sessionStats,
  }),
  user: contract({
    id: 'sessions.user',
    method: 'GET',
    path: `${base}/users/{userId}`,
    permission: 'sessions:view',
    summary:
      "A person's sessions and tokens: from the index at once, with complete=true also by a scan. More than `limit` sessions come in pages, each in the order asked for.",
    input: z.strictObject({
      userId,
      complete: queryBoolean.default(false),
      ...orderFields,
      cursor: pageInput.cursor.meta({
        description:
          'nextCursor of the page before, with the same complete. Such a page has sessions only: every list but theirs is empty.',
      }),
      limit: queryInteger(1, MOST_OF_PERSON)
        .default(MOST_OF_PERSON)
        .meta({ description: 'Index entries looked at for a page; each is a session, or stale.' }),
    }),
    result: z.object({
      userId: z.string(),
      username: z.string().nullable(),
      sessions: z.array(session).meta({ description: 'Of this page; sorted within it.' }),
      cut: z
        .boolean()
        .meta({ description: 'There are more sessions than are shown: nextCursor leads to them.' }),
      nextCursor: z.string().nullish().meta({ description: 'null on the last page.' }),
      indexEntries: z.number().meta({ description: 'Entries of the whole index, stale ones too.' }),
      oauth: z.array(oauthToken),
      verifications: z.array(verificationToken),
      legacy: z.array(
        z.object({
          handle: sessionHandle,
          fingerprint: z.string(),
          username: z.string(),
          ttlSeconds: z.number().nullable(),
        }),
      ),
      staleIndex: z
        .number()
        .meta({ description: "Among this page's index entries: those without a session." }),
      unindexed: z.number().meta({
        description:
          'Sessions that the index does not know; on the first page all there are, if they were searched for. More than `limit` of them follow on pages after the index.',
      }),
      scanned: z
        .boolean()
        .meta({ description: 'The keyspace was searched for what the index does not know.' }),
      complete: z.boolean().meta({
        description: 'The keyspace was searched too, and nothing is left for further pages.',
      }),
      audit: z.array(auditLine),
      related: z.array(
        z.object({
          family: z.string(),
          title: z.string(),
          key: z.string(),
          keyId: z.string(),
          exists: z.boolean(),
        }),
      ),
    }),
  }),
  revoke: contract({
    id: 'sessions.revoke',
    method: 'POST',
    path: `${base}/revoke`,
    permission: 'sessions:revoke',
    mayQueue: true,
    summary:
      'Ends sessions: the hash, its index entry and a legacy twin together, with a proof. Above 500 sessions, and where the keyspace takes longer than two seconds to search, 202 with a job that has the proof as its result.',
    input: changeInput({
      handles: z.array(sessionHandle).min(1).max(500).optional(),
      userId: userId.optional(),
      filter: revocationFilter.optional(),
      also: z
        .array(z.enum(['oauth', 'verification']))
        .max(2)
        .optional(),
      dryRun: z.boolean().default(false),
    }).refine(
      ({ handles, userId, filter }) =>
        [handles, userId, filter].filter((each) => each !== undefined).length === 1,
      { path: ['handles'], message: 'Name either handles, userId or filter.' },
    ),
    result: z.union([
      changeResult(revocation.shape).extend({
        auditId: z.string().nullable().meta({ description: 'null for a dry run.' }),
      }),
      jobAccepted,
    ]),
  }),
  repair: contract({
    id: 'sessions.repair',
    method: 'POST',
    path: `${base}/repair`,
    permission: 'sessions:revoke',
    status: 202,
    summary:
      'Repairs what applications leave behind, as a job with the counts before and after: stale index entries, unindexed sessions, ghosts, legacy keys, missing TTLs.',
    input: changeInput({
      kinds: z.array(z.enum(REPAIRS)).min(1).max(REPAIRS.length),
      dryRun: z.boolean().default(false),
    }),
    result: jobAccepted,
  }),
};
