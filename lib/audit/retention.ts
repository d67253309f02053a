import 'server-only';
import type { Store } from '@/lib/redis/store';
import { DAY } from '@/lib/time';
import { auditKeys, type Head, headMac } from './chain';
import type { Row } from './entries';
import { faultOf, headOf, readAnchor, rowsFrom } from './rows';

const AT_ONCE = 500;

/** The rows up to the first that does not follow the one before: what is broken is kept, as evidence. */
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

/**
 * Forgets entries older than `days` (KEYWARD_AUDIT_DAYS) and keeps, under a MAC, where the rest begins. Verifies
 * what it forgets: from a broken entry on nothing is forgotten. Returns how many entries were. Safe in several
 * processes at once.
 */
export const trimAudit = async (store: Store, days: number, now: number): Promise<number> => {
  const before = `(${Math.max(0, now - days * DAY)}-0`;
  let forgotten = 0;
  for (;;) {
    const base = await readAnchor(store, 'base');
    if (base.genuine === false) return forgotten;
    const rows = await rowsFrom(store, '-', before, AT_ONCE);
    const sound = soundPart(rows, base);
    if (sound.length === 0) return forgotten;
    forgotten += await forget(store, sound);
    if (sound.length < AT_ONCE) return forgotten;
  }
};
