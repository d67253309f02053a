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
    message: 'Give at least one condition: an empty filter would match every session.',
  })
  .refine(({ state }) => state !== 'staleIndex', {
    path: ['state'],
    message: 'Stale index entries give no access. Use sessions.repair instead.',
  });

export const revocation = z.object({
  ...proofFigures.shape,
  unverified: z.number().default(0).meta({
    description: 'Sessions that could not be read again, so it is not known whether they still exist.',
  }),
  unread: z.number().default(0).meta({
    description: 'Sessions whose user could not be read: they may be among those meant, and were not ended.',
  }),
  users: z.number().meta({ description: 'Users who own these sessions.' }),
  alsoRevoked: z.object({ oauth: z.number(), verification: z.number() }),
  stillValid: z.array(stillValid),
  stillValidCut: z.boolean().meta({
    description: 'Too many users: stillValid covers the first hundred only.',
  }),
  stillValidComplete: z.boolean().meta({
    description:
      'false in a large keyspace that was not searched for these users: stillValid covers indexes and exact keys only.',
  }),
  exact: z.boolean().meta({
    description: 'false for a dry run that timed out, and where `unread` is not 0: the counts are minimums.',
  }),
  dryRun: z.boolean(),
});
export type Revocation = z.output<typeof revocation>;

export const revocationContracts = {
  revoke: contract({
    id: 'sessions.revoke',
    method: 'POST',
    path: `${SESSIONS_PATH}/revoke`,
    // Not `sessions.search`: it reads the complete keyspace, so the browser drops what it knows to be gone.
    touches: ['sessions.list', 'sessions.user', 'sessions.stats', 'overview', 'tokens'],
    permission: 'sessions:revoke',
    mayQueue: true,
    walks: 'dryRun',
    summary:
      'Revokes sessions: the session, its index entry and its legacy key together, in a cluster one after the other, and verifies it. Above 500 sessions, or where the keyspace takes longer than two seconds to search, 202 with a job that has the verification as its result.',
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
        [handles, userId, filter].filter((field) => field !== undefined).length === 1,
      { path: ['handles'], message: 'Give exactly one of handles, userId and filter.' },
    ),
    result: revocationResult(revocation.shape),
  }),
};
