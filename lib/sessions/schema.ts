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
import { maskSecrets } from '@/lib/keyspace/mask';
import { visibleText } from '@/lib/visible-text';

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

/** A numeric user id. With more than 19 digits it is damaged. */
export const NUMERIC_ID = /^\d{1,19}$/;

/** Visible characters without a special meaning in keys, paths, patterns or before an id; ASCII digits only. */
const WORD_ID = /^(?!#|\.{1,2}$|\d+$|.*[^\P{Nd}0-9])[^\s:*?[\]\\]+$/u;
const MAX_ID_LENGTH = 64;

/** A UUID (RFC 9562) or an ObjectId (MongoDB): ids of many applications, although they look like tokens. */
export const GENERATED_ID =
  /^(?:[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}|[\da-f]{24})$/;

/**
 * Whether this is a user id: a number, a UUID or ObjectId, or a word, such as a health check writes. Text that
 * resembles a token is refused, because ids are displayed and appear in URLs and in the audit log.
 */
export const isUserId = (text: string): boolean =>
  NUMERIC_ID.test(text) ||
  GENERATED_ID.test(text) ||
  (text.length <= MAX_ID_LENGTH &&
    WORD_ID.test(text) &&
    maskSecrets(visibleText(text, MAX_ID_LENGTH), true) === text);

/** The text of an id, in fields and URLs of pages, that `typedUserId` parses. */
export const userIdText = (id: string): string => (NUMERIC_ID.test(id) ? id : `#${id}`);

/** The user id in typed text: a number, a UUID or ObjectId, or any id after `#`. */
export const typedUserId = (text: string): string | null => {
  const id = text.trim().replace(/^#/, '');
  const isPlain = NUMERIC_ID.test(id) || GENERATED_ID.test(id);
  return isUserId(id) && (isPlain || id !== text.trim()) ? id : null;
};

export const userId = z.string().min(1).max(MAX_ID_LENGTH).refine(isUserId, 'This is not a user id.');

const DIGEST = /^[A-Za-z0-9_-]{22}$/;

/** The user of a handle, `{user id}.{digest}`: the id may contain dots. Null without a user. */
export const userOfHandle = (handle: string): string | null => {
  const dot = handle.lastIndexOf('.');
  const user = handle.slice(0, Math.max(dot, 0));
  return DIGEST.test(handle.slice(dot + 1)) && isUserId(user) ? user : null;
};

export const MAX_HANDLE_LENGTH = MAX_ID_LENGTH + 23;

/** The user's id and a digest of the token: the token itself never leaves the server. */
export const sessionHandle = z
  .string()
  .max(MAX_HANDLE_LENGTH)
  .refine((handle) => userOfHandle(handle) !== null, 'This is not a session handle.');

const device = z.object({
  label: z.string().nullable(),
  userAgent: z.string().nullable(),
  address: z.string().nullable(),
});
export type Device = z.output<typeof device>;

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
  device,
  fingerprint: z
    .string()
    .meta({ description: 'Distinguishes sessions without revealing anything about the token.' }),
  indexed: z.boolean(),
  states: z.array(z.enum(SESSION_STATES)).meta({
    description:
      'A ghost has only its last activity, or no user: it comes back when a revoked token is used again.',
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

/** Texts match parts, ignoring case; all given fields must match. */
export const sessionFilter = z.strictObject(filterFields);
export type SessionFilter = z.output<typeof sessionFilter>;

export const orderFields = {
  sort: z.enum(['lastActivity', 'created', 'expiry']).default('lastActivity'),
  order: z.enum(['asc', 'desc']).default('desc'),
};
export type SessionOrder = z.output<z.ZodObject<typeof orderFields>>;

const examined = z.number().meta({
  description: 'Sessions examined. Approximate where the server filters: SCAN may return a key twice.',
});

export const searchProgress = z.object({
  examined: z.number().meta({ description: 'Keys of the keyspace examined, approximate.' }),
  keys: z.number(),
  sessions: examined,
  matches: z.number(),
  ratePerSecond: z.number().meta({ description: 'Keys examined per second.' }),
});
export type SearchProgress = z.output<typeof searchProgress>;

/** Data of the events `match`, `progress` and `end`. */
export const searchEvent = z.union([
  session,
  searchProgress,
  z.object({ reason: z.enum(['complete', 'limit']) }),
]);

export const sessionStats = z.object({
  sessions: z.number().nullable().meta({ description: 'null before the first count.' }),
  users: z.number().nullable(),
  byState: z.record(z.enum(SESSION_STATES), z.number()).nullable(),
  oauth: z.array(z.object({ kind: z.enum(['access', 'refresh']), provider: z.string(), count: z.number() })),
  verifications: z.array(z.object({ type: z.string().nullable(), count: z.number() })),
  oauthStates: z.number().nullable(),
  countedAt: isoTime.nullable(),
  counting: z.boolean().meta({ description: 'A new count is running.' }),
});
export type SessionStats = z.output<typeof sessionStats>;

/** The verified outcome of a revocation: matched, revoked, already gone, and found again afterwards. */
export const proofFigures = z.object({
  matched: z.number(),
  revoked: z.number(),
  alreadyGone: z.number(),
  remaining: z.number(),
});

/** For sessions or tokens: the result, or the job where they are many or the keyspace is large. */
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
      'Sessions in SCAN order, in short pages. With state legacy or staleIndex: legacy keys or stale index entries.',
    input: z.strictObject({ ...filterFields, ...pageInput }),
    result: pageOf(session).extend({ examined, keys: z.number() }),
  }),
  search: contract({
    id: 'sessions.search',
    method: 'GET',
    path: `${SESSIONS_PATH}/search`,
    permission: 'sessions:view',
    summary: 'Searches all sessions: `match` events as they are found, `progress`, then `end`.',
    input: z.strictObject({ ...filterFields, limit: queryInteger(1, 1_000_000).optional() }),
    result: searchEvent,
    stream: true,
    walks: true,
  }),
  stats: contract({
    id: 'sessions.stats',
    method: 'GET',
    path: `${SESSIONS_PATH}/stats`,
    permission: 'sessions:view',
    summary: 'The number of sessions, users and tokens, by state and kind.',
    input: z.strictObject({}),
    result: sessionStats,
  }),
};
