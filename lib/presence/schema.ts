import { z } from 'zod';
import {
  changeInput,
  changeResult,
  contract,
  isoTime,
  pageInput,
  pageOf,
  queryInteger,
} from '@/lib/contract';
import { entityRef, idText } from '@/lib/entities/schema';
import { SPAN_LIMITS, spanInput } from '@/lib/history/schema';

const item = entityRef.extend({ memberId: z.string() });
export type OnlineUser = z.output<typeof item>;

/** Fits the sealed id of a member of 8 KiB. Longer members can be removed in the key inspector. */
const MAX_MEMBER_ID = 12_000;

const base = '/api/v1/connections/{connection}/presence';

export const presenceContracts = {
  get: contract({
    id: 'presence.get',
    method: 'GET',
    path: base,
    permission: 'keys:view',
    summary: 'Who is online, with their profiles, page by page as a scan finds them.',
    input: z.strictObject({ q: z.string().max(200).optional(), ...pageInput }),
    result: pageOf(item).extend({
      online: z.number(),
      withoutProfile: z.number().nullable().meta({
        description:
          'Users online whose profile is not stored; null where there are too many to check at once, and on later pages.',
      }),
      key: z.string(),
      keyId: z.string(),
    }),
  }),
  history: contract({
    id: 'presence.history',
    method: 'GET',
    path: `${base}/history`,
    permission: 'keys:view',
    summary: 'Users online over time. A span without samples has no point.',
    input: z
      .strictObject({ ...spanInput, stepSeconds: queryInteger(1, 86_400).default(60) })
      .refine(...SPAN_LIMITS.order)
      .refine(...SPAN_LIMITS.points),
    result: z.object({
      stepSeconds: z.number(),
      points: z.array(z.object({ at: isoTime, online: z.number() })),
    }),
  }),
  setOffline: contract({
    id: 'presence.setOffline',
    method: 'POST',
    path: `${base}/offline`,
    touches: ['presence', 'overview', 'entities.get', 'entities.relation'],
    permission: 'keys:write',
    summary: 'Takes a user off the list of users online.',
    input: changeInput({
      userId: idText.optional(),
      memberId: z.string().min(1).max(MAX_MEMBER_ID).optional().meta({
        description: 'For a member that is no id: not UTF-8, too long, or masked.',
      }),
    }).refine(({ userId, memberId }) => (userId === undefined) !== (memberId === undefined), {
      path: ['userId'],
      message: 'Either `userId` or `memberId`.',
    }),
    result: changeResult({ removed: z.boolean(), online: z.number() }),
  }),
};
