import 'server-only';
import { approvalRule, operationsToApprove } from '@/lib/command/approval-rule';
import type { Connection } from '@/lib/connections/schema';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { flagsNeedApproval } from '@/lib/values/two-person';

/** What of a connection needs approval by a second user; null where nothing does. */
export const approvalFacts = (handle: ConnectionHandle): Connection['approvals'] => {
  const operations = operationsToApprove(handle);
  const limits = Object.fromEntries(
    Object.entries(approvalRule(handle).limits).filter(([, counts]) => Object.keys(counts).length > 0),
  );
  const hasLimits = Object.keys(limits).length > 0;
  const hasNone = operations.length === 0 && !hasLimits && !flagsNeedApproval({ connection: handle });
  return hasNone ? null : { operations, limits };
};
