import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import { env } from '@/lib/env';
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

const NO_LEAD: Lead = { indexes: [] };

/** Which indexes have to know of a record. What ends a change leads to the change, what takes one back to the undo. */
export const leadOf = async (store: Store, record: NewRecord): Promise<Lead> => {
  if (record.kind === 'outcome') {
    const change = namedByOutcome(record).length > 0 ? await findIntent(store, record.id) : null;
    return change ? { indexes: indexesOf({ ...change.record, ...record }), to: change.place } : NO_LEAD;
  }
  if (!('by' in record)) return { indexes: indexesOf({ ...record, before: null, after: null }) };
  const [undo, undone] = await Promise.all([findIntent(store, record.by), findEntry(store, record.id)]);
  return undo && undone ? { indexes: indexesOf(undone), to: undo.place } : NO_LEAD;
};

/** Whether the indexes know the whole log, and where reading it goes on if not. */
const indexState = async (store: Store): Promise<{ whole: boolean; from: string; empty: boolean }> => {
  const [seq, indexed, indexing] = await store.use((redis) =>
    redis.hmget(auditKeys.head, 'seq', 'indexed', 'indexing'),
  );
  // With other days the indexes would expire before what they lead to.
  const whole = indexed === `${seq}:${env().auditDays}`;
  return { whole, from: indexing ? `(${indexing}` : '-', empty: !seq };
};

const PAGE = 50;
/** Entries looked at for one page: somebody may try a change in vain, or rename to and fro, many thousand times. */
const MAX_EXAMINED = 5000;

const readHints = (store: Store, index: Buffer, below: string): Promise<Place[]> =>
  store.use(async (redis) => {
    const found = await redis.zrevrangebyscore(index, below, '-inf', 'WITHSCORES', 'LIMIT', 0, PAGE);
    return Array.from({ length: found.length / 2 }, (_, i) => ({
      streamId: found[2 * i]!,
      seq: Number(found[2 * i + 1]),
    }));
  });

/** The changes that hints lead to. An index is outside the chain: what it says counts only if the record says the same. */
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

/** From which number an index is read to go on below a place of the log. */
const belowPlace = async (store: Store, place: string): Promise<string> => {
  const [found] = await store.use((redis) => redis.xrevrange(auditKeys.stream, place, '-', 'COUNT', 1));
  if (!found) return '-inf';
  const { streamId, record } = toRow(found);
  if (!record) throw badCursor();
  return streamId === place ? `(${record.seq}` : String(record.seq);
};

/**
 * Entries about a subject newest first, which may become another one on the way (a variable had other names). While
 * the index does not know the whole log, all entries that fit the filter: the caller looks at each anyway.
 */
export async function* walkAbout(
  store: Store,
  filter: AuditFilter & { connection: string },
  subject: () => Subject,
): AsyncGenerator<Passed> {
  if (!(await indexState(store)).whole) return yield* walkEntries(store, filter);
  let below = filter.cursor === undefined ? '+inf' : await belowPlace(store, placeAt(filter.cursor));
  let read = 0;
  walking: for (;;) {
    const about = subject();
    const hints = await readHints(store, indexOf(filter.connection, about), below);
    read += hints.length;
    const examined = read < MAX_EXAMINED ? read : Infinity;
    const found = (await followHints(store, hints)).filter(([record]) => matchesIntent(record, filter));
    const entries = await toEntries(
      store,
      found.map(([record]) => record),
    );
    for (const [i, [{ seq }, place]] of found.entries()) {
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

/** What somebody spoilt leads nowhere. */
const isWhole = (record: AuditRecord | null): record is AuditRecord =>
  isIntent(record) || record?.kind === 'outcome' || (record?.kind === 'undone' && 'by' in record);

/** One page of a log from before it had indexes. False when there is nothing more. */
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
 * Gives a log from before it had indexes its indexes, page by page; goes on where it stopped. Safe in several processes
 * at once: one of them does it.
 */
export const indexLog = async (store: Store): Promise<void> => {
  if ((await indexState(store)).whole) return;
  const lease = consoleFamilies.lease.key({ name: 'audit-index' });
  await withLease(store, lease, { ms: MINUTE, renewed: true }, async () => {
    while (await indexPage(store)) await sleep(PAUSE_MS);
  });
};
