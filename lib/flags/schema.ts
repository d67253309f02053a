import { z } from 'zod';
import {
  changeInput,
  changeResult,
  contract,
  isoTime,
  pageInputOf,
  pageOf,
  shortListInput,
} from '@/lib/contract';
import { namesAge } from '@/lib/values/schema';

/** Feature flags are environment variables of this name (document 000 §2; issue rule for new names). */
export const flagName = z
  .string()
  .regex(/^FEATURE_[A-Z0-9_]{1,120}$/, 'A flag is named FEATURE_ and A-Z, 0-9, _.');

/** The spelling of a boolean; a new flag follows it, an existing one keeps its own. */
export const STYLES = ['true/false', '1/0', 'on/off', 'yes/no'] as const;

/** A change that is to happen at a time. It waits for the very value it was planned upon. */
export const scheduledChange = z.object({
  id: z.string(),
  at: isoTime,
  enabled: z.boolean(),
  by: z.string(),
  reason: z.string().nullable(),
  state: z.enum(['waiting', 'suspended']).meta({
    description:
      '`suspended`: the flag changed meanwhile, or the user may no longer do it; `why` says which.',
  }),
  why: z.string().nullable(),
});
export type ScheduledChange = z.output<typeof scheduledChange>;

/** What can be asked for; `unschedule` is taking out of the plan what two people agreed to. */
export const REQUESTED = ['set', 'create', 'delete', 'unschedule'] as const;

/** A change somebody asked for, to be approved or declined by somebody else. */
export const flagRequest = z.object({
  id: z.string(),
  action: z.enum(REQUESTED),
  from: z.string().nullable().meta({ description: 'The stored text now; null when there is none.' }),
  to: z.string().nullable(),
  enabled: z.boolean().nullable(),
  at: isoTime.nullable().meta({
    description: 'When it is to happen once approved; null: at once. Of `unschedule` when it was to happen.',
  }),
  plan: z.string().nullish().meta({ description: 'The plan that `unschedule` is to take out.' }),
  by: z.string(),
  requestedAt: isoTime,
  reason: z.string().nullable(),
  state: z.enum(['pending', 'suspended']),
  why: z.string().nullable(),
  mayDecide: z.boolean().meta({ description: 'False for whoever asked and for who may not approve.' }),
});
export type FlagRequest = z.output<typeof flagRequest>;

export const flag = z.object({
  name: z.string(),
  key: z.string(),
  enabled: z.boolean().nullable().meta({ description: 'null when the value is no boolean.' }),
  raw: z
    .string()
    .nullable()
    .meta({ description: 'The stored text; null when it looks secret or is not text.' }),
  type: z.string(),
  description: z.string().nullable(),
  etag: z.string(),
  ttlSeconds: z.number().nullable(),
  updatedAt: isoTime.nullable(),
  updatedBy: z.string().nullable(),
  reason: z.string().nullable(),
  stale: z.boolean().meta({ description: 'Unchanged for 30 days, as far as this console saw.' }),
  unchangedSince: isoTime.nullable().meta({
    description: 'The last change through this console, else when it first saw the present value.',
  }),
  schedule: z.array(scheduledChange),
  request: flagRequest.nullish(),
});
export type Flag = z.output<typeof flag>;

const name = z.string().min(1).max(200);
const etag = z.string().min(1).max(100);

