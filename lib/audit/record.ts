import 'server-only';
import type { Actor } from '@/lib/actor';
import { newId } from '@/lib/ids';
import { store } from '@/lib/redis/store';
import { appendEvent } from './log';

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

/** Records what is over: sign-ins, refusals. False when the store could not take it; never throws. */
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

const QUIET_MS = 10_000;
const MOST_REMEMBERED = 2000;
const recent = new Map<string, number>();

/**
 * Records a refusal (403, 423). The same actor refused the same thing again within 10 s is one entry, so that
 * a page that polls, or a script, cannot flood the log.
 */
export const recordRefusal = async (refusal: {
  actor: Actor;
  action: string;
  connection: string | null;
  requestId: string;
  detail: string;
  target?: string | null;
}): Promise<void> => {
  const key = `${refusal.actor.kind}:${refusal.actor.id}:${refusal.action}:${refusal.connection}:${refusal.detail}`;
  const now = Date.now();
  if (now - (recent.get(key) ?? 0) < QUIET_MS) return;
  if (recent.size >= MOST_REMEMBERED) recent.clear();
  recent.set(key, now);
  if (!(await recordEvent({ ...refusal, outcome: 'failed' }))) recent.delete(key);
};
