import 'server-only';
import { z } from 'zod';
import type { Actor } from '@/lib/actor';
import { newId } from '@/lib/ids';
import { digest } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { withLease } from '@/lib/redis/lease';
import { type Store, store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { MINUTE, SECOND } from '@/lib/time';
import { auditKeys } from './chain';
import type { NewRecord } from './entries';
import { append, appendEvent, appendOutcome, eventRecord } from './log';
import { readSigned, signed } from './signed';

export interface RecordedEvent {
  actor: Actor;
  action: string;
  connection?: string | null;
  target?: string | null;
  reason?: string | null;
  outcome: 'succeeded' | 'failed';
  detail?: string | null;
  requestId?: string | null;
}

/**
 * Records a completed event: a sign-in, an account created at the start. False when the store could not take it; never
 * throws.
 */
export const recordEvent = async (event: RecordedEvent): Promise<boolean> => {
  try {
    await appendEvent(store(), {
      id: newId(),
      actor: event.actor,
      action: event.action,
      connection: event.connection ?? null,
      target: event.target ?? null,
      reason: event.reason ?? null,
      input: null,
      requestId: event.requestId ?? null,
      outcome: event.outcome,
      detail: event.detail ?? null,
    });
    return true;
  } catch {
    return false;
  }
};

const COUNTED = consoleFamilies.auditRefusals.key();
const REFUSAL = 'refusal';
/** How long after its minute a refusal may still be counted into it: clocks of processes differ. */
const LATE_MS = 5 * SECOND;

interface Refusal {
  actor: Actor;
  action: string;
  connection?: string | null;
  requestId?: string | null;
  detail: string;
  target?: string | null;
}

const particular = ({ connection, target, detail }: Refusal): string =>
  digest('audit-digest', JSON.stringify([connection, target, detail]), 22);

/**
 * Records a refused change. The first `singles` per actor, action and minute get an entry immediately. The store
 * counts all of them, and `closeRefusals` adds their number to the first, so that nobody can flood the log. Never
 * throws.
 */
export const recordRefusal = async (refusal: Refusal, singles = 1): Promise<void> => {
  const { actor, action, connection = null, target = null, requestId = null, detail } = refusal;
  const now = Date.now();
  const record = eventRecord(
    {
      id: newId(),
      actor,
      action,
      connection,
      target,
      reason: null,
      input: null,
      requestId,
      outcome: 'failed',
      detail,
    },
    now,
  );
  const field = `${Math.floor(now / MINUTE)}|${actor.kind}:${actor.id}|${action}`;
  try {
    const args = [field, signed(REFUSAL, record), particular(refusal)];
    const [, , count] = (await store().run('audit-refusal', [COUNTED], args)) as number[];
    if (count! <= singles) await append(store(), record);
  } catch {
    // The store is unreachable: the refusal stands without an entry.
  }
};

const counted = z.object({ record: z.string(), varied: z.boolean(), count: z.int() });
const firstRecord = z.custom<NewRecord & { kind: 'event' }>((value) => (value as NewRecord).kind === 'event');

const summaryOf = (first: string | null | undefined, { count, varied }: z.output<typeof counted>): string =>
  `${first} (${count} times within the minute${varied ? ', not all with the same connection, target or reason' : ''})`;

/**
 * Writes the number of refusals of a past minute as the outcome of the first. Rewrites the first if a crash lost it.
 */
const close = async (store: Store, text: string): Promise<void> => {
  const refusal = parseStored(counted, text);
  const first = readSigned(REFUSAL, firstRecord, refusal?.record);
  if (!refusal || !first) return;
  const isThere = await store.use((redis) => redis.hexists(auditKeys.pointer(first.id), 'intent'));
  const detail = refusal.count > 1 ? summaryOf(first.detail, refusal) : (first.detail ?? null);
  if (!isThere) await append(store, { ...first, detail });
  else if (refusal.count > 1) await appendOutcome(store, { id: first.id, outcome: 'failed', detail });
};

/** Adds the number of refusals of past minutes to the log. One process does it. */
export const closeRefusals = async (store: Store, now: number): Promise<void> => {
  const lease = consoleFamilies.lease.key({ name: 'audit-refusals' });
  await withLease(store, lease, { ms: MINUTE, renewed: true }, async () => {
    const held = await store.use((redis) => redis.hgetall(COUNTED));
    for (const [field, text] of Object.entries(held)) {
      if ((Number.parseInt(field, 10) + 1) * MINUTE + LATE_MS > now) continue;
      await close(store, text);
      await store.use((redis) => redis.hdel(COUNTED, field));
    }
  });
};
