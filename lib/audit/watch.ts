import 'server-only';
import { type Actor, systemActor } from '@/lib/actor';
import type { Result } from '@/lib/contract';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { log } from '@/lib/log';
import { withLease } from '@/lib/redis/lease';
import type { Store } from '@/lib/redis/store';
import { HOUR, iso, MINUTE, utcText } from '@/lib/time';
import { chainOf } from './chain';
import { appendEvent } from './log';
import { auditRows, MAX_ROWS } from './retention';
import { readAnchor } from './rows';
import type { auditContracts, Verdict } from './schema';
import { verifyChain } from './verify';
import {
  acknowledgeAlarm,
  dropReplaced,
  isConfirmed,
  readWatch,
  storeAlarm,
  storedHeads,
  storeHead,
  writeWatch,
} from './watch-record';
import { sendHead } from './webhook';

/** Pause between two pages of a background verification. */
const PAUSE_MS = 5;

/**
 * Raises an alarm, once until it is acknowledged: in the audit log, in the process's own log, at the webhook and on the
 * pages.
 */
const raiseAlarm = async (store: Store, problem: string, now: number): Promise<void> => {
  // No lease: an attacker with access to the store could hold it and so silence the alarm.
  if (!(await storeAlarm(store, { since: now, problem }))) return;
  log('error', `Audit log ALARM: ${problem}.`);
  await appendEvent(store, {
    actor: systemActor(),
    action: 'audit.alarm',
    outcome: 'failed',
    detail: problem,
  });
  await tellHead(store, now);
};

/** Publishes the head outside the store: in the process's own log, and at the webhook. */
const tellHead = async (store: Store, now: number): Promise<void> => {
  const { seq, digest } = await readAnchor(store, 'head');
  const verdict = await readWatch(store, 'verdict');
  const alarm = (await readWatch(store, 'alarm'))?.problem;
  const ok = alarm === undefined ? (verdict?.ok ?? null) : false;
  log('info', `Audit log: head ${seq}:${digest}, ${alarm ?? (ok ? 'verified' : 'not verified')}.`);
  const { entries = null, problem = null } = verdict ?? {};
  await sendHead({ seq, digest, at: iso(now), entries, ok, problem, ...(alarm !== undefined && { alarm }) });
};

const verifyAndKeep = async (store: Store, pauseMs = 0): Promise<Verdict> => {
  const verdict = await verifyChain(store, [], pauseMs);
  const now = Date.now();
  await writeWatch(store, 'verdict', { at: now, ...verdict });
  if (!verdict.ok) await raiseAlarm(store, verdict.problem ?? '', now);
  return verdict;
};

const REPLACED = 'the data that the console stores beside the log was replaced';

/** Checks the head, each minute in each process. A head that went back raises the alarm. */
export const watchHead = async (store: Store, now = Date.now()): Promise<void> => {
  const { known } = chainOf(store);
  const isReplaced = await dropReplaced(store);
  known.forget((await readWatch(store, 'acknowledged')) ?? 0);
  const stored = known.newest === null ? await storedHeads(store) : [];
  const before = known.newest;
  const head = await readAnchor(store, 'head');
  const mayBeLost = !(await isConfirmed(store, now));
  if (!mayBeLost && known.newest === null) known.learn(stored);
  if (head.genuine !== false) known.meet(head, before ?? stored.at(-1) ?? null, { now, mayBeLost });
  const problem =
    (head.genuine === false ? 'the head was changed' : known.problem) ?? (isReplaced ? REPLACED : null);
  if (problem) await raiseAlarm(store, problem, now);
  else if (head.seq > 0) await storeHead(store, head, now);
};

/** Verifies the log once an hour and after each start (`startedAt`), in one process, and publishes its head. */
export const verifyHourly = async (store: Store, startedAt: number, now = Date.now()): Promise<void> => {
  const isDue = async (): Promise<boolean> => {
    const at = (await readWatch(store, 'verdict'))?.at ?? 0;
    return at < startedAt || at <= now - HOUR;
  };
  if (!(await isDue())) return;
  const lease = consoleFamilies.lease.key({ name: 'audit-verify' });
  await withLease(store, lease, { ms: MINUTE, renewed: true }, async () => {
    if (!(await isDue())) return;
    await verifyAndKeep(store, PAUSE_MS);
    await tellHead(store, now);
  });
};

/** audit.verify. With `acknowledge` the alarm ends, with an audit entry, and its cause is no longer reported. */
export const verifyNow = async (
  { store, actor, requestId }: { store: Store; actor: Actor; requestId: string },
  { acknowledge = false }: { acknowledge?: boolean | undefined },
): Promise<Verdict> => {
  const alarm = acknowledge ? await readWatch(store, 'alarm') : null;
  if (alarm) {
    const detail = `acknowledged the alarm of ${utcText(alarm.since)}: ${alarm.problem}`;
    await appendEvent(store, { actor, action: 'audit.verify', outcome: 'succeeded', detail, requestId });
    await acknowledgeAlarm(store);
  }
  return verifyAndKeep(store);
};

/** audit.status: the size of the log, its last verification and its alarm. */
export const auditStatus = async (store: Store): Promise<Result<typeof auditContracts.status>> => {
  const [rows, verdict, alarm] = await Promise.all([
    auditRows(store),
    readWatch(store, 'verdict'),
    readWatch(store, 'alarm'),
  ]);
  return {
    rows,
    maxRows: MAX_ROWS,
    verified: verdict && { ...verdict, at: iso(verdict.at) },
    alarm: alarm && { since: iso(alarm.since), problem: alarm.problem },
  };
};
