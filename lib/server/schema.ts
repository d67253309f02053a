import { z } from 'zod';
import {
  contract,
  isoTime,
  missingNodes,
  nodeOfRow,
  pageInput,
  pageOf,
  queryBoolean,
  queryInteger,
  sectionOf,
  shortListInput,
} from '@/lib/contract';

const figure = z.number().nullable();
const word = z.string().nullable();

/** Why a list could not be read. */
const refused = z
  .object({ reason: z.string(), missing: z.array(z.string()) })
  .nullable()
  .meta({ description: 'Why the server does not give the list, and the commands that are missing.' });

/** When the reading of the page was made. */
export const pagedAt = isoTime.meta({
  description:
    'Pages with the same time are of one reading. Between others, rows that moved are missed or repeated.',
});

const missing = z.array(z.string()).meta({ description: 'Commands whose figures are null.' });

const serverProcess = sectionOf(['restarted'], {
  product: z.enum(['redis', 'valkey']),
  version: z.string(),
  mode: word.meta({ description: 'standalone, sentinel or cluster.' }),
  uptimeSeconds: figure,
  runId: word,
  processId: figure,
  port: figure,
  os: word,
  architectureBits: figure,
  ioThreads: figure,
  clients: figure,
  blockedClients: figure,
});

const replication = sectionOf(['linkDown', 'replicaBehind'], {
  role: z.enum(['primary', 'replica', 'unknown']),
  offset: figure,
  backlogBytes: figure,
  primary: z
    .object({
      address: z.string(),
      link: z.string().meta({ description: 'up or down.' }),
      downSeconds: figure,
      lastIoSeconds: figure,
      syncing: z.boolean(),
    })
    .nullable()
    .meta({ description: 'Of a replica: the link to its primary.' }),
  replicas: z.array(
    z.object({
      address: z.string(),
      state: z.string(),
      lagSeconds: figure.meta({ description: 'Since it last confirmed what it received.' }),
      behindBytes: figure,
    }),
  ),
});
export type Replication = NonNullable<z.output<typeof replication>['figures']>;

const persistence = sectionOf(['loading', 'saveFailed', 'aofFailed', 'notSaved'], {
  loading: z.boolean(),
  saving: z.boolean(),
  lastSaveAt: isoTime.nullable(),
  lastSaveStatus: word,
  changesSinceSave: figure,
  lastForkMicros: figure,
  aofEnabled: z.boolean(),
  aofRewriting: z.boolean(),
  aofLastRewriteStatus: word,
  aofLastWriteStatus: word,
  aofBytes: figure,
  save: word.meta({ description: 'When snapshots are made, as its setting says; empty: never.' }),
});

const memory = sectionOf(['advice'], {
  usedBytes: figure,
  peakBytes: figure,
  rssBytes: figure,
  fragmentationRatio: figure,
  doctor: word.meta({ description: 'The text of MEMORY DOCTOR.' }),
});

const counters = sectionOf(['rejected'], {
  connections: figure,
  rejectedConnections: figure,
  commands: figure,
  errorReplies: figure,
  errors: z
    .array(z.object({ kind: z.string(), count: z.number() }))
    .meta({ description: 'Error replies by their first word, most first.' }),
});

const settings = sectionOf(['slowLogOff', 'latencyMonitorOff', 'noLimit', 'refusesWrites', 'evictsLasting'], {
  slowLogMicros: figure.meta({ description: 'Negative: nothing is logged.' }),
  slowLogMaxLength: figure,
  latencyMonitorMs: figure.meta({ description: '0: off.' }),
  maxClients: figure,
  maxMemoryBytes: figure.meta({ description: '0: no limit.' }),
  policy: word,
  readOnly: z.enum(['configured', 'replica']).nullable().meta({ description: 'Why it accepts no changes.' }),
});

const sections = { process: serverProcess, replication, persistence, memory, counters, settings };
const serverSections = z.object(sections);
export type ServerSections = z.output<typeof serverSections>;

/** The parts of a slow call that may be shown: never a value. */
const slowCall = z.object({
  id: z.string(),
  node: nodeOfRow,
  at: isoTime,
  durationMicros: z.number(),
  command: z.string(),
  family: word.meta({ description: 'The first of `families`.' }),
  families: z.array(z.object({ family: z.string(), title: z.string() })),
  keys: figure.meta({ description: 'null where the server does not say which arguments are keys.' }),
  arguments: z
    .array(z.object({ text: z.string(), kind: z.enum(['key', 'option', 'number', 'value']) }))
    .meta({ description: 'The first 16, without any value.' }),
  argumentsTotal: z.number(),
  client: z.object({ name: word, address: word }),
  inScript: z.boolean().meta({ description: 'Called by a script or function, whose client is given.' }),
  own: z.boolean().meta({ description: 'A command of this Keyward process.' }),
  saysKeyward: z.boolean().meta({
    description: 'Not `own`, but its client names itself so: another process of Keyward, or anybody.',
  }),
});
export type SlowLogEntry = z.output<typeof slowCall>;

