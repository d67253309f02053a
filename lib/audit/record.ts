import 'server-only';
import { z } from 'zod';
import { digest } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { withLease } from '@/lib/redis/lease';
import { type Store, store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { MINUTE, SECOND } from '@/lib/time';
import { auditKeys } from './chain';
import type { NewRecord } from './entries';
import { type AuditEvent, append, appendEvent, appendOutcome, eventRecord } from './log';
import { readSigned, signed } from './signed';

/**
 * Records a completed event: a sign-in, an account created at the start. False when the store could not take it; never
 * throws.
 */
export const recordEvent = async (event: AuditEvent): Promise<boolean> => {
  try {
    await appendEvent(store(), event);
    return true;
  } catch {
    return false;
  }
};

const COUNTED = consoleFamilies.auditRefusals.key();
const REFUSAL = 'refusal';
/** How long after its minute a refusal may still be counted into it: clocks of processes differ. */
const LATE_MS = 5 * SECOND;

type Refusal = Pick<AuditEvent, 'actor' | 'action' | 'connection' | 'target' | 'requestId'> & {
  detail: string;
};

const particular = ({ connection, target, detail }: Refusal): string =>
  digest('audit-digest', JSON.stringify([connection, target, detail]), 22);

/**
 * Records a refused change. The first `singles` per actor, action and minute get an entry immediately. The store
 * counts all of them, and `closeRefusals` adds their number to the first, so that nobody can flood the log. Never
 * throws.
 */
export const recordRefusal = async (refusal: Refusal, singles = 1): Promise<void> => {
  const { actor, action } = refusal;
  const now = Date.now();
  const record = eventRecord({ ...refusal, outcome: 'failed' }, now);
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
