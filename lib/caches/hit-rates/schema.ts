import { z } from 'zod';
import { changeInput, changeResult, contract, isoTime, jobAccepted, noInput } from '@/lib/contract';
import { historyEvent, SPAN_LIMITS, spanInput } from '@/lib/history/schema';

/** Where a figure comes from: the application's own counters, fenced windows of the live traffic, or nowhere. */
export const source = z.enum(['counters', 'sample', 'none']);
export type Source = z.output<typeof source>;

const rate = z.number().min(0).max(1).nullable();

const hitRatePoint = z.object({
  at: isoTime,
  hits: z.number().meta({ description: 'Counted in the observed seconds, not scaled up.' }),
  misses: z.number(),
  hitRate: rate,
  windowSeconds: z.number().meta({ description: 'Seconds of this span that were observed.' }),
});
export type HitRatePoint = z.output<typeof hitRatePoint>;

const familyHitRates = z.object({
  family: z.string().meta({ description: 'A family id, or `unclassified`: keys of no family.' }),
  title: z.string(),
  cache: z.boolean().meta({ description: 'Whether a miss makes the application ask its origin.' }),
  points: z.array(hitRatePoint),
  hits: z.number(),
  misses: z.number(),
  hitRate: rate,
  source,
  coverage: rate.meta({
    description:
      "Share of the server's own lookups in the windows that was attributed to families; null with counters.",
  }),
  error: z.number().nullable().meta({
    description: 'Half width of the 95 % interval of hitRate, 0–1; 0 with counters, null where n is 0.',
  }),
  n: z.number().meta({ description: 'Lookups the hit rate rests on.' }),
  windowSeconds: z.number().meta({ description: 'Seconds observed in all.' }),
  missesPerSecond: z.number().nullable().meta({ description: 'Of the observed seconds.' }),
  originLoadPerSecond: z.number().nullable().meta({
    description: 'Estimated loads from the origin a second: one for each miss of a cache; null for others.',
  }),
});
export type FamilyHitRates = z.output<typeof familyHitRates>;

/** Why lookups of the windows belong to no family. `count` is of commands or keys, as the kind says. */
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
    .meta({ description: 'null where the kind cannot be told apart in the counters.' }),
  misses: z.number().nullable(),
  commands: z.array(z.string()).meta({ description: 'Names of commands, where the kind has some.' }),
});
export type Reason = z.output<typeof reason>;

/**
 * Why windows end early: the server answers later, the console is too busy to tell, it cannot read as fast as commands
 * come, or it stops.
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
    .meta({ description: "metrics:cache_hits:*, the application's own, exact." }),
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
  allowed: z.boolean().nullable().meta({ description: 'null when the server cannot be asked now.' }),
  why: z.string().nullable(),
});

/** The exact value of `notify-keyspace-events`; `""` is "nothing is published". */
const flags = z.string().max(40);

export const samplingState = z.object({
  on: z.boolean(),
  everySeconds: z.number(),
  forSeconds: z.number(),
  dutyCycle: z.number().meta({ description: 'forSeconds as a share of everySeconds.' }),
  origin: z.enum(['default', 'configuration', 'user']).meta({ description: 'Who set this.' }),
  running: z.boolean().meta({ description: 'A window is open at this moment.' }),
  stoppedBecause: z.string().nullable().meta({ description: 'Why windows are not taken although it is on.' }),
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
        .meta({ description: 'notify-keyspace-events as it is; null when unreadable.' }),
      proposed: flags.nullable().meta({ description: 'As it would be in a window: E and m merged in.' }),
      sufficient: z.boolean().nullable().meta({ description: 'E and m are there already.' }),
    }),
  ),
  present: flags.nullable().meta({ description: 'Of the first primary: what `caches.sampling.set` takes.' }),
  proposed: flags.nullable(),
  needsConsent: z.boolean().meta({ description: 'Flags must be merged in, and nobody agreed to that yet.' }),
  configGet: refusal,
  configSet: refusal,
  monitor: refusal,
  subscribe: refusal,
  consent: z
    .object({ by: z.string(), at: isoTime, auditId: z.string(), present: flags, proposed: flags })
    .nullable(),
  putBack: z
    .array(z.object({ node: z.string(), before: flags, during: flags, since: isoTime }))
    .meta({ description: 'What is merged in at this moment and will be put back.' }),
});
export type SamplingState = z.output<typeof samplingState>;

