import { z } from 'zod';
import {
  changeInput,
  changeResult,
  contract,
  missingNodes,
  nodeOfRow,
  pageInput,
  pageOf,
  queryBoolean,
  queryInteger,
} from '@/lib/contract';
import { pagedAt } from '../schema';

/** `primary`: the link of a replica to its primary. */
export const CLIENT_KINDS = ['normal', 'blocked', 'pubsub', 'monitor', 'replica', 'primary'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

/** The types of CLIENT LIST TYPE, for servers with too many clients to list them all. */
export const CLIENT_TYPES = ['normal', 'pubsub', 'replica', 'master'] as const;
export type ClientType = (typeof CLIENT_TYPES)[number];

export const CLIENT_ORDERS = ['memory', 'idle', 'age', 'output'] as const;

const client = z.object({
  id: z.string().meta({ description: 'Its number at its server.' }),
  node: nodeOfRow,
  name: z.string().nullable().meta({ description: 'As it named itself, what looks secret masked.' }),
  address: z.string(),
  localAddress: z.string().nullable(),
  user: z.string().nullable(),
  ageSeconds: z.number().nullable(),
  idleSeconds: z.number().nullable(),
  command: z.string().nullable().meta({ description: 'The last one, in capitals.' }),
  memoryBytes: z.number().nullable(),
  outputBytes: z.number().nullable().meta({ description: 'Replies that wait for it.' }),
  db: z.number().nullable(),
  flags: z.string(),
  kind: z.enum(CLIENT_KINDS),
  subscriptions: z.number().meta({ description: 'Channels and patterns.' }),
  queued: z.number().nullable().meta({ description: 'Commands of its transaction; null outside one.' }),
  library: z.string().nullable(),
  libraryVersion: z.string().nullable(),
  own: z.boolean().meta({ description: 'A connection of this Keyward process.' }),
  saysKeyward: z.boolean().meta({
    description: 'Not `own`, but it names itself so: another process of Keyward, or anybody.',
  }),
});
export type ServerClient = z.output<typeof client>;

const group = z.object({ value: z.string().nullable(), clients: z.number(), memoryBytes: z.number() });
export type ClientGroup = z.output<typeof group>;
const groups = z
  .array(group)
  .meta({ description: 'The first 30 of all that were read, most clients first.' });

const base = '/api/v1/connections/{connection}/server/clients';

export const clientContracts = {
  list: contract({
    id: 'clients.list',
    method: 'GET',
    path: base,
    permission: 'live:view',
    summary: 'Connected clients with what they last ran, their age, idle time and memory.',
    input: z.strictObject({
      q: z.string().max(200).optional().meta({
        description: 'Part of the name, address, user, command or library.',
      }),
      user: z.string().max(200).optional(),
      kind: z.enum(CLIENT_KINDS).optional(),
      minIdleSeconds: queryInteger(0, 1e9).optional(),
      own: queryBoolean
        .optional()
        .meta({ description: 'true: only those of this Keyward process; false: without them.' }),
      type: z.enum(CLIENT_TYPES).optional().meta({
        description: 'Reads only these. Required where more than 20 000 clients are connected.',
      }),
      sort: z.enum(CLIENT_ORDERS).default('memory'),
      order: z.enum(['asc', 'desc']).default('desc'),
      ...pageInput,
    }),
    result: pageOf(client).extend({
      readAt: pagedAt,
      state: z.enum(['listed', 'tooMany', 'unknown']),
      connected: z.number().nullable(),
      limit: z.number().meta({ description: 'With more clients the server lists only those of a `type`.' }),
      listed: z.number().nullable().meta({ description: 'Clients that were read.' }),
      total: z.number().nullable().meta({ description: 'Clients that the filters leave.' }),
      missingNodes,
      byUser: groups,
      byName: groups,
      byKind: groups,
      refused: z.object({ reason: z.string(), missing: z.array(z.string()) }).nullable(),
    }),
  }),
  kill: contract({
    id: 'clients.kill',
    method: 'POST',
    path: `${base}/kill`,
    permission: 'keys:write',
    summary:
      'Ends the connection of one client, if the id still has this address. Never one of this Keyward process or of replication. It cannot be undone.',
    input: changeInput({
      id: z.string().regex(/^[1-9]\d{0,17}$/, 'This is not a client id.'),
      address: z.string().min(1).max(200).meta({ description: 'As it was shown, typed by the caller.' }),
    }),
    result: changeResult({
      killed: z.literal(true),
      blocked: z.boolean().meta({ description: 'A blocking call ended.' }),
      subscriptions: z.number(),
      queued: z.number().nullable(),
    }),
  }),
};
