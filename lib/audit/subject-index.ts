import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { env } from '@/lib/configuration';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { badCursor } from '@/lib/list-page';
import { withLease } from '@/lib/redis/lease';
import type { Store } from '@/lib/redis/store';
import { MINUTE } from '@/lib/time';
import { auditKeys } from './chain';
import { type AuditRecord, type IntentRecord, type Lead, type NewRecord, type Place, toRow } from './entries';
import {
  type AuditFilter,
  findEntry,
  findIntent,
  isIntent,
  matchesIntent,
  type Passed,
  placeAt,
  toEntries,
  walkEntries,
} from './reads';
import { rowsFrom } from './rows';
import { indexesOf, indexOf, namedByOutcome, type Subject } from './subjects';

/** Counted up when the indexes have further subjects: the log is then indexed again. The scripts write it, too. */
const VERSION = 2;

const NO_LEAD: Lead = { indexes: [] };

/** The indexes for a record. An outcome points to its change, an undo record to the undo. */
export const leadOf = async (store: Store, record: NewRecord): Promise<Lead> => {
  if (record.kind === 'outcome') {
    const change = namedByOutcome(record).length > 0 ? await findIntent(store, record.id) : null;
    return change ? { indexes: indexesOf({ ...change.record, ...record }), to: change.place } : NO_LEAD;
  }
  if (!('by' in record)) return { indexes: indexesOf({ ...record, before: null, after: null }) };
  const [undo, undone] = await Promise.all([findIntent(store, record.by), findEntry(store, record.id)]);
  return undo && undone ? { indexes: indexesOf(undone), to: undo.place } : NO_LEAD;
};

/** Whether the indexes cover the full log, and where indexing continues if not. */
const indexState = async (store: Store): Promise<{ whole: boolean; from: string; empty: boolean }> => {
  const [seq, indexed, indexing] = await store.use((redis) =>
    redis.hmget(auditKeys.head, 'seq', 'indexed', `indexing:${VERSION}`),
  );
  // With another retention the indexes would expire before the entries they point to.
  const whole = indexed === `${seq}:${env().auditDays}:${VERSION}`;
  return { whole, from: indexing ? `(${indexing}` : '-', empty: !seq };
};

const PAGE = 50;
/** Entries examined per page: somebody may repeat a failing change, or rename back and forth, thousands of times. */
const MAX_EXAMINED = 5000;

const readHints = (store: Store, index: Buffer, below: string): Promise<Place[]> =>
  store.use(async (redis) => {
    const entries = await redis.zrevrangebyscore(index, below, '-inf', 'WITHSCORES', 'LIMIT', 0, PAGE);
    return Array.from({ length: entries.length / 2 }, (_, i) => ({
      streamId: entries[2 * i]!,
      seq: Number(entries[2 * i + 1]),
    }));
  });

/**
 * The changes that index entries point to. An index is outside the chain, so the record itself must confirm its
 * subject.
 */
const followHints = (store: Store, hints: readonly Place[]): Promise<[IntentRecord, string][]> =>
  store.use(async (redis) => {
    const rows = redis.pipeline();
    for (const { streamId } of hints) rows.xrange(auditKeys.stream, streamId, streamId);
    const replies = (await rows.exec()) ?? [];
    return hints.flatMap(({ seq, streamId }, i): [IntentRecord, string][] => {
      const [row] = (replies[i]?.[1] as [string, string[]][] | null) ?? [];
      const record = row ? toRow(row).record : null;
      return isIntent(record) && record.seq === seq ? [[record, streamId]] : [];
    });
  });

/** The sequence number from which to read an index below a place in the log. */
const belowPlace = async (store: Store, place: string): Promise<string> => {
  const [found] = await store.use((redis) => redis.xrevrange(auditKeys.stream, place, '-', 'COUNT', 1));
  if (!found) return '-inf';
  const { streamId, record } = toRow(found);
  if (!record) throw badCursor();
  return streamId === place ? `(${record.seq}` : String(record.seq);
};

/**
 * Entries about a subject, newest first. The subject may change on the way (a variable had other names). While the
 * indexes do not cover the full log, returns all entries that match the filter: the caller checks each anyway.
 */
export async function* walkAbout(
  store: Store,
  filter: AuditFilter,
  subject: () => Subject,
): AsyncGenerator<Passed> {
  if (!(await indexState(store)).whole) return yield* walkEntries(store, filter);
  let below = filter.cursor === undefined ? '+inf' : await belowPlace(store, placeAt(filter.cursor));
  let read = 0;
  walking: for (;;) {
    const about = subject();
    const hints = await readHints(store, indexOf(filter.connection ?? null, about), below);
    read += hints.length;
    const examined = read < MAX_EXAMINED ? read : Infinity;
    const intents = (await followHints(store, hints)).filter(([record]) => matchesIntent(record, filter));
    const entries = await toEntries(
      store,
      intents.map(([record]) => record),
    );
    for (const [i, [{ seq }, place]] of intents.entries()) {
      yield { entry: entries[i]!, place, examined };
      below = `(${seq}`;
      if (subject() !== about) continue walking;
    }
    const last = hints.at(-1);
    if (!last || hints.length < PAGE) return;
    below = `(${last.seq}`;
    yield { entry: null, place: last.streamId, examined };
  }
}

const ROWS = 500;
const PAUSE_MS = 20;

/** Damaged records have no subject. */
const isWhole = (record: AuditRecord | null): record is AuditRecord =>
  isIntent(record) || record?.kind === 'outcome' || (record?.kind === 'undone' && 'by' in record);

/** Indexes one page of a log written before there were indexes. False when nothing is left. */
const indexPage = async (store: Store): Promise<boolean> => {
  const { whole, from, empty } = await indexState(store);
  const rows = whole || empty ? [] : await rowsFrom(store, from, '+', ROWS);
  const last = rows.at(-1);
  if (!last) return false;
  const indexes: Buffer[] = [];
  const args: (string | number)[] = [last.record?.seq ?? 0, last.streamId, env().auditDays];
  for (const { record, streamId } of rows) {
    if (!isWhole(record)) continue;
    const lead = await leadOf(store, record);
    for (const index of lead.indexes) {
      indexes.push(index);
      args.push(lead.to?.seq ?? record.seq, lead.to?.streamId ?? streamId);
    }
  }
  const keys = [auditKeys.head, auditKeys.base, ...indexes];
  return ((await store.run('audit-index', keys, args)) as number[])[2] === 0;
};

/**
 * Indexes a log written before there were indexes, page by page, continuing where it stopped. Under a lease, so it is
 * safe in concurrent processes.
 */
export const indexLog = async (store: Store): Promise<void> => {
  if ((await indexState(store)).whole) return;
  const lease = consoleFamilies.lease.key({ name: 'audit-index' });
  await withLease(store, lease, { ms: MINUTE, renewed: true }, async () => {
    while (await indexPage(store)) await sleep(PAUSE_MS);
  });
};
