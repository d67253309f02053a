import { z } from 'zod';
import { changeInput, changeResult, contract, pageInput, pageOf } from '@/lib/contract';
import { passFields } from '@/lib/role-keys/schema';

/**
 * `noTtl`: never expires. `longerThanBand`: more remaining TTL than its family declares. `empty`: no value. `noOwner`:
 * its value is a flag such as 1. `wrongType`: neither a string nor a hash. `tooLarge`: a string of more than 16 KiB, a
 * collection beyond 1000 elements or 1 MiB, or of a module's type. `unreadable`: our Redis user may not read it.
 */
export const LOCK_PROBLEMS = [
  'noTtl',
  'longerThanBand',
  'noOwner',
  'empty',
  'wrongType',
  'tooLarge',
  'unreadable',
] as const;
export type LockProblem = (typeof LOCK_PROBLEMS)[number];

const lock = z.object({
  keyId: z.string(),
  key: z.string(),
  operation: z.string().nullable(),
  entityId: z.string().nullable(),
  owner: z.string().nullable().meta({
    description: 'The beginning of the owner’s token, at most a quarter of it; null without an owner.',
  }),
  ownerDigest: z.string().nullable().meta({
    description: 'Equal for equal owners on this console; reveals nothing of the token.',
  }),
  type: z.string(),
  ttlSeconds: z.number().nullable().meta({ description: 'null does not expire.' }),
  maxTtlSeconds: z.number().nullable().meta({ description: 'What its family declares; null for nothing.' }),
  ageSeconds: z.number().nullable().meta({
    description: 'Declared TTL minus the remaining one, or since this console first saw this owner.',
  }),
  ageIsAtLeast: z.boolean(),
  problems: z.array(z.enum(LOCK_PROBLEMS)),
  etag: z.string().nullable().meta({
    description: 'null where the value cannot be compared completely: such a lock is not released here.',
  }),
  family: z.string(),
  app: z.string(),
});
export type Lock = z.output<typeof lock>;

const base = '/api/v1/connections/{connection}/locks';

export const lockContracts = {
  list: contract({
    id: 'locks.list',
    method: 'GET',
    path: base,
    permission: 'live:view',
    summary: 'Locks with their owners: those with a problem first, then the oldest.',
    input: z.strictObject({
      q: z.string().max(200).optional().meta({ description: 'Part of the key as it is shown.' }),
      operation: z.string().max(300).optional(),
      problem: z.enum([...LOCK_PROBLEMS, 'any']).optional(),
      ...pageInput,
    }),
    result: pageOf(lock).extend({
      total: z.number().nullable().meta({ description: 'All locks; null while the first scan runs.' }),
      withProblems: z.number().nullable(),
      problems: z.record(z.enum(LOCK_PROBLEMS), z.number()).meta({ description: 'Locks by problem.' }),
      operations: z.array(z.string()).meta({ description: 'The first 200, for filters.' }),
      ...passFields,
    }),
  }),
  release: contract({
    id: 'locks.release',
    method: 'POST',
    path: `${base}/release`,
    touches: ['locks', 'overview'],
    permission: 'keys:write',
    summary: 'Deletes a lock if it still has the owner that was shown. It cannot be undone.',
    input: changeInput({ keyId: z.string().min(1).max(12_000), etag: z.string().min(1).max(100) }),
    result: changeResult({
      released: z.literal(true),
      takenAgain: z.boolean().meta({ description: 'The key exists again: somebody took the lock since.' }),
    }),
  }),
};
