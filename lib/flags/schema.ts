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

/** The naming of a connection's flags: `variable` where they are environment variables. */
const flagNaming = z.object({
  prefix: z.string().meta({ description: 'Every name begins with it.' }),
  kind: z.enum(['variable', 'own']),
});
export type FlagNaming = z.output<typeof flagNaming>;

const MAX_REST_LENGTH = 120;
const REST = { variable: /^[A-Z0-9_]*$/, own: /^[A-Za-z0-9_.:/-]*$/ };

/** What is wrong with the name of a new flag; null for a valid name. */
export const flagNameFault = (
  { prefix, kind }: FlagNaming,
  name: string,
): 'prefix' | 'letters' | 'long' | 'empty' | null => {
  if (!name.startsWith(prefix)) return 'prefix';
  const rest = name.slice(prefix.length);
  if (rest === '') return 'empty';
  if (!REST[kind].test(rest)) return 'letters';
  return rest.length > MAX_REST_LENGTH ? 'long' : null;
};

/** Stored formats of a boolean, for new flags; existing flags keep theirs. */
export const STYLES = ['true/false', '1/0', 'on/off', 'yes/no'] as const;

/** A release flag goes once it is on for everybody, a kill switch stays, an experiment ends with its result. */
export const FLAG_KINDS = ['release', 'killSwitch', 'experiment'] as const;
export const MAX_TAGS = 10;

/** What people note about a flag. It is stored by Keyward, not in the application's data. */
export const flagAbout = z.object({
  description: z.string().nullable(),
  owner: z.string().nullable().meta({ description: 'Who answers for it: a colleague or a team.' }),
  kind: z.enum(FLAG_KINDS).nullable(),
  tags: z.array(z.string()),
});
export type FlagAbout = z.output<typeof flagAbout>;

/** A change that runs at a time, if the flag still has the expected value then. */
export const scheduledChange = z.object({
  id: z.string(),
  at: isoTime,
  enabled: z.boolean(),
  by: z.string(),
  reason: z.string().nullable(),
  state: z.enum(['waiting', 'suspended']).meta({
    description: '`suspended`: the flag was changed since, or the user lost the permission; see `why`.',
  }),
  why: z.string().nullable(),
});
export type ScheduledChange = z.output<typeof scheduledChange>;

/** Actions a request can ask for; `unschedule` cancels an approved scheduled change. */
export const REQUESTED = ['set', 'create', 'delete', 'unschedule'] as const;

/** A requested change that another user approves or declines. */
export const flagRequest = z.object({
  id: z.string(),
  action: z.enum(REQUESTED),
  from: z.string().nullable().meta({ description: 'Current stored text; null if the flag does not exist.' }),
  to: z.string().nullable(),
  enabled: z.boolean().nullable(),
  at: isoTime.nullable().meta({
    description:
      'When the change runs once approved; null: immediately. For `unschedule`: its scheduled time.',
  }),
  plan: z.string().nullish().meta({ description: 'Id of the scheduled change to cancel, for `unschedule`.' }),
  by: z.string(),
  requestedAt: isoTime,
  reason: z.string().nullable(),
  state: z.enum(['pending', 'suspended']),
  why: z.string().nullable(),
  mayDecide: z.boolean().meta({ description: 'False for the requester and for users who may not approve.' }),
});
export type FlagRequest = z.output<typeof flagRequest>;

