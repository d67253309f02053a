import { z } from 'zod';
import { contract, isoTime, noInput } from '@/lib/contract';

export const WALK_PARTS = ['census', 'analysis', 'conventions', 'entities'] as const;
export type WalkPart = (typeof WALK_PARTS)[number];

/** A walk over all keys of a connection: when it ran and what it cost. */
export const walkCost = z.object({
  startedAt: isoTime,
  finishedAt: isoTime,
  parts: z.array(z.enum(WALK_PARTS)).meta({ description: 'What was counted during it.' }),
  keys: z.number(),
  vanished: z.number().meta({ description: 'Keys that were gone when they were read.' }),
  calls: z.number().meta({ description: 'Calls to the server.' }),
  serverMs: z.number().meta({ description: 'Time the server spent on it.' }),
  byScript: z.boolean().meta({ description: 'false: read with commands, which costs the server more.' }),
  reason: z.string().nullable().meta({ description: 'Why it was read with commands.' }),
});
export type WalkCost = z.output<typeof walkCost>;

const runningWalk = z.object({
  startedAt: isoTime,
  share: z.number().meta({ description: 'Of the keys, 0–1.' }),
  parts: z.array(z.enum(WALK_PARTS)),
});
export type RunningWalk = z.output<typeof runningWalk>;

export const walkContracts = {
  get: contract({
    id: 'walks.get',
    method: 'GET',
    path: '/api/v1/connections/{connection}/walk',
    permission: 'view',
    summary:
      'The walk over all keys that census, analysis, conventions and checks share: the last and the current one.',
    input: noInput,
    result: z.object({
      last: walkCost.nullable(),
      running: runningWalk.nullable(),
    }),
  }),
};
