import 'server-only';
import { z } from 'zod';
import { badCursor } from '@/lib/list-page';
import type { Store } from '@/lib/redis/store';
import { iso, isoOrNull, MINUTE } from '@/lib/time';
import { auditKeys } from './chain';
import {
  type AuditRecord,
  type IntentRecord,
  type OutcomeRecord,
  type Place,
  type Row,
  toRow,
  type UndoneRecord,
} from './entries';
import { type AuditEntry, entryApproval } from './schema';

/** Which entries to return. Text filters match a part, ignoring case. */
export interface AuditFilter {
  /** A single entry; the other filters are ignored. */
  id?: string;
  actor?: string;
  action?: string;
  /** Any of these operationIds. */
  actions?: readonly string[];
  /** A further condition, checked before the rest of an entry is read. */
  wanted?: (entry: Pick<IntentRecord, 'action' | 'target'>) => boolean;
  connection?: string;
  target?: string;
  outcome?: 'pending' | 'succeeded' | 'failed';
  from?: string;
  to?: string;
  cursor?: string;
  limit?: number;
}

export interface AuditPage {
  items: AuditEntry[];
  /** The stream id to continue below; null at the end. A page may be short. */
  nextCursor: string | null;
}

const CHUNK = 250;
/** Rows examined per page: a filter with few matches returns a short page instead of walking the log. */
export const MAX_EXAMINED = 5000;
const STREAM_ID = /^[1-9]\d{0,14}-\d{1,10}$/;

/** The stream id in a cursor. Throws 400 for an invalid one. */
export const placeAt = (cursor: string): string => {
  if (!STREAM_ID.test(cursor)) throw badCursor();
  return cursor;
};

const includes = (text: string | null, part: string | undefined): boolean =>
  part === undefined || (text ?? '').toLowerCase().includes(part.toLowerCase());

export const matchesIntent = (record: IntentRecord, filter: AuditFilter): boolean =>
  (includes(record.actor, filter.actor) || record.actorId === filter.actor) &&
  includes(record.action, filter.action) &&
  (filter.actions === undefined || filter.actions.includes(record.action)) &&
  (filter.connection === undefined || record.connection === filter.connection) &&
  includes(record.target, filter.target) &&
  (filter.wanted?.(record) ?? true);

/** A change without an outcome for this long is a job or was interrupted: no request takes as long. */
const OVERDUE_MS = 5 * MINUTE;
const NO_OUTCOME =
  'No outcome yet: either a job is still running, or the console stopped during the change and it may or may not have been applied.';

const detailOf = (intent: IntentRecord, outcome: OutcomeRecord | null): string | null => {
  // A refusal's outcome says how many there were in its minute.
  if (intent.kind === 'event') return outcome?.detail ?? intent.detail ?? null;
  if (outcome) return outcome.detail ?? null;
  return Date.now() - intent.at > OVERDUE_MS ? NO_OUTCOME : null;
};

const withApproval = z.object({ approval: entryApproval });

const toEntry = (
  intent: IntentRecord,
  outcome: OutcomeRecord | null,
  undone: UndoneRecord | null,
): AuditEntry => ({
  id: intent.id,
  at: iso(intent.at),
  actor: intent.actor,
  actorId: intent.actorId,
  role: intent.role,
  action: intent.action,
  connection: intent.connection,
  target: intent.target,
  reason: intent.reason,
  outcome: intent.kind === 'event' ? (intent.outcome ?? 'pending') : (outcome?.outcome ?? 'pending'),
  detail: detailOf(intent, outcome),
  before: outcome?.before ?? null,
  after: outcome?.after ?? null,
  finishedAt: outcome ? iso(outcome.at) : null,
  undoUntil: undone ? null : isoOrNull(outcome?.undoUntil ?? null),
  undoneBy: undone?.by ?? null,
  requestId: intent.requestId,
  approval: withApproval.safeParse(intent.input).data?.approval ?? null,
});

const readRows = (store: Store, from: string, to: string, count: number): Promise<Row[]> =>
  store.use(async (redis) => (await redis.xrevrange(auditKeys.stream, from, to, 'COUNT', count)).map(toRow));

