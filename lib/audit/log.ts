import 'server-only';
import { type Actor, actorLabel } from '@/lib/actor';
import type { Store } from '@/lib/redis/store';
import { chainOf } from './chain';
import type { IntentRecord, NewRecord } from './entries';
import { leadOf } from './subject-index';

/** The first half of an entry, written before the change. Without it there is no change. */
export interface Intent {
  id: string;
  actor: Actor;
  /** The operationId. */
  action: string;
  connection: string | null;
  target: string | null;
  reason: string | null;
  /** The redacted input. */
  input: unknown;
  requestId: string | null;
}

/** The second half: the outcome. */
export interface Ending {
  id: string;
  outcome: 'succeeded' | 'failed';
  detail?: string | null;
  before?: unknown;
  after?: unknown;
  /** When the undo data expires, epoch ms. */
  undoUntil?: number | null;
}

const intentFields = (intent: Intent, now: number): Omit<IntentRecord, 'kind' | 'seq'> => ({
  id: intent.id,
  at: now,
  actorKind: intent.actor.kind,
  actorId: intent.actor.id,
  actor: actorLabel(intent.actor),
  role: intent.actor.role,
  action: intent.action,
  connection: intent.connection,
  target: intent.target,
  reason: intent.reason,
  input: intent.input,
  requestId: intent.requestId,
});

/** Appends a record and adds it to the indexes of its subjects. */
export const append = async (store: Store, record: NewRecord): Promise<void> =>
  chainOf(store).append(record, await leadOf(store, record));

/** Throws a 503 `Problem` when the store cannot take it: then the change must not happen. */
export const appendIntent = (store: Store, intent: Intent, now = Date.now()): Promise<void> =>
  append(store, { kind: 'intent', ...intentFields(intent, now) });

export const appendOutcome = (store: Store, ending: Ending, now = Date.now()): Promise<void> =>
  append(store, {
    kind: 'outcome',
    id: ending.id,
    at: now,
    outcome: ending.outcome,
    detail: ending.detail ?? null,
    before: ending.before ?? null,
    after: ending.after ?? null,
    undoUntil: ending.undoUntil ?? null,
  });

/** A record of something that is over: a sign-in, a refusal. */
export const eventRecord = (event: Intent & Pick<Ending, 'outcome' | 'detail'>, now: number): NewRecord => ({
  kind: 'event',
  ...intentFields(event, now),
  outcome: event.outcome,
  detail: event.detail ?? null,
});

export const appendEvent = (
  store: Store,
  event: Intent & Pick<Ending, 'outcome' | 'detail'>,
  now = Date.now(),
): Promise<void> => append(store, eventRecord(event, now));

export const appendUndone = (store: Store, id: string, by: string, now = Date.now()): Promise<void> =>
  append(store, { kind: 'undone', id, at: now, by });
