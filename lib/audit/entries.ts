import 'server-only';

/** What stands in the stream, one record per line of the chain. Records are never changed, only followed. */
export interface IntentRecord {
  kind: 'intent' | 'event';
  id: string;
  at: number;
  seq: number;
  actorKind: string;
  actorId: string;
  actor: string;
  role: string | null;
  action: string;
  connection: string | null;
  target: string | null;
  reason: string | null;
  input: unknown;
  requestId: string | null;
  /** Of an event, which is over when it is recorded. */
  outcome?: 'succeeded' | 'failed';
  detail?: string | null;
}

export interface OutcomeRecord {
  kind: 'outcome';
  id: string;
  at: number;
  seq: number;
  outcome: 'succeeded' | 'failed';
  detail: string | null;
  before: unknown;
  after: unknown;
  undoUntil: number | null;
}

export interface UndoneRecord {
  kind: 'undone';
  /** The change that was taken back. */
  id: string;
  at: number;
  seq: number;
  /** The audit id of the undo. */
  by: string;
}

export type AuditRecord = IntentRecord | OutcomeRecord | UndoneRecord;

type WithoutSeq<T> = T extends unknown ? Omit<T, 'seq'> : never;
/** A record before the chain gives it its number. */
export type NewRecord = WithoutSeq<AuditRecord>;

/** A record's number and where it stands in the stream. */
export interface Place {
  seq: number;
  streamId: string;
}

/** Which indexes of subjects get to know of a record, and which entry they then lead to: the record itself unless said. */
export interface Lead {
  indexes: readonly Buffer[];
  to?: Place;
}

/** The field of a change's pointer hash that leads to this record. */
export const pointerField = (record: { kind: AuditRecord['kind'] }): string =>
  record.kind === 'event' ? 'intent' : record.kind;

/** A stream row as read; null in place of a record that is no longer JSON. */
export interface Row {
  streamId: string;
  text: string;
  digest: string;
  prev: string;
  record: AuditRecord | null;
}

export const toRow = ([streamId, fields]: [string, string[]]): Row => {
  const map = new Map<string, string>();
  for (let i = 0; i + 1 < fields.length; i += 2) map.set(fields[i]!, fields[i + 1]!);
  const text = map.get('entry') ?? '';
  let record: AuditRecord | null = null;
  try {
    record = JSON.parse(text) as AuditRecord;
  } catch {
    record = null;
  }
  return { streamId, text, digest: map.get('digest') ?? '', prev: map.get('prev') ?? '', record };
};
