import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureSealed, refusedAtStart, renewSeal } from '@/lib/access/seal-records';
import { needsSetup, prepareFirstRun } from '@/lib/access/setup';
import { deliverAlerts } from '@/lib/alerts/deliver';
import { evaluateAlerts } from '@/lib/alerts/evaluator';
import { EVALUATION_MS } from '@/lib/alerts/state';
import { scheduledAnalysis } from '@/lib/analysis/scheduled';
import { chainOf } from '@/lib/audit/chain';
import { closeRefusals } from '@/lib/audit/record';
import { limitAudit, trimAudit } from '@/lib/audit/retention';
import { indexLog } from '@/lib/audit/subject-index';
import { verifyHourly, watchHead } from '@/lib/audit/watch';
import { backgroundDone, inBackground } from '@/lib/background';
import { unknownOperations } from '@/lib/command/approval-rule';
import { catalogOf } from '@/lib/command/context';
import { env } from '@/lib/configuration';
import { conventionsPart } from '@/lib/conventions/walk-part';
import { registerDomains } from '@/lib/domains/all';
import { handleRequest } from '@/lib/domains/interface';
import { backUpDaily } from '@/lib/env/backup';
import { updateRecoveries } from '@/lib/families/recovery';
import { drain } from '@/lib/http/drain';
import { guardIncoming } from '@/lib/http/incoming';
import { acceptsAnyHost } from '@/lib/http/own-host';
import { served } from '@/lib/http/served';
import { pauseJobs } from '@/lib/jobs/pause';
import { closeQueue, releaseQueues } from '@/lib/jobs/queue';
import { reconcileJobs } from '@/lib/jobs/reconcile';
import { startRunner } from '@/lib/jobs/runner';
import { reconcileScheduled, startScheduler } from '@/lib/jobs/scheduler';
import { log } from '@/lib/log';
import { DIGESTS_MS, sendDigests } from '@/lib/notifications/daily';
import { deliverNotifications } from '@/lib/notifications/deliver';
import { FOLLOW_MS, followNotifications } from '@/lib/notifications/follow';
import { storeDoor, storePolicy } from '@/lib/overview/store-policy';
import { processWide } from '@/lib/process-wide';
import { closeLimits, warmLimits } from '@/lib/rate-limits/limits';
import { closeConnections, connections } from '@/lib/redis/connections';
import { closeStore, openStore, type Store, store, unsuitableStore } from '@/lib/redis/store';
import { Sampler } from '@/lib/sampler/sampler';
import { HOUR, MINUTE, SECOND } from '@/lib/time';
import { tracing } from '@/lib/trace';
import { startTracing } from '@/lib/tracing/start';
import { followVersion } from '@/lib/upgrade/follow';
import { compareServers, ruleConflicts } from '@/lib/values/flag-rules';
import { takePartAlways } from '@/lib/walk/shared-walk';

const RECONCILE_JOBS_MS = 2 * SECOND;
const RECONCILE_SCHEDULED_MS = 5 * SECOND;
const REFUSALS_MS = 20 * SECOND;
const RECOVERIES_MS = 10 * SECOND;
const RULES_MS = 10 * SECOND;
/**
 * After SIGTERM requests have this long to end, and jobs KEYWARD_DRAIN_SECONDS more. The start script waits a second
 * longer.
 */
const GRACE_MS = 8 * SECOND;
/** A store that does not answer by then is waited for while requests are answered. */
const FIRST_READ_MS = 3 * SECOND;

const ANY_HOST =
  'Warning: the console listens on every address and NEXTAUTH_URL does not say by which one people open it, so the Host of requests is not checked (DNS rebinding).';

/** Start-up work that needs the store; retried until it succeeds. */
const prepare = async (sampler: Sampler): Promise<void> => {
  await ensureSealed(store());
  // A new code replaces the previous one, so with several processes only the leader creates and prints one.
  if (!sampler.isLeader && (await needsSetup(store()))) throw new Error('another process is the leader');
  const code = await prepareFirstRun();
  if (code)
    log('info', `No user yet. Open the console and create the first admin with this set-up code: ${code}`);
  const own = store();
  for (const problem of [(await storePolicy(own))?.text, storeDoor(env())?.text, await refusedAtStart(own)])
    if (problem) log('warn', `Warning: ${problem}.`);
};

const untilDone = (work: () => Promise<void>, signal: AbortSignal): void => {
  if (signal.aborted) return;
  work().catch(() => setTimeout(() => untilDone(work, signal), SECOND / 4).unref());
};

const every = (ms: number, work: () => Promise<unknown>): (() => void) => {
  const turn = () => void work().catch(() => undefined);
  turn();
  const timer = setInterval(turn, ms);
  return () => clearInterval(timer);
};

const forgetOldEntries = async (own: Store): Promise<void> => {
  await trimAudit(own, env().auditDays, Date.now());
  await limitAudit(own, Date.now());
};

/** Lets refusals name the pattern of the keys' family, never a key. */
const nameKeys = (): void => {
  for (const handle of connections().values()) {
    handle.patternOf = (key) => {
      // Looked up each time, because a catalog file may change.
      const { family, malformedOf } = catalogOf(handle).locate(key);
      return (family ?? malformedOf)?.pattern ?? null;
    };
  }
};

