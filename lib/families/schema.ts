import { z } from 'zod';
import {
  changeInput,
  contract,
  isoTime,
  jobAccepted,
  LIST_BODY_BYTES,
  pageOf,
  shortListInput,
} from '@/lib/contract';

const KEY_ID = /^(?:[sh]\.)?[A-Za-z0-9_-]{1,12000}$/;
const digits = z.string().regex(/^\d{1,32}$/, 'This is decimal digits.');

const fact = z.string().min(1).max(300);

/** A changed entity of the application. Facts in addition to its id narrow the target. */
export const changedEntity = z.strictObject({
  kind: z.string().min(1).max(120).meta({
    description:
      'One of the `entities` of `connections.list`; its `ref` where several applications have that kind.',
  }),
  id: fact,
  branches: z.array(z.string().min(1).max(100)).min(1).max(200).optional().meta({
    description: 'Ids of the branches to invalidate, as in the preview; all by default.',
  }),
  slug: fact.optional(),
  authorIds: z.array(digits).min(1).max(50).optional(),
  topicIds: z.array(digits).min(1).max(50).optional(),
  facts: z
    .record(z.string().min(1).max(40), z.union([fact, z.array(fact).min(1).max(50)]))
    .optional()
    .meta({ description: 'What is known of the entity, by the names of its `facts`.' }),
});

/** Target of an invalidation: exact keys, a family narrowed by parameters, a pattern, or an entity. */
const targetFields = {
  keyIds: z.array(z.string().regex(KEY_ID, 'This is not a key id.')).min(1).max(1000).optional(),
  family: z.string().min(1).max(100).optional(),
  params: z.record(z.string().max(100), z.string().min(1).max(500)).optional().meta({
    description:
      'Values of the family’s parameters, with `*` as a wildcard; also of the names inside a `{name=value…}` parameter.',
  }),
  pattern: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'A Redis glob with literal characters; `\\` escapes.' }),
  entity: changedEntity.optional(),
};

const KINDS = ['keyIds', 'family', 'pattern', 'entity'] as const;

type Fields = { [K in (typeof KINDS)[number] | 'params']?: unknown };

const oneTarget = (input: Fields): boolean =>
  KINDS.filter((kind) => input[kind] !== undefined).length === 1 &&
  (input.params === undefined || input.family !== undefined);

const ONE_TARGET = {
  path: ['family'],
  message: 'Name one of keyIds, family (with or without params), pattern or entity.',
};

export const invalidationTarget = z.strictObject(targetFields).refine(oneTarget, ONE_TARGET);
export type InvalidationTarget = z.output<typeof invalidationTarget>;

/** Result of a job of `families.invalidate`. `matched` is `deleted + vanished + changed`. */
export const invalidationResult = z.object({
  matched: z.number(),
  deleted: z.number(),
  vanished: z.number().meta({ description: 'Expired or deleted by others first.' }),
  changed: z.number().meta({ description: 'Skipped because they kept changing.' }),
  guarded: z.number().meta({ description: 'Skipped: sessions, tokens, variables, locks, unknown keys.' }),
  notKept: z.number().meta({ description: 'Deleted without undo: the value is too large to store.' }),
  memoryBytes: z.number().nullable(),
  undoUntil: isoTime.nullable(),
});
export type InvalidationResult = z.output<typeof invalidationResult>;

/** Result of the job that undoes an invalidation. `kept` is the sum of the others. */
export const restorationResult = z.object({
  kept: z.number(),
  restored: z.number(),
  rebuilt: z.number().meta({ description: 'Skipped: the application has written the key again.' }),
  expired: z.number().meta({ description: 'Would have expired by now.' }),
  refused: z.number().meta({
    description: 'Not restored. The job has failed, and the copies stay stored.',
  }),
});
export type RestorationResult = z.output<typeof restorationResult>;

/** Result of a job of `families.setTtl`. `matched` is the sum of the others without `guarded`. */
export const ttlResult = z.object({
  matched: z.number(),
  added: z.number().meta({ description: 'Had no TTL.' }),
  shortened: z.number(),
  shorter: z.number().meta({ description: 'Skipped: expire sooner already.' }),
  vanished: z.number(),
  guarded: z.number(),
  dryRun: z.boolean(),
  undoUntil: isoTime.nullable(),
});
export type TtlResult = z.output<typeof ttlResult>;

