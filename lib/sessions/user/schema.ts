import { z } from 'zod';
import { contract, isoTime, pageInput, queryBoolean, queryInteger } from '@/lib/contract';
import { oauthToken, verificationToken } from '@/lib/tokens/schema';
import { orderFields, proofFigures, SESSIONS_PATH, session, sessionHandle, userId } from '../schema';

const auditLine = z.object({
  id: z.string(),
  at: isoTime,
  actor: z.string(),
  action: z.string(),
  target: z.string().nullable(),
  reason: z.string().nullable(),
  outcome: z.enum(['pending', 'succeeded', 'failed']),
  proof: proofFigures.nullable().meta({ description: 'null while pending or after a failure.' }),
});

/** The default and maximum number of sessions per page. */
const MAX_PAGE_SIZE = 1000;

export const sessionUserContracts = {
  user: contract({
    id: 'sessions.user',
    method: 'GET',
    path: `${SESSIONS_PATH}/users/{userId}`,
    permission: 'sessions:view',
    walks: 'complete',
    summary:
      "A user's sessions and tokens, from the index and, with complete=true, also by a scan. More than `limit` sessions come in pages, each sorted.",
    input: z.strictObject({
      userId,
      complete: queryBoolean.default(false),
      ...orderFields,
      cursor: pageInput.cursor.meta({
        description:
          'nextCursor of the previous page, with the same complete. Such a page has sessions only: all other lists are empty.',
      }),
      limit: queryInteger(1, MAX_PAGE_SIZE)
        .default(MAX_PAGE_SIZE)
        .meta({ description: 'Index entries per page; each is a session, or stale.' }),
    }),
    result: z.object({
      userId: z.string(),
      username: z.string().nullable(),
      sessions: z.array(session).meta({ description: 'The sessions of this page, sorted within it.' }),
      cut: z.boolean().meta({ description: 'There are more sessions: use nextCursor.' }),
      nextCursor: z.string().nullish().meta({ description: 'null on the last page.' }),
      indexEntries: z.number().meta({ description: 'Entries of the complete index, including stale ones.' }),
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
      staleIndex: z.number().meta({ description: "This page's index entries without a session." }),
      unindexed: z.number().meta({
        description:
          'Sessions missing from the index; on the first page their total, if the keyspace was searched. More than `limit` of them follow on pages after those of the index.',
      }),
      scanned: z
        .boolean()
        .meta({ description: 'The keyspace was searched for sessions missing from the index.' }),
      complete: z.boolean().meta({
        description: 'The keyspace was searched too, and there are no further pages.',
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
};