/** The outcome and undo records of these changes, found through their pointers. */
const followPointers = async (
  store: Store,
  ids: readonly string[],
): Promise<Map<string, { outcome: OutcomeRecord | null; undone: UndoneRecord | null }>> =>
  store.use(async (redis) => {
    const pointers = redis.pipeline();
    for (const id of ids) pointers.hmget(auditKeys.pointer(id), 'outcome', 'undone');
    const records = ((await pointers.exec()) ?? []).map(([, reply]) => (reply ?? []) as (string | null)[]);
    const rows = redis.pipeline();
    const wanted = records.flatMap((pair) => pair.filter((id): id is string => typeof id === 'string'));
    for (const id of wanted) rows.xrange(auditKeys.stream, id, id);
    const replies = wanted.length > 0 ? ((await rows.exec()) ?? []) : [];
    const byStreamId = new Map<string, AuditRecord | null>();
    for (const [, reply] of replies) {
      for (const row of (reply as [string, string[]][] | null) ?? [])
        byStreamId.set(row[0], toRow(row).record);
    }
    // Pointers are outside the chain, so the record itself must confirm the change it belongs to.
    const pick = <K extends AuditRecord['kind']>(
      change: string,
      streamId: string | null | undefined,
      kind: K,
    ) => {
      const record = streamId ? byStreamId.get(streamId) : null;
      return record?.kind === kind && record.id === change
        ? (record as Extract<AuditRecord, { kind: K }>)
        : null;
    };
    return new Map(
      ids.map((id, i) => [
        id,
        { outcome: pick(id, records[i]?.[0], 'outcome'), undone: pick(id, records[i]?.[1], 'undone') },
      ]),
    );
  });

export const toEntries = async (store: Store, intents: readonly IntentRecord[]): Promise<AuditEntry[]> => {
  if (intents.length === 0) return [];
  const ends = await followPointers(
    store,
    intents.map((intent) => intent.id),
  );
  return intents.map((intent) => {
    const { outcome, undone } = ends.get(intent.id)!;
    return toEntry(intent, outcome, undone);
  });
};

/** Whether a record is complete enough to be shown. Verification reports damaged ones. */
export const isIntent = (record: AuditRecord | null): record is IntentRecord =>
  (record?.kind === 'intent' || record?.kind === 'event') &&
  [record.id, record.actor, record.actorId, record.action].every((text) => typeof text === 'string') &&
  isoOrNull(record.at) !== null;

/** An entry that matches the filter, and its stream id; `entry` is null at the end of each examined batch. */
export interface Passed {
  entry: AuditEntry | null;
  place: string;
  /** Rows examined so far; Infinity where the page must end here. */
  examined: number;
}

/** A time as the first part of a stream id, which is never before 1970. */
const timeAt = (time: string): string => String(Math.max(0, Date.parse(time)));

/** Entries, newest first. Outcomes and undos are read from the stream itself. */
export async function* walkEntries(store: Store, filter: AuditFilter): AsyncGenerator<Passed> {
  const lower = filter.from ? timeAt(filter.from) : '-';
  let upper = filter.to ? timeAt(filter.to) : '+';
  if (filter.cursor !== undefined) {
    upper = `(${placeAt(filter.cursor)}`;
  }
  for (let examined = 0; ; ) {
    const rows = await readRows(store, upper, lower, CHUNK);
    const place = new Map<string, string>();
    const intents: IntentRecord[] = [];
    for (const row of rows) {
      if (!isIntent(row.record) || !matchesIntent(row.record, filter)) continue;
      intents.push(row.record);
      place.set(row.record.id, row.streamId);
    }
    for (const entry of await toEntries(store, intents)) {
      if (filter.outcome && entry.outcome !== filter.outcome) continue;
      yield { entry, place: place.get(entry.id)!, examined };
    }
    examined += rows.length;
    if (rows.length < CHUNK) return;
    const last = rows[rows.length - 1]!.streamId;
    yield { entry: null, place: last, examined };
    upper = `(${last}`;
  }
}

export const listEntries = async (store: Store, filter: AuditFilter = {}): Promise<AuditPage> => {
  if (filter.id !== undefined) {
    const entry = await findEntry(store, filter.id);
    return { items: entry ? [entry] : [], nextCursor: null };
  }
  const items: AuditEntry[] = [];
  for await (const { entry, place, examined } of walkEntries(store, filter)) {
    if (entry) items.push(entry);
    if (items.length === (filter.limit ?? 50) || examined >= MAX_EXAMINED)
      return { items, nextCursor: place };
  }
  return { items, nextCursor: null };
};

/** The intent of a change, and its place in the stream; null when the log has no such id. */
export const findIntent = async (
  store: Store,
  id: string,
): Promise<{ record: IntentRecord; place: Place } | null> => {
  if (!/^[0-9a-f-]{36}$/.test(id)) return null;
  const row = await store.use(async (redis) => {
    const streamId = await redis.hget(auditKeys.pointer(id), 'intent');
    if (!streamId) return null;
    const [row] = await redis.xrange(auditKeys.stream, streamId, streamId);
    return row ? toRow(row) : null;
  });
  if (!row || !isIntent(row.record) || row.record.id !== id) return null;
  return { record: row.record, place: { seq: row.record.seq, streamId: row.streamId } };
};

/** One change with its outcome; null when the log has no such id. */
export const findEntry = async (store: Store, id: string): Promise<AuditEntry | null> => {
  const intent = await findIntent(store, id);
  return intent && ((await toEntries(store, [intent.record]))[0] ?? null);
};
