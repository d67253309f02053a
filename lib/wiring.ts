import 'server-only';
import { installPeerHeader } from '@/lib/access/peer';
import { awaitsSetup, prepareFirstRun } from '@/lib/access/setup';
import { trimAudit } from '@/lib/audit/retention';
import { followRecoveries } from '@/lib/caches/recovery';
import { catalogOf } from '@/lib/command/context';
import { registerDomains } from '@/lib/domains';
import { env } from '@/lib/env';
import { backUpDaily } from '@/lib/env-vars/backup';
import { shutdown } from '@/lib/http/stream';
import { storePolicy } from '@/lib/insights/store-policy';
import { closeQueue } from '@/lib/jobs/queue';
import { reconcileJobs } from '@/lib/jobs/reconcile';
import { startRunner } from '@/lib/jobs/runner';
import { reconcileScheduled, startScheduler } from '@/lib/jobs/scheduler';
import { processWide } from '@/lib/process-wide';
import { closeLimits, warmLimits } from '@/lib/rate-limits/limits';
import { closeConnections, connections } from '@/lib/redis/connections';
import { closeStore, store } from '@/lib/redis/store';
import { Sampler } from '@/lib/sampler/sampler';
import { HOUR, SECOND } from '@/lib/time';
import { compareServers, ruleConflicts } from '@/lib/values/flag-rules';

const RECONCILE_JOBS_MS = 2 * SECOND;
const RECONCILE_SCHEDULED_MS = 5 * SECOND;
const RECOVERIES_MS = 10 * SECOND;
const RULES_MS = 10 * SECOND;
/** Streams and jobs get this long to end after SIGTERM; then the process ends hard (traps.md). */
const GRACE_MS = 4 * SECOND;

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** What needs the store once; tried until it is there. */
const prepare = async (sampler: Sampler): Promise<void> => {
  // Each code replaces the one before: with several processes only the leader makes and prints one.
  if (!sampler.isLeader && (await awaitsSetup(store()))) throw new Error('another process leads');
  const code = await prepareFirstRun();
  if (code) say(`No user yet. Open the console and create the first admin with this set-up code: ${code}`);
  const problem = await storePolicy(store());
  if (problem) console.warn(`Warning: ${problem}.`);
};

const untilDone = (work: () => Promise<void>): void => {
  work().catch(() => setTimeout(() => untilDone(work), SECOND / 4).unref());
};

const every = (ms: number, work: () => Promise<unknown>): (() => void) => {
  const turn = () => void work().catch(() => undefined);
  turn();
  const timer = setInterval(turn, ms);
  return () => clearInterval(timer);
};

/** So that a refusal says which keys it is about: their family's pattern, never a name. */
const nameKeys = (): void => {
  for (const handle of connections().values()) {
    const { locate } = catalogOf(handle);
    handle.patternOf = (key) => {
      const { family, malformedOf } = locate(key);
      return (family ?? malformedOf)?.pattern ?? null;
    };
  }
};

/** A database whose flags one connection changes alone and another only with two people: nothing is started. */
export const refuseTwoRules = async (): Promise<void> => {
  for (const pair of await compareServers())
    console.warn(`Warning: their user may not ask ${pair} who they are; they are compared by address only.`);
  const conflicts = ruleConflicts();
  if (conflicts.length === 0) return;
  for (const { text } of conflicts) console.error(`Keyward does not start: ${text} Give both the same rule.`);
  process.exit(1);
};

const told = new Set<string>();

/** Of a server that came up later: the stricter rule holds for both, and whoever runs the console is told. */
const compareRules = async (): Promise<void> => {
  await compareServers();
  for (const { text } of ruleConflicts()) {
    if (!told.has(text)) console.warn(`Warning: ${text} Two people are needed through both.`);
    told.add(text);
  }
};

/** Starts what works beside requests: sampler, job runner, reconciliation. Once per process. */
export const startConsole = processWide('console', () => {
  installPeerHeader();
  registerDomains();
  nameKeys();
  const own = store();
  const sampler = new Sampler(own, [...connections().values()]);
  const runner = startRunner(own);
  const scheduler = startScheduler(own);
  sampler.start();
  const stops = [
    every(RECONCILE_JOBS_MS, () => reconcileJobs(own)),
    every(RECONCILE_SCHEDULED_MS, () => reconcileScheduled(own, [...connections().keys()])),
    every(RECOVERIES_MS, () => followRecoveries(own)),
    every(RULES_MS, compareRules),
    every(HOUR, () => trimAudit(own, env().auditDays, Date.now())),
    every(HOUR, () => backUpDaily(own, connections().values())),
  ];
  untilDone(() => prepare(sampler));
  warmLimits();

  const end = async (): Promise<void> => {
    setTimeout(() => process.exit(0), GRACE_MS).unref();
    shutdown().abort();
    for (const stop of stops) stop();
    await Promise.allSettled([
      sampler.close(),
      runner.close(),
      scheduler.close(),
      closeQueue(),
      closeLimits(),
    ]);
    closeConnections();
    closeStore();
    process.exit(0);
  };
  process.once('SIGTERM', () => void end());
  process.once('SIGINT', () => void end());
  return true;
});