export const flagContracts = {
  list: contract({
    id: 'flags.list',
    method: 'GET',
    path: '/api/v1/connections/{connection}/flags',
    permission: 'flags:view',
    summary: 'Feature flags by name, with their state, and who changed each last.',
    input: z.strictObject(shortListInput),
    result: pageOf(flag).extend({
      ...namesAge,
      approval: z.enum(['none', 'two-person']).meta({
        description: '`two-person`: changes are asked for (`flags.request`) and approved by another.',
      }),
      newFlags: z
        .array(flagRequest.extend({ name: z.string() }))
        .meta({ description: 'Requests for flags that do not exist yet.' }),
    }),
  }),
  set: contract({
    id: 'flags.set',
    method: 'PUT',
    path: '/api/v1/connections/{connection}/flags/{name}',
    permission: 'flags:toggle',
    summary:
      'Turns a flag on or off, keeping the style in use (true/false, 1/0, on/off, yes/no, any case).',
    input: changeInput({
      name: z.string().min(1).max(200),
      enabled: z.boolean(),
      etag: z.string().min(1).max(100),
    }),
    result: changeResult({ name: z.string(), enabled: z.boolean(), raw: z.string(), etag: z.string() }),
  }),
  history: contract({
    id: 'flags.history',
    method: 'GET',
    path: '/api/v1/connections/{connection}/flags/{name}/history',
    permission: 'flags:view',
    summary: 'Who changed a flag, when and why, newest first.',
    input: z.strictObject({ name: z.string().min(1).max(200), ...pageInputOf(200) }),
    result: pageOf(
      z.object({
        auditId: z.string(),
        at: isoTime,
        actor: z.string(),
        from: z.string().nullable(),
        to: z.string().nullable(),
        reason: z.string().nullable(),
        action: z.string(),
        outcome: z.string(),
        undoUntil: isoTime.nullable(),
        undoneBy: z.string().nullable(),
      }),
    ),
  }),
  create: contract({
    id: 'flags.create',
    method: 'POST',
    path: '/api/v1/connections/{connection}/flags',
    permission: 'flags:toggle',
    summary: 'Creates a flag; 409 where there is one of this name.',
    status: 201,
    input: changeInput({
      name: flagName,
      enabled: z.boolean(),
      style: z
        .enum(STYLES)
        .optional()
        .meta({ description: "Else the style most of the connection's flags have." }),
      description: z.string().max(500).optional(),
    }),
    result: changeResult({ name: z.string(), enabled: z.boolean(), raw: z.string(), etag: z.string() }),
  }),
  delete: contract({
    id: 'flags.delete',
    method: 'DELETE',
    path: '/api/v1/connections/{connection}/flags/{name}',
    permission: 'flags:toggle',
    summary: 'Deletes a flag and what is planned for it; can be taken back while nobody created it again.',
    input: changeInput({ name, etag }),
    result: changeResult({ name: z.string(), unscheduled: z.number() }),
  }),
  describe: contract({
    id: 'flags.describe',
    method: 'PUT',
    path: '/api/v1/connections/{connection}/flags/{name}/description',
    permission: 'flags:toggle',
    summary: 'Says in plain words what a flag does; kept in the store, not in the application.',
    input: changeInput({ name, description: z.string().max(500) }),
    result: changeResult({ name: z.string(), description: z.string().nullable() }),
  }),
  schedule: contract({
    id: 'flags.schedule',
    method: 'POST',
    path: '/api/v1/connections/{connection}/flags/{name}/schedule',
    permission: 'flags:toggle',
    summary: 'Plans a change for a time. It is suspended if the flag changed meanwhile.',
    status: 201,
    input: changeInput({ name, enabled: z.boolean(), at: isoTime, etag }),
    result: changeResult({ name: z.string(), planned: scheduledChange }),
  }),
  unschedule: contract({
    id: 'flags.unschedule',
    method: 'DELETE',
    path: '/api/v1/connections/{connection}/flags/{name}/schedule/{id}',
    permission: 'flags:toggle',
    summary:
      'Takes a planned or suspended change out of the plan; 409 where two people agreed to it and have to again.',
    input: changeInput({ name, id: z.string().max(100) }),
    result: changeResult({ name: z.string(), id: z.string() }),
  }),
  request: contract({
    id: 'flags.request',
    method: 'POST',
    path: '/api/v1/connections/{connection}/flags/{name}/requests',
    permission: 'flags:toggle',
    summary: 'Asks for a change that somebody else approves.',
    status: 201,
    input: changeInput({
      name,
      action: z.enum(REQUESTED).default('set'),
      enabled: z.boolean().optional(),
      at: isoTime.optional(),
      etag: etag
        .optional()
        .meta({ description: 'Of what was read; none to create a flag or to unschedule.' }),
      plan: z.string().max(100).optional().meta({ description: 'The id of the plan; for `unschedule`.' }),
    }),
    result: changeResult({ name: z.string(), request: flagRequest }),
  }),
  approve: contract({
    id: 'flags.approve',
    method: 'POST',
    path: '/api/v1/connections/{connection}/flags/requests/{id}/approve',
    permission: 'flags:approve',
    summary: 'Carries out what somebody else asked for, or plans it for its time; suspended on a conflict.',
    input: changeInput({ id: z.string().max(100) }),
    result: changeResult({
      name: z.string(),
      state: z.enum(['applied', 'scheduled', 'suspended']),
      why: z.string().nullable(),
      etag: z.string().nullable(),
    }),
  }),
  decline: contract({
    id: 'flags.decline',
    method: 'POST',
    path: '/api/v1/connections/{connection}/flags/requests/{id}/decline',
    permission: 'flags:approve',
    summary: 'Declines a request, with a reason. Whoever asked takes it back with `flags.withdraw`.',
    input: changeInput({ id: z.string().max(100) }),
    result: changeResult({ name: z.string() }),
  }),
  withdraw: contract({
    id: 'flags.withdraw',
    method: 'POST',
    path: '/api/v1/connections/{connection}/flags/requests/{id}/withdraw',
    permission: 'flags:toggle',
    summary: 'Takes back what one asked for oneself.',
    input: changeInput({ id: z.string().max(100) }),
    result: changeResult({ name: z.string() }),
  }),
};
