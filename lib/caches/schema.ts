import { z } from 'zod';
import { ENTITY_KINDS } from '@/lib/catalog/rules';

export { ENTITY_APP } from '@/lib/catalog/rules';

import { changeInput, contract, isoTime, jobAccepted, LIST_BODY_BYTES } from '@/lib/contract';

const KEY_ID = /^[A-Za-z0-9_-]{1,12000}$/;
const digits = z.string().regex(/^\d{1,32}$/, 'This is decimal digits.');

/** An entity of the application that changed; what is known beside its id narrows what has to go. */
export const changedEntity = z.strictObject({
  kind: z.enum(ENTITY_KINDS),
  id: digits,
  branches: z.array(z.string().min(1).max(100)).min(1).max(200).optional().meta({
    description: 'Ids of the branches that are to go, as a preview names them; all unless said.',
  }),
  slug: z.string().min(1).max(300).optional(),
  authorIds: z.array(digits).min(1).max(50).optional(),
  topicIds: z.array(digits).min(1).max(50).optional(),
});

/** What an invalidation reaches: exact keys, a family narrowed by parameters, a pattern, or what an entity touches. */
const targetFields = {
  keyIds: z.array(z.string().regex(KEY_ID, 'This is not a key id.')).min(1).max(1000).optional(),
  family: z.string().min(1).max(100).optional(),
  params: z.record(z.string().max(100), z.string().min(1).max(500)).optional().meta({
    description:
      'Values of the family’s parameters; `*` stands for any part of one. Of `{name=value…}` parameters the names inside as well.',
  }),
  pattern: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'A Redis glob with something literal in it; `\\` escapes.' }),
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

/** What a job of `caches.invalidate` ends with. `matched` is `deleted + vanished + changed`. */
export const invalidationResult = z.object({
  matched: z.number(),
  deleted: z.number(),
  vanished: z.number().meta({ description: 'Gone by themselves before they were deleted.' }),
  changed: z.number().meta({ description: 'Changed each time they were about to go, and so left alone.' }),
  guarded: z.number().meta({ description: 'Left alone: sessions, tokens, variables, locks, unknown keys.' }),
  notKept: z.number().meta({ description: 'Deleted without undo: the value is too large to be kept.' }),
  memoryBytes: z.number().nullable(),
  undoUntil: isoTime.nullable(),
});
export type InvalidationResult = z.output<typeof invalidationResult>;

/** What the job of `audit.undo` of an invalidation ends with; `kept` is the sum of the others. */
export const restorationResult = z.object({
  kept: z.number(),
  restored: z.number(),
  rebuilt: z.number().meta({ description: 'There again, written by the application: left alone.' }),
  expired: z.number().meta({ description: 'Would have expired by now.' }),
  refused: z.number().meta({
    description:
      'Not restored, each for a reason of its own: the job has failed then, and their copies are kept.',
  }),
});
export type RestorationResult = z.output<typeof restorationResult>;

/** What a job of `caches.setTtl` ends with; `matched` is the sum of the others but `guarded`. */
export const ttlResult = z.object({
  matched: z.number(),
  added: z.number().meta({ description: 'Had no TTL.' }),
  shortened: z.number(),
  shorter: z.number().meta({ description: 'Expire sooner than that already: left as they are.' }),
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
        .meta({ description: 'The application builds it anew; else it may be the only copy.' }),
    }),
  ),
  sample: z.array(
    z.object({
      key: z.string(),
      keyId: z.string().nullable().meta({ description: 'null where the key itself holds a secret.' }),
      family: z.string().nullable(),
    }),
  ),
  hitRate: z.number().nullable().meta({ description: 'Of the families reached, now; null when not known.' }),
  expectedMissesPerSecond: z.number().nullable().meta({
    description: 'Reads that these keys answer now and the origin would have to; null when not known.',
  }),
  undo: z.object({
    possible: z.boolean(),
    keys: z.number(),
    bytes: z.number().meta({ description: 'Memory of what would be kept, before compression.' }),
    why: z.enum(['keys', 'bytes', 'value']).nullable().meta({
      description: 'Why not all can be kept: too many keys, too many bytes, single values too large.',
    }),
    tooLarge: z.number().meta({ description: 'Keys of the sample whose value is too large to be kept.' }),
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
        .meta({ description: 'Reaches more than this entity: what would narrow it is unknown.' }),
      known: z.boolean().meta({ description: 'false: which key it is cannot be found out.' }),
    }),
  ),
  needsSensitive: z.boolean(),
});

export type Preview = z.output<typeof preview>;

/** How misses went after an invalidation, until they were back to normal. */
export const recovery = z.object({
  state: z.enum(['following', 'normal', 'given-up', 'unknown']).meta({
    description:
      '`given-up`: not back to normal within the time it is followed. `unknown`: nothing was measured.',
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
    summary: 'What an invalidation would delete: counted within 2 s, else estimated with its error.',
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
    summary: 'Deletes the keys of a target in bounded chunks, as a job; what goes is kept for undo first.',
    maxBodyBytes: LIST_BODY_BYTES,
    input: changeInput({
      ...targetFields,
      withoutUndo: z.boolean().default(false).meta({
        description:
          'Keep nothing. Required where the preview says that it cannot all be kept (409 `no_undo`).',
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
      'Gives keys without TTL one and shortens longer ones, each by a random part of the jitter longer, as a job.',
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
    summary: 'How misses went after an invalidation, and when they were back to normal.',
    input: z.strictObject({
      auditId: z.string().regex(/^[0-9a-f-]{36}$/, 'This is not an audit id.'),
    }),
    result: recovery,
  }),
};
