import { z } from 'zod';
import {
  changeInput,
  changeResult,
  contract,
  isoTime,
  jobAccepted,
  noInput,
  pageInput,
  pageOf,
} from '@/lib/contract';
import { walkCost } from '@/lib/walk/schema';

/** All rules, in the order of the page. */
export const RULE_IDS = [
  'name-format',
  'name-case',
  'name-empty-part',
  'name-business',
  'name-length',
  'name-known-prefix',
  'ttl-required',
  'ttl-band',
  'ttl-jitter',
  'type-by-use',
  'value-size',
  'collection-length',
  'lock-ttl',
  'lock-owner',
  'null-marker-ttl',
  'forbidden-commands',
  'blocking-in-transaction',
  'secrets-in-clear',
  'connection-limit',
  'idle-connections',
  'blocked-connections',
  'maxmemory',
  'eviction-policy',
  'persistence',
  'abandoned-keys',
] as const;
export type RuleId = (typeof RULE_IDS)[number];
export const ruleId = z.enum(RULE_IDS);

export const SEVERITIES = ['error', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The items of the checklist, in the order of the page. */
export const CHECKLIST_IDS = [
  'naming',
  'ttl',
  'type',
  'big-values',
  'locks',
  'cache-protection',
  'connections',
] as const;
export type ChecklistId = (typeof CHECKLIST_IDS)[number];

/** Rules whose violations a job can fix. */
export const FIXABLE = [
  'name-format',
  'name-case',
  'name-empty-part',
  'ttl-required',
  'ttl-band',
  'ttl-jitter',
  'lock-ttl',
  'null-marker-ttl',
  'collection-length',
  'abandoned-keys',
] as const;
export type FixableRule = (typeof FIXABLE)[number];

/** `unknown`: cannot be determined, for `reason`. `off`: switched off by the policy. */
export const RULE_STATES = ['passed', 'failed', 'unknown', 'waived', 'off'] as const;
export type RuleState = (typeof RULE_STATES)[number];

export const violation = z.object({
  key: z
    .string()
    .meta({ description: 'Masked; a place such as a command or a setting where it is about no key.' }),
  keyId: z.string().nullable(),
  family: z.string().nullable(),
  detail: z.string(),
});
export type Violation = z.output<typeof violation>;

export const waiver = z.object({
  id: z.string(),
  rule: ruleId,
  family: z.string().nullable().meta({ description: 'null: all keys.' }),
  who: z.string(),
  why: z.string(),
  until: isoTime,
  source: z.enum(['policy', 'console']),
  expired: z.boolean(),
});
export type Waiver = z.output<typeof waiver>;

const rule = z.object({
  id: ruleId,
  title: z.string(),
  why: z.string(),
  how: z.string().meta({ description: 'How it is evaluated.' }),
  remedy: z.string().meta({ description: 'How to fix it.' }),
  severity: z.enum(SEVERITIES),
  checklist: z.enum(CHECKLIST_IDS).nullable(),
  state: z.enum(RULE_STATES),
  count: z
    .number()
    .nullable()
    .meta({ description: 'Violations that are not waived; null where it is unknown.' }),
  of: z.number().nullable().meta({ description: 'What was checked; null where it is no number of keys.' }),
  waived: z.number(),
  newSinceYesterday: z.number().nullable().meta({
    description: 'More than a day ago; negative where there are fewer; null without a report of then.',
  }),
  families: z.array(
    z.object({
      family: z.string().nullable(),
      count: z.number(),
      severity: z.enum(SEVERITIES),
      waived: z.boolean(),
    }),
  ),
  sample: z.array(violation),
  reason: z.string().nullable(),
  fixable: z.boolean(),
});
export type RuleReport = z.output<typeof rule>;

const policyProblem = z.object({
  line: z.number(),
  column: z.number(),
  path: z.string(),
  message: z.string(),
});

export const conventionsReport = z.object({
  at: isoTime.nullable().meta({ description: 'null before the first check; the rules are then unknown.' }),
  score: z.number().nullable().meta({
    description:
      '0–100, rounded down: the mean share of what each rule checked that keeps it. Errors count three times, warnings once, hints not at all.',
  }),
  keys: z.number(),
  complete: z.boolean(),
  rules: z.array(rule),
  checklist: z.array(
    z.object({
      id: z.enum(CHECKLIST_IDS),
      title: z.string(),
      state: z.enum(['passed', 'failed', 'unknown']),
      count: z.number().nullable(),
      reason: z.string().nullable(),
      rules: z.array(ruleId),
    }),
  ),
  waivers: z.array(waiver),
  policy: z.object({
    file: z
      .string()
      .nullable()
      .meta({ description: 'The name of the policy file; null: the document as it is.' }),
    loadedAt: isoTime.nullable(),
    problems: z
      .array(policyProblem)
      .meta({ description: 'Of the file as it is now; an earlier version is in force then.' }),
  }),
  walk: walkCost.nullable(),
});
export type ConventionsReport = z.output<typeof conventionsReport>;

const historyItem = z.object({
  at: isoTime,
  score: z.number().nullable(),
  counts: z
    .partialRecord(ruleId, z.number())
    .meta({ description: 'Violations by rule; a rule that was unknown is missing.' }),
});

/** Result of a job of `conventions.check`. */
export const checkResult = z.object({
  keys: z.number(),
  score: z.number().nullable(),
  failed: z.number(),
  complete: z.boolean(),
});

/** Result of a job of `conventions.fix`. `matched` is the sum of the other counts except `remaining`. */
export const fixResult = z.object({
  rule: ruleId,
  dryRun: z.boolean(),
  matched: z.number(),
  fixed: z.number().meta({ description: 'With `dryRun`: would be fixed.' }),
  conflicts: z.number().meta({ description: 'The new name is taken, or the key changed meanwhile.' }),
  skipped: z
    .number()
    .meta({ description: 'Cannot be fixed by a job, waived, or needs a permission that the caller lacks.' }),
  vanished: z.number(),
  remaining: z
    .number()
    .nullable()
    .meta({ description: 'Violations read again afterwards; null with `dryRun`.' }),
  sample: z.array(z.object({ key: z.string(), keyId: z.string().nullable(), detail: z.string() })),
  skippedBecause: z.array(z.object({ reason: z.string(), keys: z.number() })),
  undoUntil: isoTime.nullable(),
});
export type FixResult = z.output<typeof fixResult>;

const base = '/api/v1/connections/{connection}/conventions';

export const conventionContracts = {
  report: contract({
    id: 'conventions.report',
    method: 'GET',
    path: base,
    permission: 'view',
    summary: 'How the keyspace and the server keep the usage conventions, at the last check.',
    input: noInput,
    result: conventionsReport,
  }),
  check: contract({
    id: 'conventions.check',
    method: 'POST',
    path: `${base}/check`,
    touches: ['jobs.list'],
    permission: 'analysis:run',
    status: 202,
    summary: 'Checks the conventions now, as a job. Nothing is changed.',
    input: changeInput({}),
    result: jobAccepted,
  }),
  history: contract({
    id: 'conventions.history',
    method: 'GET',
    path: `${base}/history`,
    permission: 'view',
    summary: 'Violations per rule over time, newest first.',
    input: z.strictObject({ ...pageInput }),
    result: pageOf(historyItem),
  }),
  fix: contract({
    id: 'conventions.fix',
    method: 'POST',
    path: `${base}/fix`,
    touches: ['jobs.list'],
    permission: 'caches:invalidate',
    status: 202,
    summary: 'Fixes the violations of a rule, or with `dryRun` previews it, as a job.',
    input: changeInput({
      rule: z.enum(FIXABLE),
      family: z.string().max(100).optional(),
      dryRun: z.boolean().default(false),
      withoutUndo: z.boolean().default(false),
    }),
    result: jobAccepted,
  }),
  waive: contract({
    id: 'conventions.waive',
    method: 'POST',
    path: `${base}/waivers`,
    touches: ['conventions.report'],
    permission: 'users:manage',
    summary: 'Accepts the violations of a rule until a date.',
    input: changeInput({
      rule: ruleId,
      family: z.string().max(100).optional(),
      why: z.string().trim().min(1).max(500),
      until: isoTime,
    }),
    result: changeResult({ id: z.string() }),
  }),
  unwaive: contract({
    id: 'conventions.unwaive',
    method: 'DELETE',
    path: `${base}/waivers/{id}`,
    touches: ['conventions.report'],
    permission: 'users:manage',
    summary: 'Ends a waiver that was recorded in the console.',
    input: changeInput({ id: z.string().max(100) }),
    result: changeResult({ id: z.string() }),
  }),
};
