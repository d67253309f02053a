import { z } from 'zod';
import { changeInput, changeResult, contract, isoTime, jobAccepted, noInput } from '@/lib/contract';
import { historyEvent, SPAN_LIMITS, spanInput } from '@/lib/history/schema';

/** Source of a figure: the application's own counters, windows of the live traffic, or none. */
export const source = z.enum(['counters', 'sample', 'none']);
export type Source = z.output<typeof source>;

const rate = z.number().min(0).max(1).nullable();

const lookupCounts = {
  hits: z.number().meta({ description: 'Counted in the observed seconds, not scaled up.' }),
  misses: z.number(),
  hitRate: rate.meta({ description: 'null for fewer than 20 look-ups.' }),
  n: z.number().meta({ description: 'Look-ups: hits and misses.' }),
  tooFew: z.boolean().meta({ description: 'There were look-ups, but fewer than 20: no hit rate.' }),
  error: z.number().nullable().meta({
    description: 'Half width of the 95 % interval of hitRate, 0–1; 0 with counters, null without a hitRate.',
  }),
  windowSeconds: z.number().meta({ description: 'Seconds that were observed.' }),
};

const lookupCountsObject = z.object(lookupCounts);
export type LookupCounts = z.output<typeof lookupCountsObject>;

const hitRatePoint = z
  .object({ at: isoTime, to: isoTime, ...lookupCounts })
  .meta({ description: 'Covers [at, to): as many steps as it takes for a readable rate.' });
export type HitRatePoint = z.output<typeof hitRatePoint>;

const familyHitRates = z.object({
  family: z.string().meta({ description: 'A family id, or `unclassified` for keys without a family.' }),
  title: z.string(),
  cache: z.boolean().meta({ description: 'Whether a miss makes the application query its origin.' }),
  points: z.array(hitRatePoint),
  ...lookupCounts,
  source,
  coverage: rate.meta({
    description: "Share of the server's look-ups in the windows that belong to families; null with counters.",
  }),
  missesPerSecond: z.number().nullable().meta({ description: 'Of the observed seconds.' }),
  originLoadPerSecond: z.number().nullable().meta({
    description:
      'Estimated loads from the origin a second: one per miss of a cache; null for other families.',
  }),
});
export type FamilyHitRates = z.output<typeof familyHitRates>;

/** Why look-ups in the windows are not attributed to a family. */
export const REASONS = [
  'other-database',
  'console-keys',
  'sort-patterns',
  'scan-type',
  'silent-miss',
  'long-command',
  'unknown-command',
  'module-command',
  'function',
  'script',
  'own-script-misses',
  'own-included',
  'other-console',
  'unexplained',
] as const;

const reason = z.object({
  kind: z.enum(REASONS),
  count: z.number().meta({ description: 'Commands (or keys) of this kind in the windows.' }),
  hits: z
    .number()
    .nullable()
    .meta({ description: 'null where the server does not count the kind separately.' }),
  misses: z.number().nullable(),
  commands: z
    .array(z.string())
    .meta({ description: 'Names of the commands, for kinds that are about commands.' }),
});
export type Reason = z.output<typeof reason>;

/**
 * Why windows end early: latency rose, the console was too busy to measure it, it could not read as fast as commands
 * arrived, or the window was cancelled.
 */
export const CUTS = ['late', 'busy', 'behind', 'stopped'] as const;

const instanceHitRates = z.object({
  label: z.literal('instance').meta({ description: 'The whole server, not one family.' }),
  points: z.array(z.object({ at: isoTime, hits: z.number(), misses: z.number(), hitRate: rate })),
  hits: z.number(),
  misses: z.number(),
  hitRate: rate,
});

const applicationHitRates = z.object({
  label: z
    .literal('application')
    .meta({ description: "The application's own exact counters, metrics:cache_hits:*." }),
  points: z.array(hitRatePoint),
  hits: z.number(),
  misses: z.number(),
  hitRate: rate,
});

const dutyCycle = {
  everySeconds: z.number().min(5).max(86_400),
  forSeconds: z.number().min(0.1).max(60),
};

const refusal = z.object({
  allowed: z.boolean().nullable().meta({ description: 'null when that cannot be checked now.' }),
  why: z.string().nullable(),
});

/** The exact value of `notify-keyspace-events`; `""` means that nothing is published. */
const flags = z.string().max(40);

const windowCost = z.object({
  forSeconds: z.number(),
  everySeconds: z.number(),
  shareOfTime: z.number().meta({ description: 'forSeconds / everySeconds.' }),
  throughputLoss: z.object({ pipelined: z.number(), single: z.number() }).meta({
    description:
      'Measured share of the throughput of a saturated server that an open window costs at most: with pipelined commands, and with one command at a time.',
  }),
  maxAddedLatencyMs: z
    .number()
    .meta({ description: 'A window closes early when answers take longer by this.' }),
});

