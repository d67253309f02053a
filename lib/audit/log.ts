import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Actor, actorLabel } from '@/lib/actor';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import type { Store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { auditKeys, chainOf } from './chain';
import type { IntentRecord, NewRecord, OutcomeRecord } from './entries';
import { leadOf } from './subject-index';

/** The first half of an entry, written before the change. Without it there is no change. */
export interface Intent
  extends Pick<IntentRecord, 'id' | 'action' | 'connection' | 'target' | 'reason' | 'input' | 'requestId'> {
  actor: Actor;
}

/** The second half: the outcome. */
export type Ending = Pick<OutcomeRecord, 'id' | 'outcome'> &
  Partial<Pick<OutcomeRecord, 'detail' | 'before' | 'after' | 'undoUntil'>>;

/** An event that is complete when it is recorded: a sign-in, a refusal. Fields that it does not have are null. */
export type AuditEvent = Pick<Intent, 'actor' | 'action'> &
  Partial<Intent> &
  Pick<Ending, 'outcome' | 'detail'>;

const intentFields = (
  intent: Omit<AuditEvent, 'outcome' | 'detail'>,
  now: number,
): Omit<IntentRecord, 'kind' | 'seq'> => ({
  id: intent.id ?? newId(now),
  at: now,
  actorKind: intent.actor.kind,
  actorId: intent.actor.id,
  actor: actorLabel(intent.actor),
  role: intent.actor.role,
  action: intent.action,
  connection: intent.connection ?? null,
  target: intent.target ?? null,
  reason: intent.reason ?? null,
  input: intent.input ?? null,
  requestId: intent.requestId ?? null,
});

const appendConfirmed = async (store: Store, record: NewRecord): Promise<boolean> =>
  chainOf(store).append(record, await leadOf(store, record));

/** Appends a record and adds it to the indexes of its subjects. */
export const append = async (store: Store, record: NewRecord): Promise<void> => {
  await appendConfirmed(store, record);
};

const outcomeRecord = (ending: Ending, now: number): NewRecord => ({
  kind: 'outcome',
  id: ending.id,
  at: now,
  outcome: ending.outcome,
  detail: ending.detail ?? null,
  before: ending.before ?? null,
  after: ending.after ?? null,
  undoUntil: ending.undoUntil ?? null,
});

export const appendOutcome = (store: Store, ending: Ending, now = Date.now()): Promise<void> =>
  append(store, outcomeRecord(ending, now));

const RETRY_MS = SECOND;
const MAX_ATTEMPTS = 60;
const MAX_WAITING = 1000;
let waiting = 0;

/**
 * Once the store is back, completes an entry with this outcome, unless it has one or its intent never reached the log.
 */
const completeLater = async (store: Store, ending: Ending): Promise<void> => {
  if (waiting >= MAX_WAITING) return;
  waiting += 1;
  const now = Date.now();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    await sleep(RETRY_MS, undefined, { ref: false });
    try {
      const pointer = auditKeys.pointer(ending.id);
      const [intent, outcome] = await store.use((redis) => redis.hmget(pointer, 'intent', 'outcome'));
      if (!intent || outcome || (await appendConfirmed(store, outcomeRecord(ending, now)))) break;
    } catch {
      // Still unreachable.
    }
  }
  waiting -= 1;
};

/** Appends the outcome of a change: later where the store cannot take it now, or lost it. Never throws. */
export const completeEntry = async (store: Store, ending: Ending): Promise<void> => {
  const record = outcomeRecord(ending, Date.now());
  if (!(await appendConfirmed(store, record).catch(() => false))) void completeLater(store, ending);
};

const refusal = (id: string, why: string): Ending => ({
  id,
  outcome: 'failed',
  detail: `refused: ${why}; nothing was changed`,
});

/**
 * Throws a 503 `Problem` when the store cannot take it, or may lose it because no replica has it: the change must not
 * happen then.
 */
export const appendIntent = async (store: Store, intent: Intent, now = Date.now()): Promise<void> => {
  const { id } = intent;
  const confirmed = await appendConfirmed(store, {
    kind: 'intent',
    ...intentFields(intent, now),
  }).catch((error) => {
    void completeLater(store, refusal(id, 'the reply to this record was lost'));
    throw error;
  });
  if (confirmed) return;
  await completeEntry(store, refusal(id, 'no replica of the store confirmed this record in time'));
  throw new Problem(
    'store_unavailable',
    "No replica of Keyward's own store confirmed the audit record in time, so nothing was changed. Try again when one is attached.",
  );
};

export const eventRecord = (event: AuditEvent, now: number): NewRecord => ({
  kind: 'event',
  ...intentFields(event, now),
  outcome: event.outcome,
  detail: event.detail ?? null,
});

export const appendEvent = (store: Store, event: AuditEvent, now = Date.now()): Promise<void> =>
  append(store, eventRecord(event, now));

export const appendUndone = (store: Store, id: string, by: string, now = Date.now()): Promise<void> =>
  append(store, { kind: 'undone', id, at: now, by });