const slowGroup = z.object({
  id: word.meta({ description: 'null: keys of no family, or no keys.' }),
  title: word,
  entries: z.number(),
  totalMicros: z.number(),
  maxMicros: z.number(),
});
export type SlowGroup = z.output<typeof slowGroup>;

const latencyEvent = z.object({
  event: z.string(),
  node: nodeOfRow,
  at: isoTime,
  latestMs: z.number(),
  maxMs: z.number(),
  history: z.array(z.object({ at: isoTime, ms: z.number() })).nullable(),
});
export type LatencyEvent = z.output<typeof latencyEvent>;

export const COMMAND_ORDERS = ['time', 'calls', 'rate', 'perCall', 'rejected', 'failed'] as const;

const commandStats = z.object({
  command: z.string(),
  calls: z.number(),
  callsPerSecond: figure.meta({ description: 'null until the console has read twice.' }),
  totalMicros: z.number(),
  usecPerCall: figure,
  timeShare: figure.meta({ description: 'Of the time of all commands, 0–1.' }),
  rejectedCalls: figure.meta({ description: 'Refused before they ran; null before Redis 6.2.' }),
  failedCalls: figure,
  percentiles: z
    .array(z.object({ percentile: z.number(), micros: z.number() }))
    .meta({ description: 'Of several primaries the longest.' }),
});
export type CommandStats = z.output<typeof commandStats>;

const base = '/api/v1/connections/{connection}/server';

export const serverContracts = {
  get: contract({
    id: 'server.get',
    method: 'GET',
    path: base,
    permission: 'live:view',
    summary: 'One primary as it is: process, replication, persistence, memory doctor, counters and settings.',
    input: z.strictObject({
      node: z.string().max(200).optional().meta({
        description: 'The address of a primary; without it the first that answers.',
      }),
    }),
    result: z.object({
      at: isoTime,
      node: nodeOfRow,
      sections: serverSections,
      nodes: z
        .array(z.object({ node: z.string(), attention: z.number() }))
        .meta({ description: 'All primaries that answered, with how many sections need attention.' }),
      missingNodes,
    }),
  }),
  slowLog: contract({
    id: 'slowlog.list',
    method: 'GET',
    path: `${base}/slow-log`,
    permission: 'live:view',
    summary: 'Slow commands with their families and clients, newest or slowest first. Arguments are masked.',
    input: z.strictObject({
      order: z.enum(['newest', 'slowest']).default('newest'),
      family: z.string().max(200).optional(),
      command: z.string().max(100).optional(),
      minMicros: queryInteger(0, 1e12).optional(),
      q: z.string().max(200).optional().meta({
        description: 'Part of the command, an argument as shown, or the client’s name or address.',
      }),
      own: queryBoolean.default(false).meta({ description: 'The commands of this Keyward process too.' }),
      ...pageInput,
    }),
    result: pageOf(slowCall).extend({
      readAt: isoTime,
      length: figure.meta({ description: 'Entries in the log.' }),
      read: figure.meta({ description: 'How many of them were read, newest first; null where refused.' }),
      total: figure.meta({ description: 'Entries that the filters leave; null where refused.' }),
      thresholdMicros: figure.meta({
        description: 'Negative: nothing is logged. null also where primaries differ.',
      }),
      maxLength: figure,
      missingNodes,
      byFamily: z.array(slowGroup).meta({ description: 'Of what was read: the most time first.' }),
      byCommand: z.array(slowGroup),
      missing,
      refused,
    }),
  }),
  latency: contract({
    id: 'latency.list',
    method: 'GET',
    path: `${base}/latency`,
    permission: 'live:view',
    summary:
      'Latency events that the server recorded, each with its history, and the round trips of Keyward.',
    input: z.strictObject(shortListInput),
    result: pageOf(latencyEvent).extend({
      readAt: isoTime,
      thresholdMs: figure.meta({
        description: '0: the server does not monitor latency. null also where primaries differ.',
      }),
      missingNodes,
      roundTrips: z
        .array(z.object({ at: isoTime, ms: figure }))
        .nullable()
        .meta({
          description: 'Of INFO from Keyward, in the last ten minutes; null while its store is unavailable.',
        }),
      missing,
      refused,
    }),
  }),
  commands: contract({
    id: 'commandstats.list',
    method: 'GET',
    path: `${base}/commands`,
    permission: 'live:view',
    summary: 'Calls, time and failures of each command, with calls per second between two readings.',
    input: z.strictObject({
      q: z.string().max(100).optional(),
      failing: queryBoolean.optional().meta({ description: 'Only those with rejected or failed calls.' }),
      sort: z.enum(COMMAND_ORDERS).default('time'),
      order: z.enum(['asc', 'desc']).default('desc'),
      ...pageInput,
    }),
    result: pageOf(commandStats).extend({
      readAt: pagedAt,
      windowSeconds: figure.meta({ description: 'Between the two readings of the rates; null without.' }),
      total: figure.meta({ description: 'Commands that the filters leave; null where refused.' }),
      callsPerSecond: figure.meta({ description: 'Of all commands.' }),
      missingNodes,
      missing,
      refused,
    }),
  }),
};
