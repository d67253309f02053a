import 'server-only';
import { systemActor } from '@/lib/actor';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { withLease } from '@/lib/redis/lease';
import type { Store } from '@/lib/redis/store';
import { DAY, MINUTE } from '@/lib/time';
import { auditKeys, headMac } from './chain';
import type { Row } from './entries';
import type { Head } from './known-heads';
import { appendEvent } from './log';
import { faultOf, headOf, readAnchor, rowsFrom } from './rows';

const BATCH_SIZE = 500;

/** The rows up to the first that does not follow its predecessor: a broken part is kept as evidence. */
const soundPart = (rows: readonly Row[], base: Head): Row[] => {
  let last = base;
  const broken = rows.findIndex((row) => {
    if (faultOf(row, last)) return true;
    last = headOf(row);
    return false;
  });
  return broken < 0 ? [...rows] : rows.slice(0, broken);
};

const forget = async (store: Store, rows: readonly Row[]): Promise<number> => {
  const last = rows[rows.length - 1]!;
  const base = headOf(last);
  const pointers = rows.flatMap(({ record }) =>
    record && (record.kind === 'intent' || record.kind === 'event') ? [auditKeys.pointer(record.id)] : [],
  );
  const keys = [auditKeys.stream, auditKeys.base, ...pointers];
  const args = [last.streamId, base.digest, base.seq, headMac('base', base, '')];
  return ((await store.run('audit-trim', keys, args)) as number[])[2]!;
};

/** Deletes up to `limit` of the oldest entries before `before`, a stream id. */
const forgetOldest = async (store: Store, before: string, limit: number): Promise<number> => {
  let forgotten = 0;
  let base = await readAnchor(store, 'base');
  while (base.genuine !== false) {
    const wanted = Math.min(BATCH_SIZE, limit - forgotten);
    const sound = wanted > 0 ? soundPart(await rowsFrom(store, '-', before, wanted), base) : [];
    if (sound.length > 0) forgotten += await forget(store, sound);
    const next = await readAnchor(store, 'base');
    // Another process may have moved the base meanwhile: then the rows did not follow it, or were already deleted.
    if (sound.length < BATCH_SIZE && next.seq === (sound.at(-1)?.record?.seq ?? base.seq)) break;
    base = next;
  }
  return forgotten;
};

const olderThan = (age: number, now: number): string => `(${Math.max(0, now - age)}-0`;

/**
 * Deletes entries older than `days` (KEYWARD_AUDIT_DAYS) and stores, with a MAC, where the rest begins. Verifies
 * entries before deleting them, and stops at a broken one. Returns how many were deleted. Safe in concurrent processes.
 */
export const trimAudit = (store: Store, days: number, now: number): Promise<number> =>
  forgetOldest(store, olderThan(days * DAY, now), Number.POSITIVE_INFINITY);

/** The maximum number of rows: about 600 MB of the store. */
export const MAX_ROWS = 1_000_000;
/** Younger entries are kept however large the log is, so that flooding it cannot erase traces. */
export const MIN_KEPT_DAYS = 30;

export const auditRows = (store: Store): Promise<number> =>
  store.use((redis) => redis.xlen(auditKeys.stream));

const forgetSurplus = async (store: Store, now: number, maxRows: number): Promise<number> => {
  const surplus = (await auditRows(store)) - maxRows;
  const forgotten = await forgetOldest(store, olderThan(MIN_KEPT_DAYS * DAY, now), surplus);
  if (forgotten > 0)
    await appendEvent(store, {
      actor: systemActor(),
      action: 'audit.forget',
      outcome: 'succeeded',
      detail: `The oldest ${forgotten} rows were deleted: the log had more than ${maxRows}.`,
    });
  return forgotten;
};

/**
 * Deletes the oldest entries of a log above `maxRows` and records how many. Under a lease, because each process would
 * delete the same number again.
 */
export const limitAudit = async (store: Store, now: number, maxRows = MAX_ROWS): Promise<number> => {
  const lease = consoleFamilies.lease.key({ name: 'audit-limit' });
  const done = await withLease(store, lease, { ms: MINUTE, renewed: true }, () =>
    forgetSurplus(store, now, maxRows),
  );
  return done.ok ? done.value : 0;
};
