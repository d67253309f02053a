import { z } from 'zod';
import { changeInput, contract, isoTime, jobAccepted, queryInteger } from '@/lib/contract';

/** Limits of every profile. */
export const MAX_SECONDS = 60;
export const MAX_SHARE = 0.05;
export const MAX_SAMPLE = 200;

/** The name for calls of commands whose keys the server does not define. */
export const UNKNOWN_KEYS = 'unknown';

const text = z.string().trim().min(1).max(100);

const filter = z
  .strictObject({
    family: text.optional().meta({ description: 'A family id, or `unclassified`.' }),
    command: text.optional().meta({ description: 'GET, or CONFIG GET.' }),
    client: text.optional().meta({ description: 'Part of its name, or of its masked address.' }),
    user: text.optional(),
    key: text.optional().meta({ description: 'Part of the name of a key, as it is shown.' }),
  })
  .meta({ description: 'What is counted. Clients that connect later have no name or user to be found by.' });
export type ProfileFilter = z.output<typeof filter>;

/** The reasons why a profile ends. */
export const ENDINGS = ['complete', 'late', 'busy', 'behind', 'buffer', 'stopped', 'closed', 'cost'] as const;

const share = z.number().min(0).nullable();

const counts = {
  calls: z.number().meta({ description: 'Counted while MONITOR was read, not scaled up.' }),
  perSecond: z.number().meta({ description: 'Of observed time.' }),
  share: z.number().meta({ description: 'Of the calls that match the filter.' }),
};

const familyRow = z.object({
  family: z.string().nullable().meta({
    description:
      'null: calls without a key; or `unclassified`; or `unknown`, where the server does not say which arguments are keys.',
  }),
  title: z.string().nullable(),
  ...counts,
});
const commandRow = z.object({
  command: z.string().nullable().meta({ description: 'null: commands that the server does not know.' }),
  ...counts,
  serverCalls: z.number().nullable().meta({ description: 'Of all clients during the profile (INFO).' }),
  microsPerCall: z.number().nullable().meta({ description: 'Average during the profile.' }),
  serverShare: share.meta({ description: "Of the server's time during the profile." }),
});
const clientRow = z.object({
  client: z.string().meta({ description: 'Its name, or its address without the last part.' }),
  connections: z.number(),
  ...counts,
});
const userRow = z.object({ user: z.string().nullable().meta({ description: 'null: unknown.' }), ...counts });
const patternRow = z.object({
  pattern: z.string(),
  family: z.string().nullable(),
  ...counts,
  estimatedMicros: z
    .number()
    .nullable()
    .meta({ description: 'Calls × the average of their commands: MONITOR shows no durations.' }),
  slowestMicros: z.number().nullable().meta({ description: 'In the slow log, during the profile.' }),
});
const callFamilies = z
  .array(z.string())
  .nullable()
  .meta({ description: 'null: the server does not say which arguments are keys.' });
const line = z.object({
  at: isoTime,
  client: z.string(),
  user: z.string().nullable(),
  command: z.string(),
  arguments: z.string().meta({ description: 'Without any value; keys as they are shown.' }),
  families: callFamilies,
});
const slowCall = z.object({
  at: isoTime,
  micros: z.number(),
  client: z.string(),
  command: z.string(),
  arguments: z.string(),
  families: callFamilies,
});

const NO_COMMANDS = 'null where COMMAND is refused.';

