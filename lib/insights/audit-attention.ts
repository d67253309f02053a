import 'server-only';
import { type auditContracts, WARN_SHARE } from '@/lib/audit/schema';
import type { Result } from '@/lib/contract';
import type { Attention } from './schema';

/** What is wrong with the audit log, and how full it is; for those who may read it. */
export const auditAttention = ({
  alarm,
  rows,
  maxRows,
}: Pick<Result<typeof auditContracts.status>, 'alarm' | 'rows' | 'maxRows'>): Attention[] => {
  const href = '/audit';
  const found: Attention[] = [];
  if (alarm)
    found.push({
      id: 'audit-alarm',
      severity: 'critical',
      text: 'The audit log was tampered with, or lost entries',
      detail: alarm.problem,
      href,
    });
  if (rows >= maxRows * WARN_SHARE)
    found.push({
      id: 'audit-size',
      severity: rows > maxRows ? 'critical' : 'warning',
      text: `The audit log holds ${rows.toLocaleString('en')} of ${maxRows.toLocaleString('en')} rows`,
      detail: 'Above the limit the oldest are forgotten: export them, or lower KEYWARD_AUDIT_DAYS',
      href,
    });
  return found;
};
