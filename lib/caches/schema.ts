import { z } from 'zod';
import { changeInput, contract, isoTime, jobAccepted, LIST_BODY_BYTES } from '@/lib/contract';

const KEY_ID = /^(?:[sh]\.)?[A-Za-z0-9_-]{1,12000}$/;
const digits = z.string().regex(/^\d{1,32}$/, 'This is decimal digits.');

const fact = z.string().min(1).max(300);

/** An entity of the application that changed. What is known beside its id narrows the target. */
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

/** Result of a job of `caches.invalidate`. `matched` is `deleted + vanished + changed`. */
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

/** Result of a job of `caches.setTtl`. `matched` is the sum of the others without `guarded`. */
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

const base = '/api/v1/connections/{connection}/caches';

export const cacheContracts = {
  preview: contract({
    id: 'caches.preview',
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
    id: 'caches.invalidate',
    method: 'POST',
    path: `${base}/invalidate`,
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
    id: 'caches.setTtl',
    method: 'POST',
    path: `${base}/set-ttl`,
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
    id: 'caches.recovery',
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
