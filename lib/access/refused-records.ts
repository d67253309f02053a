import 'server-only';
import { systemActor } from '@/lib/actor';
import { recordEvent } from '@/lib/audit/record';
import { inBackground } from '@/lib/background';
import { newId } from '@/lib/ids';
import { digest } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { takeLease } from '@/lib/redis/lease';
import { store } from '@/lib/redis/store';
import { HOUR } from '@/lib/time';
import { lastKnown } from './last-known';
import { isGenuine, type RecordFields, type RecordKind } from './record-mac';

const reported = lastKnown<number>('records-refused');

/** Adds an audit entry for a refused record, once an hour across all processes. Returns immediately, never throws. */
const report = async (kind: RecordKind, id: string): Promise<void> => {
  const about = `${kind}:${id}`;
  if (Date.now() < (reported.get(about) ?? 0)) return;
  reported.set(about, Date.now() + HOUR);
  const lease = consoleFamilies.lease.key({ name: `record-refused-${digest('record', about, 22)}` });
  if (!(await takeLease(store(), lease, newId(), HOUR))) return;
  await recordEvent({
    actor: systemActor(),
    action: 'account.recordRefused',
    target: `${kind} ${id.slice(0, 80)}`,
    outcome: 'failed',
    detail: 'The record was not written by Keyward and is refused.',
  });
};

/**
 * Whether the console itself wrote this record. Reports a record that someone else wrote; a missing one is just not
 * trusted.
 */
export const isTrusted = (kind: RecordKind, id: string, fields: RecordFields): boolean => {
  if (isGenuine(kind, id, fields)) return true;
  if (Object.keys(fields).length > 0) inBackground(report(kind, id));
  return false;
};
