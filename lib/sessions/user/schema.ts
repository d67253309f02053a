import { z } from 'zod';
import { contract, isoTime, pageInput, queryBoolean, queryInteger } from '@/lib/contract';
import { orderFields, proofFigures, SESSIONS_PATH, session, sessionHandle, userId } from '../schema';
import { oauthToken, verificationToken } from '../tokens/schema';

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

/** Sessions of a user on a page, unless fewer are asked for. */
const MAX_PAGE_SIZE = 1000;

export const sessionUserContracts = {
  user: contract({
    id: 'sessions.user',
    method: 'GET',
    path: `${SESSIONS_PATH}/users/{userId}`,
    permission: 'sessions:view',
    walks: 'complete',
    summary:
      "A user's sessions and tokens: from the index at once, with complete=true also by a scan. More than `limit` sessions come in pages, each in the order asked for.",
    input: z.strictObject({
      userId,
      complete: queryBoolean.default(false),
      ...orderFields,
      cursor: pageInput.cursor.meta({
        description:
          'nextCursor of the page before, with the same complete. Such a page has sessions only: every list but theirs is empty.',
      }),
      limit: queryInteger(1, MAX_PAGE_SIZE)
        .default(MAX_PAGE_SIZE)
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
};