const base = '/api/v1/connections/{connection}/caches';

/** Duty cycle a user may set; a configuration file may set more. */
export const MAX_DUTY = 0.02;

/** Of what a user sets; what stays as it is in force is added where that is known (`commands.ts`). */
export const withinDuty = ({
  everySeconds,
  forSeconds,
}: Partial<Record<'everySeconds' | 'forSeconds', number>>) =>
  everySeconds === undefined || forSeconds === undefined || forSeconds / everySeconds <= MAX_DUTY + 1e-9;

export const hitRateContracts = {
  hitRates: contract({
    id: 'caches.hitRates',
    method: 'GET',
    path: `${base}/hit-rates`,
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
        askedSeconds: z.number().meta({ description: 'Seconds that were to be observed.' }),
        cuts: z
          .array(z.object({ why: z.enum(CUTS), count: z.number() }))
          .meta({ description: 'Windows that were cut short, by why.' }),
      }),
      instance: instanceHitRates,
      application: applicationHitRates.nullable(),
      events: z.array(historyEvent),
      stepSeconds: z.number(),
    }),
  }),
  sample: contract({
    id: 'caches.sample',
    method: 'POST',
    path: `${base}/sample`,
    permission: 'caches:sample',
    summary: 'Takes one window now, as a job. Its result has the hits and misses of each family.',
    input: changeInput({
      seconds: z.number().min(0.1).max(60).default(1),
      present: flags.optional().meta({
        description:
          'The exact present notify-keyspace-events: agrees to merging E and m in for this window.',
      }),
    }),
    result: jobAccepted,
    status: 202,
  }),
  sampling: contract({
    id: 'caches.sampling.get',
    method: 'GET',
    path: `${base}/sampling`,
    permission: 'caches:sample',
    summary: 'What the live sample does, what it needs of the server, and whether the server permits it.',
    input: noInput,
    result: samplingState,
  }),
  setSampling: contract({
    id: 'caches.sampling.set',
    method: 'PUT',
    path: `${base}/sampling`,
    permission: 'caches:sample',
    summary: 'Turns live sampling on or off; consents to merging E and m into notify-keyspace-events.',
    input: changeInput({
      on: z.boolean(),
      everySeconds: dutyCycle.everySeconds.optional(),
      forSeconds: dutyCycle.forSeconds.optional(),
      present: flags.optional().meta({
        description: 'The exact present notify-keyspace-events, compared before it is agreed to; else 412.',
      }),
    }).refine(withinDuty, {
      path: ['forSeconds'],
      message: 'Windows may take 2 % of the time at most.',
    }),
    result: changeResult({ state: samplingState }),
  }),
};

const bin = z.object({
  fromSeconds: z.number(),
  toSeconds: z.number().nullable(),
  keys: z.number(),
});

export const familyTtlContract = contract({
  id: 'families.ttl',
  method: 'GET',
  path: '/api/v1/connections/{connection}/families/{family}/ttl',
  permission: 'view',
  summary: "A family's TTLs and expiry times at the last count: which keys expire together.",
  input: z.strictObject({ family: z.string().min(1).max(100) }),
  result: z.object({
    family: z.string(),
    title: z.string(),
    countedAt: isoTime.nullable(),
    keys: z.number().nullable(),
    withTtl: z.number().nullable(),
    withoutTtl: z.number().nullable(),
    memoryBytes: z.number().nullable(),
    averageKeyBytes: z.number().nullable(),
    averageTtlSeconds: z.number().nullable().meta({ description: 'Of the keys that expire.' }),
    averageAgeSeconds: z.number().nullable().meta({
      description: 'What is gone of the TTL the catalog names; null where it names none.',
    }),
    remaining: z.array(bin).meta({ description: 'Keys by remaining TTL, from the time of the count.' }),
    expiries: z
      .array(z.object({ at: isoTime, seconds: z.number(), keys: z.number() }))
      .meta({ description: 'Keys by the time they expire; bins get wider the later they are.' }),
    together: z
      .object({ at: isoTime, seconds: z.number(), keys: z.number(), share: z.number() })
      .nullable()
      .meta({ description: 'The most keys that expire within one bin of the next hour.' }),
  }),
});

export const hitRateGroup = { ...hitRateContracts, familyTtl: familyTtlContract };