export const samplingState = z.object({
  on: z.boolean(),
  everySeconds: z.number(),
  forSeconds: z.number(),
  dutyCycle: z.number().meta({ description: 'forSeconds as a share of everySeconds.' }),
  origin: z.enum(['default', 'configuration', 'user']).meta({ description: 'Who set this.' }),
  running: z.boolean().meta({ description: 'A window is open at this moment.' }),
  stoppedBecause: z.string().nullable().meta({ description: 'Why the last window could not be opened.' }),
  lastWindow: z
    .object({
      at: isoTime,
      seconds: z.number(),
      askedSeconds: z.number(),
      cutShort: z.string().nullable(),
      coverage: rate,
    })
    .nullable(),
  nodes: z.array(
    z.object({
      node: z.string(),
      present: flags
        .nullable()
        .meta({ description: 'The present notify-keyspace-events; null when it cannot be read.' }),
      proposed: flags.nullable().meta({ description: 'The value while a window is open: with E and m.' }),
      sufficient: z.boolean().nullable().meta({ description: 'It already has E and m.' }),
    }),
  ),
  present: flags
    .nullable()
    .meta({ description: 'Of the first primary: what `hitRates.sampling.set` takes.' }),
  proposed: flags.nullable(),
  needsConsent: z
    .boolean()
    .meta({ description: 'The setting must change, and nobody has agreed to that yet.' }),
  configGet: refusal,
  configSet: refusal,
  monitor: refusal,
  subscribe: refusal,
  consent: z
    .object({ by: z.string(), at: isoTime, auditId: z.string(), present: flags, proposed: flags })
    .nullable(),
  question: z
    .object({
      because: z
        .array(z.enum(['change', 'production']))
        .meta({ description: 'A setting of the server must change, or the environment is production.' }),
      changes: z
        .array(
          z.object({ node: z.string(), setting: z.string(), present: flags, during: flags, after: flags }),
        )
        .meta({ description: 'Per primary: now, while a window is open, and once it is closed.' }),
      cost: windowCost,
    })
    .nullable()
    .meta({
      description:
        'Consent is asked for: answer with hitRates.sampling.set, `on` true (with `present`) or false. null when answered, when nothing has to be asked, and when the server refuses windows anyway.',
    }),
  toRestore: z
    .array(z.object({ node: z.string(), before: flags, during: flags, since: isoTime }))
    .meta({ description: 'What an open window has changed at this moment, and will restore.' }),
});
export type SamplingState = z.output<typeof samplingState>;

const YEAR_MS = 366 * 24 * 3_600_000;

/** The preceding period must begin at a representable time. */
const isComparable = (input: { from: string; to: string }): boolean => {
  const [from, to] = [Date.parse(input.from), Date.parse(input.to)];
  return from >= YEAR_MS && to - from <= YEAR_MS;
};

const range = z.object({ from: isoTime, to: isoTime });
const counts = z.object({ hits: z.number(), misses: z.number(), hitRate: rate });

const familySide = z.object({
  ...lookupCounts,
  missesPerSecond: z
    .number()
    .nullable()
    .meta({ description: 'Of the observed seconds; null when nothing was observed.' }),
});

const familyChange = z.object({
  family: z.string(),
  title: z.string(),
  cache: z.boolean(),
  source,
  before: familySide,
  now: familySide,
  additionalMissesPerSecond: z.number().nullable().meta({
    description:
      'Misses a second more than before, negative when fewer; null when one period was not observed.',
  }),
  share: rate.meta({
    description: 'Of the additional misses of all look-ups; 0 when it misses no more than before.',
  }),
  certain: z.boolean().meta({ description: 'The two hit rates differ by more than their errors.' }),
  since: isoTime
    .nullable()
    .meta({ description: 'When the hit rate began to differ; null when that is unclear.' }),
  ttl: z.object({
    documented: z.string().nullable().meta({ description: 'As the catalog has it, in words.' }),
    seconds: z.number().nullable().meta({ description: 'The documented TTL, where it is one number.' }),
  }),
  keys: z.number().nullable().meta({ description: 'At the last count of the keyspace.' }),
  nextExpiry: z
    .object({ at: isoTime, seconds: z.number(), keys: z.number(), share: z.number() })
    .nullable()
    .meta({ description: 'The most keys that expire together within an hour of the last count.' }),
});
export type FamilyChange = z.output<typeof familyChange>;