export const profile = z.object({
  summary: z.string(),
  filter,
  askedSeconds: z.number(),
  elapsedSeconds: z.number(),
  observedSeconds: z.number(),
  observedShare: z.number().meta({ description: 'observedSeconds of elapsedSeconds.' }),
  ended: z.object({ why: z.enum(ENDINGS), text: z.string().nullable() }),
  startedAt: isoTime,
  calls: z.number().meta({ description: 'Those that match the filter.' }),
  allCalls: z.number().meta({ description: "Without the console's own." }),
  ownCalls: z.number().nullable().meta({ description: "The console's own; null: counted with the others." }),
  inScripts: z.number().meta({ description: 'Of `calls`, those inside scripts: they count for the caller.' }),
  commandsPerSecond: z.number().nullable().meta({ description: 'Of observed time; null: none.' }),
  cost: z.object({
    statedShare: z.number().meta({
      description: "Of the server's time: MONITOR is closed where it has cost this, stated before.",
    }),
    estimatedShare: share.meta({ description: 'By calls and bytes; null: at least what was stated.' }),
    exceeded: z.boolean().meta({
      description:
        'It cost more than was stated: a script, a burst or a huge value cannot be stopped midway.',
    }),
    measuredShare: share.meta({
      description:
        "Added processor time of the server's main thread; null where it is not known, or the load changed.",
    }),
    receivedBytes: z.number(),
  }),
  points: z.array(
    z.object({
      second: z.number().meta({ description: 'Since the beginning.' }),
      perSecond: z.number().nullable().meta({ description: 'null: not observed.' }),
    }),
  ),
  families: z.array(familyRow).nullable().meta({ description: NO_COMMANDS }),
  commands: z.array(commandRow).nullable().meta({ description: NO_COMMANDS }),
  clients: z.array(clientRow),
  users: z.array(userRow),
  patterns: z
    .array(patternRow)
    .nullable()
    .meta({ description: `Most estimated time first. ${NO_COMMANDS}` }),
  slow: z
    .array(slowCall)
    .nullable()
    .meta({ description: 'Slow log during the profile, slowest first; null where it is refused.' }),
  sample: z.array(line).meta({ description: 'At random, oldest first.' }),
  notShown: z
    .object({ families: z.number(), commands: z.number(), clients: z.number(), patterns: z.number() })
    .meta({ description: 'Calls in rows that are not listed.' }),
  unknown: z
    .array(z.enum(['keys', 'clients', 'durations', 'slowLog', 'olderSlow', 'own', 'cost', 'processor']))
    .meta({ description: 'What the server did not tell.' }),
});
export type Profile = z.output<typeof profile>;

const base = '/api/v1/connections/{connection}/profiler';

export const profilerContracts = {
  estimate: contract({
    id: 'profiler.estimate',
    method: 'GET',
    path: `${base}/estimate`,
    permission: 'caches:sample',
    summary: 'What a profile would cost this server now, what limits it, and whether MONITOR is permitted.',
    input: z.strictObject({ seconds: queryInteger(1, MAX_SECONDS).default(10) }),
    result: z.object({
      seconds: z.number(),
      commandsPerSecond: z.number().nullable().meta({ description: 'Now; null where INFO is refused.' }),
      statedShare: z.number().meta({ description: "A profile takes at most this of the server's time." }),
      expectedCoverage: z.number().meta({ description: 'Of the time, MONITOR is read for about this.' }),
      maxSeconds: z.number(),
      maxShare: z.number(),
      maxAddedLatencyMs: z.number().meta({ description: 'It ends when answers take longer by this.' }),
      monitor: z.object({
        allowed: z.boolean().nullable().meta({ description: 'null when that cannot be checked now.' }),
        why: z.string().nullable(),
      }),
      running: z.boolean().meta({ description: 'A profile of this server is under way.' }),
    }),
  }),
  start: contract({
    id: 'profiler.start',
    method: 'POST',
    path: base,
    touches: ['profiler.estimate', 'jobs.list'],
    permission: 'caches:sample',
    summary: 'Reads MONITOR for a while within a stated cost, as a job. Its result is the profile.',
    input: changeInput({
      seconds: z.number().int().min(1).max(MAX_SECONDS),
      filter: filter.optional(),
      maxShare: z.number().min(0.001).max(MAX_SHARE).optional().meta({
        description: "At most this of the server's time: the statedShare that was agreed to.",
      }),
      consent: z.literal(true).meta({
        description: "Agrees that MONITOR is read, which costs some of the server's time.",
      }),
    }),
    result: jobAccepted,
    status: 202,
  }),
  export: contract({
    id: 'profiler.export',
    method: 'GET',
    path: `${base}/{jobId}/export`,
    download: true,
    permission: 'caches:sample',
    summary: 'One profile as JSON, or its rows as CSV.',
    input: z.strictObject({
      jobId: z.string().regex(/^[0-9a-f-]{36}$/, 'Not a job id.'),
      format: z.enum(['csv', 'json']).default('csv'),
    }),
    result: z.string(),
  }),
};
