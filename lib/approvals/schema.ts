import { z } from 'zod';
import {
  changeInput,
  changeResult,
  contract,
  isoTime,
  LIST_BODY_BYTES,
  pageInput,
  pageOf,
} from '@/lib/contract';

/**
 * `suspended`: what it would change is no longer what was asked for. `executing`: an approval is executing it. `inDoubt`:
 * its outcome is unknown. `expired`: nobody decided in time.
 */
export const APPROVAL_STATES = ['pending', 'suspended', 'executing', 'inDoubt', 'expired'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

const fact = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const impact = z.object({
  count: z.number().nullable().meta({
    description: 'Number of things; of an estimate its upper end. null where the operation counts none.',
  }),
  facts: z.record(z.string(), fact).optional().meta({ description: 'By names of the operation’s answer.' }),
});
export type ShownImpact = z.output<typeof impact>;

export const approval = z.object({
  id: z.string(),
  operation: z.string().meta({ description: 'The operationId of the change.' }),
  target: z.string(),
  by: z.string().meta({ description: 'Who asked.' }),
  requestedAt: isoTime,
  expiresAt: isoTime.nullable(),
  reason: z.string().nullable(),
  state: z.enum(APPROVAL_STATES),
  why: z
    .string()
    .nullable()
    .meta({ description: 'Why it cannot be approved, for `suspended` and `inDoubt`.' }),
  was: impact.meta({ description: 'What it would have touched when it was requested.' }),
  input: z.unknown().meta({ description: 'The input as the audit log shows it: no secret.' }),
  own: z.boolean().meta({ description: 'The caller asked for it, also through a token.' }),
  mayDecide: z.boolean().meta({ description: 'The caller may approve and decline it.' }),
});
export type ApprovalRow = z.output<typeof approval>;

const base = '/api/v1/connections/{connection}/approvals';
const id = z.string().min(1).max(100);

export const approvalContracts = {
  list: contract({
    id: 'approvals.list',
    method: 'GET',
    path: base,
    permission: 'view',
    summary:
      'Requests for approval that the caller made or whose change the caller may make: pending ones first.',
    input: z.strictObject({
      q: z
        .string()
        .max(200)
        .optional()
        .meta({ description: 'Part of the operation, the target or the user.' }),
      state: z.enum(APPROVAL_STATES).optional(),
      ...pageInput,
    }),
    result: pageOf(approval).extend({
      total: z.number(),
      states: z.record(z.enum(APPROVAL_STATES), z.number()).meta({ description: 'Requests by state.' }),
    }),
  }),
  get: contract({
    id: 'approvals.get',
    method: 'GET',
    path: `${base}/{id}`,
    permission: 'view',
    summary: 'One request, with what it would touch now.',
    input: z.strictObject({ id }),
    result: approval.extend({
      now: impact.nullable().meta({ description: 'null where it is not pending, or cannot be made now.' }),
      obstacle: z.string().nullable().meta({ description: 'Why an approval would suspend it now.' }),
      bound: z.number().meta({ description: 'The share by which the count may differ: 0.1 is 10 %.' }),
    }),
    walks: true,
  }),
  request: contract({
    id: 'approvals.request',
    method: 'POST',
    path: base,
    permission: 'view',
    summary:
      'Asks for approval of a change, with the input that the change itself would take. The input is stored sealed until the request expires.',
    status: 201,
    maxBodyBytes: LIST_BODY_BYTES,
    walks: true,
    input: changeInput({
      operation: z.string().min(1).max(100).meta({ description: 'The operationId of the change.' }),
      input: z.record(z.string(), z.unknown()).meta({
        description: 'Its body and the parameters of its path. A reason in it is ignored.',
      }),
    }),
    result: changeResult({ request: approval }),
  }),
  approve: contract({
    id: 'approvals.approve',
    method: 'POST',
    path: `${base}/{id}/approve`,
    touches: ['approvals', 'overview', 'jobs.list'],
    walks: true,
    permission: 'view',
    summary:
      "Makes another user's change. It is suspended instead if the requester lost the permission, or if it would touch more or fewer things than the bound allows.",
    input: changeInput({ id }),
    result: changeResult({
      id: z.string(),
      operation: z.string(),
      target: z.string(),
      state: z.enum(['applied', 'started', 'suspended']).meta({ description: '`started`: as a job.' }),
      why: z.string().nullable(),
      was: impact,
      now: impact.nullable(),
      bound: z.number(),
      change: z
        .object({ auditId: z.string(), jobId: z.string().nullable(), undoUntil: isoTime.nullable() })
        .nullable()
        .meta({ description: 'The audit entry of the change itself.' }),
    }),
  }),
  decline: contract({
    id: 'approvals.decline',
    method: 'POST',
    path: `${base}/{id}/decline`,
    touches: ['approvals', 'overview', 'flags'],
    permission: 'view',
    summary: 'Declines a request, with a reason. The requester uses `approvals.withdraw` instead.',
    input: changeInput({ id }).extend({ reason: z.string().trim().min(1).max(500) }),
    result: changeResult({ id: z.string() }),
  }),
  withdraw: contract({
    id: 'approvals.withdraw',
    method: 'POST',
    path: `${base}/{id}/withdraw`,
    touches: ['approvals', 'overview', 'flags'],
    permission: 'view',
    summary: "Withdraws the caller's own request.",
    input: changeInput({ id }),
    result: changeResult({ id: z.string() }),
  }),
};
