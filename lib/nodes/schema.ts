import { z } from 'zod';
import { contract, isoTime, pageOf, shortListInput } from '@/lib/contract';

export const NODE_STATES = ['ready', 'connecting', 'unreachable', 'syncing', 'unknown'] as const;

const figure = z.number().nullable();

const node = z.object({
  id: z.string().meta({ description: 'The `run_id` of its server where that is known, else its address.' }),
  address: z
    .string()
    .meta({ description: '`host:port` or the path of a socket; of a replica as it announces it.' }),
  role: z.enum(['primary', 'replica', 'unknown']),
  product: z.enum(['redis', 'valkey']).nullable(),
  version: z.string().nullable(),
  slots: figure.meta({ description: 'How many of the 16384; null outside a cluster.' }),
  keys: figure.meta({ description: "In the connection's own database." }),
  usedMemoryBytes: figure,
  opsPerSecond: figure.meta({
    description: "Of the last 60 s, without the console's own; null until the node was sampled twice.",
  }),
  hitRate: figure.meta({ description: '0–1, as `opsPerSecond`; null also for too few look-ups.' }),
  lagSeconds: figure.meta({
    description: 'Of a replica that its primary names: since it last confirmed what it received.',
  }),
  state: z.enum(NODE_STATES).meta({ description: 'Of a replica as its primary says.' }),
  reason: z
    .string()
    .nullable()
    .meta({ description: 'Why its figures are unknown. Of a replica only its primary is asked: no reason.' }),
});
export type NodeRow = z.output<typeof node>;

export const nodeContracts = {
  list: contract({
    id: 'nodes.list',
    method: 'GET',
    path: '/api/v1/connections/{connection}/nodes',
    permission: 'view',
    summary: 'The servers behind a connection: each primary, followed by its replicas as it names them.',
    input: z.strictObject(shortListInput),
    result: pageOf(node).extend({ readAt: isoTime }),
  }),
};
