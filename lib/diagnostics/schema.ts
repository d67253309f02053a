import { z } from 'zod';
import { contract, isoTime, missingNodes, nodeOfRow, noInput, sectionOf } from '@/lib/contract';

const familyName = { family: z.string(), title: z.string(), pattern: z.string() };
const bytes = z.number().nullable();

const familyFigures = z.object({
  ...familyName,
  keys: z.number(),
  memoryBytes: bytes.meta({ description: 'Estimated from a sample of keys.' }),
  withoutTtl: z.number(),
  missingTtl: z.number().meta({ description: 'Keys without the TTL that the catalog documents.' }),
});
export type FamilyFigures = z.output<typeof familyFigures>;

const memory = sectionOf(
  ['noLimit', 'refusesWrites', 'evictsLasting', 'nearLimit', 'fragmented', 'swapped', 'evicting', 'overhead'],
  {
    usedBytes: bytes,
    peakBytes: bytes,
    rssBytes: bytes,
    fragmentationRatio: z.number().nullable(),
    fragmentationBytes: z.number().nullable(),
    overheadBytes: bytes,
    datasetBytes: bytes,
    datasetShare: z
      .number()
      .nullable()
      .meta({ description: 'Of what the server used above its start, 0–1.' }),
    clientBytes: bytes.meta({ description: 'Buffers of clients (MEMORY STATS).' }),
    bytesPerKey: bytes.meta({ description: 'MEMORY STATS.' }),
    maxMemoryBytes: bytes.meta({ description: '0 without a limit; null: not known.' }),
    policy: z.string().nullable(),
    evictedKeys: z.number().nullable().meta({ description: 'Since the server started.' }),
    evictedPerSecond: z.number().nullable().meta({ description: 'In the last minute.' }),
  },
);

const keys = sectionOf(['unclassified', 'withoutTtl'], {
  countedAt: isoTime,
  keys: z.number(),
  withoutTtl: z.number(),
  unclassified: z.number(),
  malformed: z.number(),
  families: z.array(familyFigures).meta({ description: 'Most keys first; the console’s own not included.' }),
});

const bin = z.object({
  from: z.number().meta({ description: 'Seconds that remain, included.' }),
  to: z.number().nullable().meta({ description: 'Excluded; null for the last bin.' }),
  keys: z.number(),
});

const expiry = sectionOf(['waves', 'stale'], {
  countedAt: isoTime,
  withTtl: z.number(),
  withoutTtl: z.number(),
  nextMinute: z.number().meta({ description: 'Keys due within a minute from now, by the last count.' }),
  nextHour: z.number(),
  nextDay: z.number(),
  expiredPerSecond: z.number().nullable().meta({ description: 'In the last minute.' }),
  staleShare: z
    .number()
    .nullable()
    .meta({ description: 'Expired keys that still use memory, as the server estimates it, 0–1.' }),
  bins: z.array(bin),
  waves: z
    .array(z.object({ ...familyName, at: isoTime, widthSeconds: z.number(), keys: z.number() }))
    .meta({ description: 'Keys of a family that will expire together, soonest first.' }),
});

const latency = sectionOf(['monitorOff', 'spikes', 'slowRoundTrip'], {
  roundTripMs: z
    .number()
    .meta({ description: 'From the console, as it measured INFO; of several primaries the longest.' }),
  thresholdMs: z
    .number()
    .nullable()
    .meta({ description: '0: the server does not monitor latency; null: not known.' }),
  events: z.array(
    z.object({
      event: z.string(),
      node: nodeOfRow,
      at: isoTime,
      latestMs: z.number(),
      maxMs: z.number(),
      lastHour: z.number().nullable().meta({ description: 'Spikes within an hour, of at most 160 stored.' }),
    }),
  ),
});

const slowEntry = z.object({
  id: z.string(),
  node: nodeOfRow,
  at: isoTime,
  durationMicros: z.number(),
  command: z.string(),
  families: z.array(z.object(familyName)).meta({ description: 'Of its keys, each once.' }),
  keys: z
    .number()
    .nullable()
    .meta({ description: 'null where the server does not say which arguments are keys.' }),
  arguments: z.number().meta({ description: 'How many arguments it had; none is shown.' }),
  client: z.string().meta({ description: 'Its name, or its address without the last part.' }),
  own: z.boolean().meta({ description: 'A command of the console.' }),
});
export type SlowEntry = z.output<typeof slowEntry>;

