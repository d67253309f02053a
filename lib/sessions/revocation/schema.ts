import { z } from 'zod';
import { changeInput, contract, LIST_BODY_BYTES } from '@/lib/contract';
import {
  proofFigures,
  revocationResult,
  SESSIONS_PATH,
  sessionFilter,
  sessionHandle,
  userId,
} from '../schema';

export const stillValid = z.object({
  kind: z.enum(['session', 'legacySession', 'oauthAccess', 'oauthRefresh', 'verification', 'jwt']),
  userId: z.string(),
  provider: z.string().optional(),
  count: z.number(),
  ttlSeconds: z.number().nullable(),
});
export type StillValid = z.output<typeof stillValid>;

const revocationFilter = sessionFilter
  .refine((filter) => Object.values(filter).some((value) => value !== undefined), {
    message: 'Name at least one property: a filter does not reach everybody.',
  })
  .refine(({ state }) => state !== 'staleIndex', {
    path: ['state'],
    message: 'Stale index entries let nobody in: they are repaired, not revoked.',
  });

export const revocation = z.object({
  ...proofFigures.shape,
  unverified: z.number().default(0).meta({
    description: 'Sessions that could not be read again: whether they are gone is not known.',
  }),
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

export const revocationContracts = {
  revoke: contract({
    id: 'sessions.revoke',
    method: 'POST',
    path: `${SESSIONS_PATH}/revoke`,
    permission: 'sessions:revoke',
    mayQueue: true,
    walks: 'dryRun',
    summary:
      'Ends sessions: the hash, its index entry and a legacy twin together, with a proof. Above 500 sessions, and where the keyspace takes longer than two seconds to search, 202 with a job that has the proof as its result.',
    maxBodyBytes: LIST_BODY_BYTES,
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
    result: revocationResult(revocation.shape),
  }),
};