const preview = z.object({
  keys: z.number(),
  memoryBytes: z.number().nullable(),
  exact: z.boolean(),
  error: z
    .number()
    .nullable()
    .meta({ description: 'Half width of the 95 % interval, in keys; null when exact.' }),
  byFamily: z.array(
    z.object({
      family: z.string(),
      title: z.string(),
      keys: z.number(),
      sensitive: z.boolean(),
      cache: z
        .boolean()
        .meta({ description: 'The application rebuilds it; otherwise it may be the only copy.' }),
    }),
  ),
  sample: z.array(
    z.object({
      key: z.string(),
      keyId: z.string().nullable().meta({ description: 'null when the key itself contains a secret.' }),
      family: z.string().nullable(),
    }),
  ),
  hitRate: z
    .number()
    .nullable()
    .meta({ description: 'Of the matched families in the last hour; null when unknown.' }),
  expectedMissesPerSecond: z.number().nullable().meta({
    description: 'Hits a second of these keys that would become misses; null when unknown.',
  }),
  undo: z.object({
    possible: z.boolean(),
    keys: z.number(),
    bytes: z.number().meta({ description: 'Memory of the copies before compression.' }),
    why: z.enum(['keys', 'bytes', 'value']).nullable().meta({
      description:
        'Why not all keys can be stored: too many keys, too many bytes, or single values too large.',
    }),
    tooLarge: z.number().meta({ description: 'Keys whose value is too large to store.' }),
    hours: z.number(),
  }),
  branches: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      keys: z.number(),
      included: z.boolean(),
      wider: z
        .boolean()
        .meta({ description: 'Matches more than this entity, because what would narrow it is unknown.' }),
      known: z.boolean().meta({ description: 'false when its key cannot be determined.' }),
    }),
  ),
  needsSensitive: z.boolean(),
});

export type Preview = z.output<typeof preview>;

/** Misses after an invalidation, until they are back to normal. */
export const recovery = z.object({
  state: z.enum(['following', 'normal', 'given-up', 'unknown']).meta({
    description: '`given-up`: not back to normal within the time limit. `unknown`: nothing was measured.',
  }),
  source: z.enum(['families', 'instance']).nullable(),
  families: z.array(z.string()),
  startedAt: isoTime,
  endedAt: isoTime,
  normalMissesPerSecond: z.number().nullable().meta({ description: 'Mean of the five minutes before.' }),
  peakMissesPerSecond: z.number().nullable(),
  extraMisses: z.number().nullable().meta({ description: 'Above normal, until it was normal again.' }),
  normalAt: isoTime.nullable(),
  normalAfterSeconds: z.number().nullable().meta({ description: 'From the end of the job.' }),
  followedUntil: isoTime,
});
export type Recovery = z.output<typeof recovery>;

const base = '/api/v1/connections/{connection}/families';

const figure = z.number().nullable();

const drift = z.object({
  family: z.string(),
  what: z.enum(['type']),
  documented: z.string(),
  found: z.string(),
  keys: z.number().meta({ description: 'Keys stored with the type `found`, out of the `of` keys checked.' }),
  of: z.number(),
});

export const familyRow = z.object({
  family: z.string(),
  app: z.string(),
  title: z.string(),
  purpose: z.string(),
  pattern: z.string(),
  type: z.string().meta({ description: 'As documented in the catalog; `types` has what is stored.' }),
  types: z
    .record(z.string(), z.number())
    .nullable()
    .meta({ description: 'Keys by stored type at the last count; null before the first count.' }),
  drift: z.array(drift).meta({ description: 'Stored types that the catalog does not document.' }),
  params: z.array(z.string()),
  secretParams: z.array(z.string()).meta({ description: 'Parameters that are secrets inside the key.' }),
  grammar: z
    .record(z.string(), z.string())
    .meta({ description: 'What each parameter looks like, in words.' }),
  pairs: z
    .string()
    .nullable()
    .meta({ description: 'The parameter that holds `name=value` pairs joined by `:`.' }),
  ttl: z.string().meta({ description: "The catalog's TTL policy in words." }),
  ttlSeconds: figure.meta({ description: 'The longest TTL that the catalog documents; null without one.' }),
  expires: z
    .boolean()
    .meta({ description: 'Whether every key should have a TTL: keys without one are faults.' }),
  cache: z.boolean(),
  guarded: z.boolean(),
  keys: figure,
  memoryBytes: figure,
  withoutTtl: figure,
  hitRate: figure,
  hits: figure,
  misses: figure,
  source: z.enum(['counters', 'sample', 'none']),
  coverage: figure,
  error: figure.meta({ description: 'Half width of the 95 % confidence interval of hitRate, 0–1.' }),
  windowSeconds: figure.meta({ description: 'Seconds observed in the last hour.' }),
  missesPerSecond: figure,
  originLoadPerSecond: figure.meta({
    description:
      'Estimated loads from the origin per second: one per miss of a cache; null for other families.',
  }),
  sampledAt: isoTime.nullable(),
  countedAt: isoTime.nullable(),
});
export type FamilyRow = z.output<typeof familyRow>;