const slowLog = sectionOf(['off', 'recent'], {
  length: z.number(),
  maxLength: z.number().nullable(),
  thresholdMicros: z
    .number()
    .nullable()
    .meta({ description: 'Negative: nothing is logged; null: not known.' }),
  lastHour: z
    .number()
    .meta({ description: 'Of the newest 30 entries, those of the last hour, without the console’s own.' }),
  slowestMicros: z
    .number()
    .nullable()
    .meta({ description: 'Of the newest 30 entries, without the console’s own.' }),
  entries: z.array(slowEntry).nullable().meta({ description: 'Newest first; null without `live:view`.' }),
});

const hotKey = z.object({
  key: z.string(),
  keyId: z.string(),
  family: z.string().nullable(),
  frequency: z.number(),
});
export type HotKey = z.output<typeof hotKey>;

const hotKeys = sectionOf(['saturated'], {
  sampled: z.number().meta({ description: 'Keys whose frequency was read.' }),
  of: z.number().nullable().meta({ description: 'All keys, as the last count found them.' }),
  sampledAt: isoTime,
  keys: z.array(hotKey).nullable().meta({ description: 'null without `keys:view`.' }),
  families: z.array(z.object({ ...familyName, sampled: z.number(), frequency: z.number() })).meta({
    description: 'By the mean frequency of their sampled keys.',
  }),
});

const clientGroup = z.object({
  name: z.string().nullable().meta({ description: 'As the clients named themselves; null for none.' }),
  clients: z.number(),
  blocked: z.number(),
  idleSeconds: z.number().meta({ description: 'Of the one that is idle longest.' }),
  outputBytes: z.number(),
  own: z.boolean().meta({ description: 'Connections of this Keyward process, whatever their name.' }),
});
export type ClientGroup = z.output<typeof clientGroup>;

const clients = sectionOf(['nearLimit', 'rejected', 'idle', 'output'], {
  connected: z.number().nullable(),
  maxClients: z.number().nullable(),
  blocked: z.number().nullable(),
  rejected: z.number().nullable().meta({ description: 'Connections refused since the server started.' }),
  listed: z.number().nullable().meta({
    description: 'Clients that were listed; null where they are more than 1 000, or not permitted.',
  }),
  idle: z
    .number()
    .nullable()
    .meta({ description: 'Idle for more than an hour, without those that only wait for what others send.' }),
  idleLongestSeconds: z.number().nullable(),
  outputBytes: z.number().nullable().meta({ description: 'Replies waiting for clients.' }),
  byName: z
    .array(clientGroup)
    .nullable()
    .meta({ description: 'Most clients first; null without `live:view`.' }),
});

const sections = { memory, keys, expiry, latency, slowLog, hotKeys, clients };
export const diagnosticSections = z.object(sections);
export type Diagnostics = z.output<typeof diagnosticSections>;
export type SectionName = keyof Diagnostics;

/** Like `keyIdText` of `lib/keys`, which has the same rank and cannot be imported. */
const keyId = z.string().regex(/^(?:[sh]\.)?[A-Za-z0-9_-]{1,12000}$/, 'This is not a key id.');

const keyMemory = z.object({
  key: z.string(),
  keyId: z.string(),
  family: z.string().nullable(),
  title: z.string().nullable(),
  type: z.string(),
  encoding: z.string().nullable(),
  length: z.number().nullable().meta({ description: 'Bytes of strings, elements of everything else.' }),
  memoryBytes: z.number().nullable().meta({ description: 'null where MEMORY USAGE is not permitted.' }),
  exact: z.boolean().meta({ description: 'false: estimated from five elements, because it has many.' }),
  ttlSeconds: z.number().nullable(),
  idleSeconds: z.number().nullable(),
  frequency: z.number().nullable(),
});
export type KeyMemory = z.output<typeof keyMemory>;

const base = '/api/v1/connections/{connection}/diagnostics';

export const diagnosticContracts = {
  get: contract({
    id: 'diagnostics.get',
    method: 'GET',
    path: base,
    permission: 'view',
    summary:
      'Memory, keys, expiry, latency, slow log, hot keys and clients of one Redis, each with its state.',
    input: noInput,
    result: z.object({ at: isoTime, missingNodes, sections: diagnosticSections }),
  }),
  key: contract({
    id: 'diagnostics.key',
    // Sent in the body: a name may contain a secret, and proxies log URLs.
    method: 'POST',
    path: `${base}/key`,
    touches: [],
    permission: 'keys:view',
    summary: 'Memory, encoding and age of one key, by its name or its id.',
    input: z.strictObject({
      name: z.string().min(1).max(500).optional().meta({
        description: 'The exact name; `\\` escapes. Not of a key whose name contains a secret.',
      }),
      keyId: keyId.optional(),
    }),
    result: keyMemory,
  }),
};
