import { z } from 'zod';
import { changeInput, contract, isoTime, jobAccepted } from '@/lib/contract';

/** What an invalidation reaches: exact keys, or a family narrowed by parameters. */
const targetFields = {
  keyIds: z
    .array(z.string().regex(/^[A-Za-z0-9_-]{1,12000}$/, 'This is not a key id.'))
    .min(1)
    .max(1000)
    .optional(),
  family: z.string().min(1).max(100).optional(),
  params: z.record(z.string().max(100), z.string().min(1).max(500)).optional(),
};

const oneTarget = <T extends { keyIds?: unknown; family?: unknown; params?: unknown }>(input: T): boolean =>
  (input.keyIds === undefined) !== (input.family === undefined) &&
  (input.params === undefined || input.family !== undefined);

const ONE_TARGET = { path: ['family'], message: 'Name either keyIds, or family with or without params.' };

export const invalidationTarget = z.strictObject(targetFields).refine(oneTarget, ONE_TARGET);
export type InvalidationTarget = z.output<typeof invalidationTarget>;

export const invalidationResult = z.object({
  matched: z.number(),
  deleted: z.number(),
  vanished: z.number(),
  memoryBytes: z.number().nullable(),
  undoUntil: isoTime.nullable(),
});

const base = '/api/v1/connections/{connection}/caches';

export const cacheContracts = {
  preview: contract({
    id: 'caches.preview',
    method: 'POST',
    path: `${base}/preview`,
    permission: 'caches:invalidate',
    summary: 'What an invalidation would delete: counted within 2 s, else estimated with its error.',
    input: invalidationTarget,
    result: z.object({
      keys: z.number(),
      memoryBytes: z.number().nullable(),
      exact: z.boolean(),
      error: z
        .number()
        .nullable()
        .meta({ description: 'Half width of the 95 % interval, in keys; null when exact.' }),
      byFamily: z.array(
        z.object({ family: z.string(), title: z.string(), keys: z.number(), sensitive: z.boolean() }),
      ),
      sample: z.array(
        z.object({
          key: z.string(),
          keyId: z.string().nullable().meta({ description: 'null where the key itself holds a secret.' }),
          family: z.string().nullable(),
        }),
      ),
      hitRate: z.number().nullable(),
      expectedMissesPerSecond: z.number().nullable(),
      undo: z.object({ possible: z.boolean(), keys: z.number(), bytes: z.number() }),
      branches: z.array(z.object({ id: z.string(), title: z.string(), keys: z.number() })),
      needsSensitive: z.boolean(),
    }),
  }),
  invalidate: contract({
    id: 'caches.invalidate',
    method: 'POST',
    path: `${base}/invalidate`,
    permission: 'caches:invalidate',
    summary: 'Deletes the keys of a target in bounded chunks, as a job.',
    input: changeInput(targetFields).refine(oneTarget, ONE_TARGET),
    result: jobAccepted,
    status: 202,
  }),
};