const bin = z.object({
  fromSeconds: z.number(),
  toSeconds: z.number().nullable(),
  keys: z.number(),
});

export const familyContracts = {
  list: contract({
    id: 'families.list',
    method: 'GET',
    path: '/api/v1/connections/{connection}/families',
    permission: 'view',
    summary:
      "The catalog's families with the last count of each, most keys first. A new count changes the order.",
    input: z.strictObject(shortListInput),
    result: pageOf(familyRow).extend({
      unclassified: z.number().nullable().meta({ description: 'Malformed keys of a family too.' }),
      malformed: z.number().nullable(),
      countedAt: isoTime.nullable(),
      overlaps: z.array(z.object({ families: z.array(z.string()), example: z.string(), winner: z.string() })),
    }),
  }),
  ttl: contract({
    id: 'families.ttl',
    method: 'GET',
    path: '/api/v1/connections/{connection}/families/ttl',
    permission: 'view',
    summary: "A family's TTLs and expiry times at the last count of the keyspace.",
    input: z.strictObject({ family: z.string().min(1).max(100) }),
    result: z.object({
      family: z.string(),
      title: z.string(),
      countedAt: isoTime.nullable(),
      keys: z.number().nullable(),
      withTtl: z.number().nullable(),
      withoutTtl: z.number().nullable(),
      memoryBytes: z.number().nullable(),
      averageKeyBytes: z.number().nullable(),
      averageTtlSeconds: z.number().nullable().meta({ description: 'Of the keys that expire.' }),
      averageAgeSeconds: z.number().nullable().meta({
        description: 'By the documented TTL; null without one.',
      }),
      remaining: z.array(bin).meta({ description: 'Keys by remaining TTL, from the time of the count.' }),
      expiries: z
        .array(z.object({ at: isoTime, seconds: z.number(), keys: z.number() }))
        .meta({ description: 'Keys by expiry time, in bins that get wider with time.' }),
      together: z
        .object({ at: isoTime, seconds: z.number(), keys: z.number(), share: z.number() })
        .nullable()
        .meta({ description: 'The most keys that expire within one bin of the next hour.' }),
    }),
  }),
  preview: contract({
    id: 'families.preview',
    method: 'POST',
    path: `${base}/preview`,
    permission: 'caches:invalidate',
    summary: 'What an invalidation would delete, counted within 2 s or estimated with an error.',
    maxBodyBytes: LIST_BODY_BYTES,
    input: invalidationTarget,
    result: preview,
    walks: true,
  }),
  invalidate: contract({
    id: 'families.invalidate',
    method: 'POST',
    path: `${base}/invalidate`,
    touches: ['jobs.list'],
    permission: 'caches:invalidate',
    summary: 'Deletes the keys of a target in bounded chunks, as a job. Stores copies for undo first.',
    maxBodyBytes: LIST_BODY_BYTES,
    input: changeInput({
      ...targetFields,
      withoutUndo: z.boolean().default(false).meta({
        description:
          'Store no copies. Required when the preview says that undo is not possible (409 `no_undo`).',
      }),
    }).refine(oneTarget, ONE_TARGET),
    result: jobAccepted,
    status: 202,
  }),
  setTtl: contract({
    id: 'families.setTtl',
    method: 'POST',
    path: `${base}/set-ttl`,
    touches: ['jobs.list'],
    permission: 'caches:invalidate',
    summary:
      'Adds a TTL to keys without one and shortens longer ones, plus a random part of the jitter, as a job.',
    maxBodyBytes: LIST_BODY_BYTES,
    input: changeInput({
      ...targetFields,
      ttlSeconds: z.number().int().min(1).max(31_536_000),
      jitterSeconds: z.number().int().min(0).max(31_536_000).default(0),
      dryRun: z.boolean().default(false),
    }).refine(oneTarget, ONE_TARGET),
    result: jobAccepted,
    status: 202,
    walks: 'dryRun',
  }),
  recovery: contract({
    id: 'families.recovery',
    method: 'GET',
    path: `${base}/recovery/{auditId}`,
    permission: 'view',
    summary: 'Misses after an invalidation, and when they were back to normal.',
    input: z.strictObject({
      auditId: z.string().regex(/^[0-9a-f-]{36}$/, 'This is not an audit id.'),
    }),
    result: recovery,
  }),
};
