import { z } from 'zod';
import { contract, pageInput, pageOf } from '@/lib/contract';
import { keyIdText, listedKey, listedPage, shownBytes } from '@/lib/key-values/schema';

const score = z.number().nullable().meta({ description: 'null where it is infinite.' });
const scoreText = z.string().meta({ description: 'As Redis writes it: also `inf` and `-inf`.' });

const ranked = z.object({
  rank: z.number().meta({ description: 'From 1, in the asked order.' }),
  member: z.string().meta({ description: 'For display: secrets masked, other bytes as `\\xNN`.' }),
  memberId: z.string().meta({ description: 'base64url of the member; a digest where it is masked or long.' }),
  shown: shownBytes,
  score,
  scoreText,
});
export type RankedMember = z.output<typeof ranked>;

const leaderboard = listedKey.extend({
  members: z.number().nullable(),
  top: ranked.nullable().meta({ description: 'The member with the highest score.' }),
  problem: z.enum(['wrongType', 'unreadable']).nullable(),
});
export type Leaderboard = z.output<typeof leaderboard>;

const place = z.object({
  rank: z.number().meta({
    description:
      'From 1. Members with equal scores have different ranks: Redis orders them by their bytes, so descending the later one comes first.',
  }),
  sharedRank: z.number().meta({ description: 'One more than the members with a better score.' }),
  ties: z.number().meta({ description: 'Other members with the same score.' }),
  score,
  scoreText,
});

const base = '/api/v1/connections/{connection}/leaderboards';

export const leaderboardContracts = {
  list: contract({
    id: 'leaderboards.list',
    method: 'GET',
    path: base,
    permission: 'live:view',
    summary: 'Leaderboards by name, with their number of members and the first of them.',
    input: z.strictObject(pageInput),
    result: pageOf(leaderboard).extend(listedPage),
  }),
  get: contract({
    id: 'leaderboards.get',
    method: 'GET',
    path: `${base}/ranks`,
    permission: 'live:view',
    summary: 'Members of a leaderboard by rank, and the rank of one member.',
    input: z
      .strictObject({
        keyId: keyIdText,
        order: z.enum(['desc', 'asc']).default('desc'),
        member: z.string().max(2000).optional().meta({ description: 'The exact member, as UTF-8.' }),
        memberId: z.string().max(12_000).optional().meta({ description: 'Its bytes instead, base64url.' }),
        ...pageInput,
      })
      .refine(({ member, memberId }) => member === undefined || memberId === undefined, {
        path: ['memberId'],
        message: 'Either `member` or `memberId`.',
      }),
    result: pageOf(ranked).extend({
      keyId: z.string(),
      key: z.string(),
      total: z.number(),
      member: place.nullable().meta({ description: 'null where none was asked for, or it is not in it.' }),
    }),
  }),
};
