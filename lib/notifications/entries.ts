import 'server-only';
import type { IntentRecord, Row } from '@/lib/audit/entries';
import { findIntent, isIntent, matchesIntent, toEntries } from '@/lib/audit/reads';
import type { AuditEntry } from '@/lib/audit/schema';
import type { Store } from '@/lib/redis/store';
import type { EntryFilter } from './schema';

/** An entry of the audit log with its record, which has the redacted input. */
export interface LoggedEntry {
  entry: AuditEntry;
  record: IntentRecord;
}

/** No message is about a message: a test of notifications is not sent through notifications. */
const NOT_SENT = 'notifications.test';

const withEntries = async (store: Store, records: readonly IntentRecord[]): Promise<LoggedEntry[]> => {
  const sent = records.filter(({ action }) => action !== NOT_SENT);
  const entries = await toEntries(store, sent);
  return sent.map((record, i) => ({ record, entry: entries[i]! }));
};

/**
 * The entries that these rows complete: events, and changes by their outcome. The later outcome of an event only counts
 * its repetitions.
 */
export const completedBy = async (store: Store, rows: readonly Row[]): Promise<LoggedEntry[]> => {
  const intents = new Map<string, IntentRecord>();
  for (const { record } of rows) if (isIntent(record)) intents.set(record.id, record);
  const find = async (id: string): Promise<IntentRecord | undefined> =>
    intents.get(id) ?? (await findIntent(store, id))?.record;
  const found = await Promise.all(
    rows.map(async ({ record }) => {
      if (record?.kind === 'event') return isIntent(record) ? record : undefined;
      const intent = record?.kind === 'outcome' ? await find(record.id) : undefined;
      return intent?.kind === 'intent' ? intent : undefined;
    }),
  );
  return withEntries(
    store,
    found.flatMap((record) => record ?? []),
  );
};

/** The changes among these rows that have no outcome yet. */
export const pendingAmong = async (store: Store, rows: readonly Row[]): Promise<LoggedEntry[]> => {
  const intents = rows.flatMap(({ record }) =>
    isIntent(record) && record.kind === 'intent' ? [record] : [],
  );
  const all = await withEntries(store, intents);
  return all.filter(({ entry }) => entry.outcome === 'pending');
};

export const matches = ({ entry, record }: LoggedEntry, { outcome, ...filter }: EntryFilter): boolean =>
  matchesIntent(record, filter) && (outcome === undefined || entry.outcome === outcome);