const hitRateChange = z.object({
  now: range,
  before: range,
  instance: z
    .object({ before: counts, now: counts, additionalMissesPerSecond: z.number().nullable() })
    .meta({ description: 'The whole server, from its own counters.' }),
  families: z.array(familyChange).meta({ description: 'Largest share of the additional misses first.' }),
  tooFew: z.array(familyChange).meta({
    description: 'Families with fewer than 20 look-ups in one of the periods: not ranked, share null.',
  }),
  notAttributed: z.object({
    before: z.object({ misses: z.number(), missesPerSecond: z.number().nullable() }),
    now: z.object({ misses: z.number(), missesPerSecond: z.number().nullable() }),
    share: rate.meta({ description: 'Of the additional misses, those that belong to no family.' }),
  }),
  windows: z.object({
    before: z.object({ taken: z.number(), seconds: z.number() }),
    now: z.object({ taken: z.number(), seconds: z.number() }),
  }),
  events: z.array(historyEvent).meta({ description: 'Of both periods, oldest first.' }),
});
export type HitRateChange = z.output<typeof hitRateChange>;

const base = '/api/v1/connections/{connection}/hit-rates';

/** Maximum duty cycle a user may set. The configuration file may set more. */
export const MAX_DUTY = 0.02;

/** Checks the fields of one request. `commands.ts` checks them together with the stored settings. */
export const withinDuty = ({
  everySeconds,
  forSeconds,
}: Partial<Record<'everySeconds' | 'forSeconds', number>>) =>
  everySeconds === undefined || forSeconds === undefined || forSeconds / everySeconds <= MAX_DUTY + 1e-9;

export const hitRateContracts = {
  get: contract({
    id: 'hitRates.get',
    method: 'GET',
    path: base,
    permission: 'view',
    summary: 'Hit rates per family over time, each with its source, coverage and error.',
    input: z
      .strictObject({ ...spanInput, family: z.string().min(1).max(100).optional() })
      .refine(...SPAN_LIMITS.order)
      .refine(...SPAN_LIMITS.points),
    result: z.object({
      families: z.array(familyHitRates).meta({ description: 'Most misses a second first.' }),
      notAttributed: z.object({
        hits: z.number(),
        misses: z.number(),
        share: rate.meta({ description: "Of the windows' lookups." }),
        reasons: z.array(reason),
      }),
      windows: z.object({
        taken: z.number(),
        cutShort: z.number(),
        seconds: z.number(),
        askedSeconds: z.number().meta({ description: 'Seconds asked for.' }),
        cuts: z
          .array(z.object({ why: z.enum(CUTS), count: z.number() }))
          .meta({ description: 'Windows that were cut short, by reason.' }),
      }),
      instance: instanceHitRates,
      application: applicationHitRates.nullable(),
      events: z.array(historyEvent),
      stepSeconds: z.number(),
    }),
  }),
  change: contract({
    id: 'hitRates.change',
    method: 'GET',
    path: `${base}/change`,
    permission: 'view',
    summary:
      'Compares a range with the period of the same length before it: which families miss more, since when, and what happened.',
    input: z
      .strictObject({ from: isoTime, to: isoTime })
      .refine(...SPAN_LIMITS.order)
      .refine(isComparable, { path: ['from'], message: 'The period must be a year at most, after 1971.' }),
    result: hitRateChange,
  }),
  sample: contract({
    id: 'hitRates.sample',
    method: 'POST',
    path: `${base}/sample`,
    touches: ['hitRates.sampling'],
    permission: 'caches:sample',
    summary: 'Observes the live traffic now, as a job. The result has the hits and misses of each family.',
    input: changeInput({
      seconds: z.number().min(0.1).max(60).default(1),
      present: flags.optional().meta({
        description:
          'The exact present notify-keyspace-events: agrees to adding E and m while the window is open.',
      }),
    }),
    result: jobAccepted,
    status: 202,
  }),
  sampling: contract({
    id: 'hitRates.sampling.get',
    method: 'GET',
    path: `${base}/sampling`,
    permission: 'caches:sample',
    summary:
      'State of the live sample: settings, the open question, what it needs and whether the server permits it.',
    input: noInput,
    result: samplingState,
  }),
  setSampling: contract({
    id: 'hitRates.sampling.set',
    method: 'PUT',
    path: `${base}/sampling`,
    touches: ['hitRates.sampling'],
    permission: 'caches:sample',
    summary: 'Turns live sampling on or off; consents to merging E and m into notify-keyspace-events.',
    input: changeInput({
      on: z.boolean(),
      everySeconds: dutyCycle.everySeconds.optional(),
      forSeconds: dutyCycle.forSeconds.optional(),
      present: flags.optional().meta({
        description: 'The exact present notify-keyspace-events; 412 when it is another by now.',
      }),
    }).refine(withinDuty, {
      path: ['forSeconds'],
      message: 'Windows may take at most 2 % of the time.',
    }),
    result: changeResult({ state: samplingState }),
  }),
};