const refuseToStart = (problems: readonly string[]): void => {
  if (problems.length === 0) return;
  for (const problem of problems) log('error', `Keyward does not start: ${problem}`);
  process.exit(1);
};

/** Refuses to start if two connections lead to one database but have different rules of approval. */
export const refuseConflictingRules = async (): Promise<void> => {
  for (const pair of await compareServers())
    log('warn', `Warning: the Redis user may not run INFO on ${pair}; the two are compared by address only.`);
  refuseToStart(ruleConflicts().map(({ text }) => `${text} Set the same rule on both.`));
};

export { startTracing };

/** Refuses to start on an unsuitable store. A store that does not answer yet may become available. */
export const refuseUnsuitableStore = async (): Promise<void> => {
  const problem = await unsuitableStore(store());
  if (!problem) return;
  log('error', `Keyward does not start. ${problem}`);
  process.exit(1);
};

const warned = new Set<string>();

/**
 * Repeats the check for servers that became available later: the stricter rule applies to both connections, and a
 * warning is logged.
 */
const compareRules = async (): Promise<void> => {
  await compareServers();
  for (const { text } of ruleConflicts()) {
    if (!warned.has(text)) log('warn', `Warning: ${text} The stricter rule counts on both.`);
    warned.add(text);
  }
};

/** Starts sampler, job runner and reconciliation. Returns how to end them. */
const startBackground = (own: Store): ((drainMs: number) => Promise<void>) => {
  const startedAt = Date.now();
  const handles = [...connections().values()];
  const sampler = new Sampler(own, handles);
  const runner = startRunner(own);
  const scheduler = startScheduler(own);
  const isEnded = new AbortController();
  sampler.start();
  // A process that died while it upgraded the store may have left them paused.
  releaseQueues(own).catch(() => undefined);
  const stops = [
    ...handles.map((handle) => takePartAlways(handle, conventionsPart(own, handle))),
    every(RECONCILE_JOBS_MS, () => reconcileJobs(own)),
    every(RECONCILE_SCHEDULED_MS, () => reconcileScheduled(own, [...connections().keys()])),
    every(RECOVERIES_MS, () => updateRecoveries(own)),
    every(EVALUATION_MS, () => evaluateAlerts(own, handles)),
    every(SECOND, () => deliverAlerts(own, handles)),
    every(FOLLOW_MS, () => followNotifications(own)),
    every(DIGESTS_MS, () => sendDigests(own)),
    every(SECOND, () => deliverNotifications(own)),
    every(RULES_MS, compareRules),
    every(REFUSALS_MS, () => closeRefusals(own, Date.now())),
    every(HOUR, () => renewSeal(own, env().auditDays, Date.now())),
    every(HOUR, () => forgetOldEntries(own)),
    every(MINUTE, () => watchHead(own)),
    every(MINUTE, () => verifyHourly(own, startedAt)),
    every(MINUTE, () => indexLog(own)),
    every(HOUR, () => backUpDaily(own, connections().values())),
    ...handles.map((handle) => takePartAlways(handle, scheduledAnalysis(own, handle))),
  ];
  untilDone(() => prepare(sampler), isEnded.signal);
  // The store may not be reachable yet; the next attempt is in a minute.
  untilDone(() => verifyHourly(own, startedAt), isEnded.signal);
  return async (drainMs) => {
    isEnded.abort();
    for (const stop of stops) stop();
    await Promise.allSettled([sampler.close(), runner.close(drainMs), scheduler.close(drainMs)]);
  };
};

/** Another client of the configured store: an upgrade writes while this process may not. */
const openWritingStore = (): Store => {
  const { storeUrl, storeTls: tls, storeSentinel: sentinel } = env();
  return openStore(storeUrl!, { tls, sentinel });
};

/**
 * Answers requests, and starts the background work once the store has this console's version. Once per process;
 * resolves when the store was read, at most three seconds later.
 */
export const startConsole = processWide('console', async () => {
  guardIncoming();
  if (acceptsAnyHost(env())) log('warn', ANY_HOST);
  registerDomains();
  // A rule of approval for what is no operation would protect nothing.
  refuseToStart(unknownOperations());
  served.replace(handleRequest);
  nameKeys();
  const own = store();
  chainOf(own).known.onBack = () => inBackground(watchHead(own));
  const followed = followVersion(own, () => startBackground(own), {
    openWriting: openWritingStore,
    pauseJobs,
  });
  warmLimits();

  const end = async (): Promise<void> => {
    const drainMs = env().drainSeconds * SECOND;
    // Whatever hangs, the process ends.
    setTimeout(() => process.exit(0), drainMs + GRACE_MS + SECOND / 2);
    const drained = drain(AbortSignal.timeout(GRACE_MS)).then((open) => {
      if (open > 0) log('warn', `Stopped with ${open} requests unanswered.`, { open });
    });
    await Promise.allSettled([drained, followed.stop(drainMs)]);
    // Requests may have enqueued jobs until now.
    await Promise.allSettled([closeQueue(), closeLimits()]);
    await backgroundDone();
    closeConnections();
    closeStore();
    await tracing().flush();
    process.exit(0);
  };
  let isEnding = false;
  for (const signal of ['SIGTERM', 'SIGINT'])
    process.on(signal, () => {
      if (isEnding) process.exit(1);
      isEnding = true;
      void end();
    });
  await Promise.race([followed.first, sleep(FIRST_READ_MS)]);
});