export const flag = flagAbout.extend({
  name: z.string(),
  key: z.string(),
  enabled: z.boolean().nullable().meta({ description: 'null if the value is not a boolean.' }),
  raw: z.string().nullable().meta({ description: 'Stored text; null if it looks secret or is not text.' }),
  type: z.string(),
  etag: z.string(),
  ttlSeconds: z.number().nullable(),
  updatedAt: isoTime.nullable(),
  updatedBy: z.string().nullable(),
  reason: z.string().nullable(),
  stale: z.boolean().meta({ description: 'Unchanged for 30 days, as far as Keyward has observed.' }),
  unchangedSince: isoTime.nullable().meta({
    description: 'Time of the last change through Keyward, else when Keyward first saw the current value.',
  }),
  changedOutside: z.boolean().nullable().meta({
    description: 'Keyward saw another value before, and did not set this one. null while the store is away.',
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
    summary: 'Feature flags by name, with state and last change.',
    input: z.strictObject(shortListInput),
    result: pageOf(flag).extend({
      ...namesAge,
      naming: flagNaming,
      approval: z.enum(['none', 'two-person']).meta({
        description: '`two-person`: changes need a request (`flags.request`) that another user approves.',
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
    summary: 'Turns a flag on or off in its stored format (true/false, 1/0, on/off, yes/no, any case).',
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
    summary: 'Creates a flag; 409 if it exists.',
    status: 201,
    input: changeInput({
      name,
      enabled: z.boolean(),
      style: z
        .enum(STYLES)
        .optional()
        .meta({ description: "Stored format; default: the most frequent one among the connection's flags." }),
      description: z.string().max(500).optional(),
    }),
    result: changeResult({ name: z.string(), enabled: z.boolean(), raw: z.string(), etag: z.string() }),
  }),
  delete: contract({
    id: 'flags.delete',
    method: 'DELETE',
    path: '/api/v1/connections/{connection}/flags/{name}',
    permission: 'flags:toggle',
    summary: 'Deletes a flag and its scheduled changes. Can be undone until someone creates the flag again.',
    input: changeInput({ name, etag }),
    result: changeResult({ name: z.string(), unscheduled: z.number() }),
  }),
  describe: contract({
    id: 'flags.describe',
    method: 'PUT',
    path: '/api/v1/connections/{connection}/flags/{name}/description',
    permission: 'flags:toggle',
    summary:
      "Sets a flag's description, owner, kind and tags, which are stored by Keyward, not in the application's data. What is left out stays.",
    input: changeInput({
      name,
      description: z.string().max(500).optional(),
      owner: z.string().max(100).optional(),
      kind: flagAbout.shape.kind.optional(),
      tags: z.array(z.string().max(40)).max(MAX_TAGS).optional(),
    }),
    result: changeResult({ name: z.string(), ...flagAbout.shape }),
  }),
  schedule: contract({
    id: 'flags.schedule',
    method: 'POST',
    path: '/api/v1/connections/{connection}/flags/{name}/schedule',
    permission: 'flags:toggle',
    summary: 'Schedules a change. It is suspended if the flag is changed first.',
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
      'Cancels a scheduled or suspended change; 409 if it was approved, since its cancellation needs approval too.',
    input: changeInput({ name, id: z.string().max(100) }),
    result: changeResult({ name: z.string(), id: z.string() }),
  }),
  request: contract({
    id: 'flags.request',
    method: 'POST',
    path: '/api/v1/connections/{connection}/flags/{name}/requests',
    permission: 'flags:toggle',
    summary: 'Requests a change that another user approves.',
    status: 201,
    input: changeInput({
      name,
      action: z.enum(REQUESTED).default('set'),
      enabled: z.boolean().optional(),
      at: isoTime.optional(),
      etag: etag
        .optional()
        .meta({ description: 'Etag of the value read; not for `create` and `unschedule`.' }),
      plan: z
        .string()
        .max(100)
        .optional()
        .meta({ description: 'Id of the scheduled change, for `unschedule`.' }),
    }),
    result: changeResult({ name: z.string(), request: flagRequest }),
  }),
  approve: contract({
    id: 'flags.approve',
    method: 'POST',
    path: '/api/v1/connections/{connection}/flags/requests/{id}/approve',
    permission: 'flags:approve',
    summary:
      "Applies another user's request, or schedules it for its time. On a conflict the request is suspended.",
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
    summary: 'Declines a request, with a reason. The requester uses `flags.withdraw` instead.',
    input: changeInput({ id: z.string().max(100) }),
    result: changeResult({ name: z.string() }),
  }),
  withdraw: contract({
    id: 'flags.withdraw',
    method: 'POST',
    path: '/api/v1/connections/{connection}/flags/requests/{id}/withdraw',
    permission: 'flags:toggle',
    summary: "Withdraws the caller's own request.",
    input: changeInput({ id: z.string().max(100) }),
    result: changeResult({ name: z.string() }),
  }),
};
