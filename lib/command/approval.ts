import 'server-only';
import type { z } from 'zod';
import type { entryApproval } from '@/lib/audit/schema';
import { Problem } from '@/lib/errors';
import { approvalRule, limitFor, patternFor } from './approval-rule';
import type { ConsoleContext, ReadContext } from './context';
import type { AnyCommand, AuditJson, Impact } from './define';
import { isApprovable } from './registry';

/** The approval of a change, as its audit entry names it. */
export type Approval = z.output<typeof entryApproval>;

/** The input of a change as the audit log stores it, with its approval. */
export const approvalRecord = (redacted: AuditJson, approval: Approval): AuditJson => {
  const fields =
    typeof redacted === 'object' && redacted !== null && !Array.isArray(redacted)
      ? redacted
      : { input: redacted };
  return { ...fields, approval: { ...approval } };
};

/** Why a change needs approval. */
export interface ApprovalReason {
  operation: string;
  /** The pattern of the rule, for a change that always needs it. */
  rule: string | null;
  /** For one that touches more than its caller's role may change alone; `count` is null where it was not counted. */
  limit: { role: string; limit: number; count: number | null } | null;
}

const sentenceOf = (connection: string, { operation, rule, limit }: ApprovalReason): string => {
  if (rule !== null)
    return `${operation} needs approval by a second user on connection "${connection}" (rule ${rule}).`;
  const { role, limit: most, count } = limit!;
  const what = count === null ? 'more things than could be counted' : `${count} things`;
  return `This ${operation} touches ${what}; the role ${role} may touch ${most} at once without approval.`;
};

/** 409 `approval_required`. `askable`: a request for approval (`approvals.request`) can be made for it. */
export const approvalRequired = (connection: string, why: ApprovalReason): Problem =>
  new Problem(
    'approval_required',
    `${sentenceOf(connection, why)} Ask for approval with the same input; nothing was changed.`,
    { extensions: { ...why, askable: true } },
  );

/** The same for keys that other operations change, which need approval. */
export const approvalRequiredForKeys = (connection: string, rule: string): Problem =>
  new Problem(
    'approval_required',
    `Changes of these keys need approval by a second user on connection "${connection}" (rule ${rule}). Ask for approval with the same input; nothing was changed.`,
    { extensions: { rule, limit: null, askable: true } },
  );

/** How much an input would change; nothing is known of a command that does not count. */
export const impactOf = async (command: AnyCommand, ctx: ReadContext, input: never): Promise<Impact> =>
  (await command.impact?.(ctx as never, input)) ?? { count: null };

/** Throws 409 unless the change was approved, or needs no approval. */
export const requireApproval = async (
  command: AnyCommand,
  reads: ReadContext | ConsoleContext,
  input: never,
): Promise<void> => {
  if (!('connection' in reads) || reads.isApproved || !isApprovable(command)) return;
  const { id: operation } = command.contract;
  const rule = approvalRule(reads.connection);
  const asked = [operation, ...(command.actsAs?.(input) ?? [])];
  const { id } = reads.connection.config;
  const pattern = patternFor(rule, asked);
  if (pattern !== null) throw approvalRequired(id, { operation, rule: pattern, limit: null });
  const { role } = reads.actor;
  const limit = limitFor(rule, role, asked);
  if (limit === null || role === null) return;
  const { count } = await impactOf(command, reads, input);
  if (count !== null && count <= limit) return;
  throw approvalRequired(id, { operation, rule: null, limit: { role, limit, count } });
};
