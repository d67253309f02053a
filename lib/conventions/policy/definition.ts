import 'server-only';
import { z } from 'zod';
import { duration, secondsIn } from '@/lib/keyspace/own/definition';
import { listOf, mapping, oneOf, shortText, text } from '@/lib/keyspace/own/fields';
import { iso } from '@/lib/time';
import { USES } from '../rule';
import { RULE_IDS, SEVERITIES } from '../schema';

const FAMILY = text('the id of a family, such as discours.author', /^[a-z][a-z0-9-]*\.[a-z0-9-]+$/u, 129);
const PREFIX = text('a prefix without colons, such as shop', /^[^:\s]{1,100}$/u);
const MAX_FAMILIES = 2000;
const MAX_WAIVERS = 500;

const ruleId = oneOf(RULE_IDS, `a rule: one of ${RULE_IDS.join(', ')}`);

/** A YAML 1.1 writer may write `off` as false. */
const setting = z
  .union([z.enum(SEVERITIES), z.literal('off'), z.literal(false)], {
    error: `off or ${SEVERITIES.join(', ')}`,
  })
  .transform((given) => (given === false ? 'off' : given));

const rules = z.partialRecord(ruleId, setting, {
  error: `a mapping to off or a severity, of rules among ${RULE_IDS.join(', ')}`,
});

const seconds = duration.transform(secondsIn);
const band = mapping({ min: seconds.optional(), max: seconds }, '{ min, max }').refine(
  ({ min = 0, max }) => min <= max,
  { error: 'a band whose min is not above its max' },
);

const share = z
  .number({ error: 'a share from 0 to 1' })
  .min(0, { error: 'a share from 0 to 1' })
  .max(1, { error: 'a share from 0 to 1' });
/** `expiry-counts.ts` counts a limited number of seconds, so only larger shares are certain to be found. */
const TOGETHER = 'a share from 0.005 to 1';
const shareTogether = z
  .number({ error: TOGETHER })
  .min(0.005, { error: TOGETHER })
  .max(1, { error: TOGETHER });
const count = z.int({ error: 'a whole number above 0' }).min(1, { error: 'a whole number above 0' });

const limits = mapping({
  nameLength: count.optional(),
  valueBytes: count.optional(),
  elements: count.optional(),
  expiringTogether: shareTogether.optional(),
  connections: share.optional(),
  idleSeconds: count.optional(),
  idle: share.optional(),
  blocked: share.optional(),
});

const familyPolicy = mapping({
  use: oneOf(USES).optional(),
  ttl: oneOf(['required', 'optional']).optional(),
  band: band.optional(),
  rules: rules.optional(),
});

const DATE = 'a date such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z';
const DAY_ONLY = /^\d{4}-\d{2}-\d{2}$/u;
/** Date.parse reads a day that does not exist as one of the next month. */
const isDay = (day: string): boolean => {
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isFinite(at) && iso(at).startsWith(day);
};
/** The end of the day, where only a day is given. */
const time = z
  .string({ error: DATE })
  .refine((given) => /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/u.test(given), { error: DATE })
  .refine((given) => isDay(given.slice(0, 10)), { error: DATE })
  .transform((given) => Date.parse(DAY_ONLY.test(given) ? `${given}T23:59:59.999Z` : given))
  .refine((at) => Number.isFinite(at), { error: DATE });

const waiver = mapping({
  rule: ruleId,
  family: FAMILY.optional(),
  who: shortText,
  why: shortText,
  until: time,
});

/** A policy file. Omitted settings keep their defaults. */
export const policyFile = mapping({
  prefixes: listOf(PREFIX, 'a list of prefixes', 1000).default([]),
  rules: rules.default({}),
  bands: z.partialRecord(oneOf(USES), band, { error: 'a mapping of uses to bands' }).default({}),
  limits: limits.prefault({}),
  families: z
    .record(FAMILY, familyPolicy, { error: 'a mapping of families' })
    .refine((given) => Object.keys(given).length <= MAX_FAMILIES, {
      error: `at most ${MAX_FAMILIES} families`,
    })
    .default({}),
  waivers: listOf(waiver, 'a list of waivers', MAX_WAIVERS).default([]),
});

export type PolicyFile = z.output<typeof policyFile>;
