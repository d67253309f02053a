import 'server-only';
import { type auditContracts, WARN_SHARE } from '@/lib/audit/schema';
import type { Result } from '@/lib/contract';
import { HOUR } from '@/lib/time';
import type { Found } from './put-off';

/** The log is verified once an hour; verifying a long log takes a while. */
const OVERDUE_MS = 2 * HOUR;

/** What is wrong with the audit log, and how full it is. */
export const auditAttention = (
  { alarm, rows, maxRows, verified }: Result<typeof auditContracts.status>,
  now = Date.now(),
): Found[] => {
  const href = '/audit';
  const attention: Found[] = [];
  if (alarm)
    attention.push({
      id: 'audit-alarm',
      values: {},
      severity: 'critical',
      text: 'The audit log was tampered with or lost entries',
      detail: alarm.problem,
      href,
    });
  if (Math.max(verified ? Date.parse(verified.at) : 0, performance.timeOrigin) < now - OVERDUE_MS)
    attention.push({
      id: 'audit-unverified',
      values: {},
      severity: 'critical',
      text: 'The audit log has not been verified for 2 hours',
      detail: 'It should be verified hourly: verify it now and check the server log',
      href,
    });
  if (rows >= maxRows * WARN_SHARE)
    attention.push({
      id: 'audit-size',
      values: { rows, maxRows },
      severity: rows > maxRows ? 'critical' : 'warning',
      text: `The audit log holds ${rows.toLocaleString('en')} of ${maxRows.toLocaleString('en')} rows`,
      detail: 'Above the limit the oldest entries are deleted: export them, or lower KEYWARD_AUDIT_DAYS',
      href,
    });
  return attention;
};
