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
import { entityRef, idText } from '../schema';

const item = entityRef.extend({ memberId: z.string() });
export type OnlineUser = z.output<typeof item>;

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
          'Users online whose profile is not stored; null where there are too many to check at once.',
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
      .strictObject({ from: isoTime, to: isoTime, stepSeconds: queryInteger(1, 86_400).default(60) })
      .refine(({ from, to }) => Date.parse(from) < Date.parse(to), {
        path: ['from'],
        message: '`from` must be before `to`.',
      }),
    result: z.object({
      stepSeconds: z.number(),
      points: z.array(z.object({ at: isoTime, online: z.number() })),
    }),
  }),
  setOffline: contract({
    id: 'presence.setOffline',
    method: 'POST',
    path: `${base}/offline`,
    permission: 'keys:write',
    summary: 'Takes a user off the list of users online.',
    input: changeInput({ userId: idText }),
    result: changeResult({ removed: z.boolean(), online: z.number() }),
  }),
};
