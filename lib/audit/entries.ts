import 'server-only';

/** A record in the stream, as a link of the chain. Records are never changed: later records complete them. */
export interface IntentRecord {
  kind: 'intent' | 'event';
  id: string;
  at: number;
  seq: number;
  actorKind: string;
  actorId: string;
  actor: string;
  role: string | null;
  /** The operationId. */
  action: string;
  connection: string | null;
  target: string | null;
  reason: string | null;
  /** The redacted input. */
  input: unknown;
  requestId: string | null;
  /** For an event, which is complete when it is recorded. */
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
  /** When the undo data expires, epoch ms. */
  undoUntil: number | null;
}

export interface UndoneRecord {
  kind: 'undone';
  /** The change that was undone. */
  id: string;
  at: number;
  seq: number;
  /** The audit id of the undo. */
  by: string;
}

export type AuditRecord = IntentRecord | OutcomeRecord | UndoneRecord;

type WithoutSeq<T> = T extends unknown ? Omit<T, 'seq'> : never;
/** A record that has no sequence number yet. */
export type NewRecord = WithoutSeq<AuditRecord>;

/** A record's sequence number and its stream id. */
export interface Place {
  seq: number;
  streamId: string;
}

/** The subject indexes that a record is added to, and the entry they point to: the record itself by default. */
export interface Lead {
  indexes: readonly Buffer[];
  to?: Place;
}

/** The field of a change's pointer hash that points to this record. */
export const pointerField = (record: { kind: AuditRecord['kind'] }): string =>
  record.kind === 'event' ? 'intent' : record.kind;

/** A row of the stream; `record` is null where it is no longer JSON. */
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
