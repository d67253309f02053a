import 'server-only';
import { installPeerHeader } from '@/lib/access/peer';
import { awaitsSetup, prepareFirstRun } from '@/lib/access/setup';
import { trimAudit } from '@/lib/audit/retention';
import { followAftermaths } from '@/lib/caches/aftermath';
import { invalidate, setTtl } from '@/lib/caches/commands';
import { sampleJob } from '@/lib/caches/hit-rates/job';
import { invalidationJob } from '@/lib/caches/job';
import { restorationJob } from '@/lib/caches/restoration';
import { ttlJob } from '@/lib/caches/ttl';
import { env } from '@/lib/env';
import { backUpDaily } from '@/lib/env-vars/backup';
import {
  createVariableCommand,
  deleteVariableCommand,
  renameVariableCommand,
  setVariableCommand,
} from '@/lib/env-vars/commands';
import { importVariablesCommand } from '@/lib/env-vars/import';
import { restoreVariablesCommand } from '@/lib/env-vars/restore';
import {
  createFlagCommand,
  deleteFlagCommand,
  describeFlagCommand,
  setFlagCommand,
} from '@/lib/flags/commands';
import { flagSchedule } from '@/lib/flags/schedule';
import { annotateBans } from '@/lib/guard/annotate';
import { addToBlacklist, removeFromBlacklist } from '@/lib/guard/commands';
import { banEndings } from '@/lib/guard/lift';
import { blockProjects, unblockProjects } from '@/lib/guard/project-commands';
import { shutdown } from '@/lib/http/stream';
import { storePolicy } from '@/lib/insights/store-policy';
import { carryOutDue, reconcileScheduled } from '@/lib/jobs/carry-out';
import { registerJob } from '@/lib/jobs/define';
import { signOfLife } from '@/lib/jobs/process';
import { closeQueue } from '@/lib/jobs/queue';
import { reconcileJobs } from '@/lib/jobs/reconcile';
import { startRunner } from '@/lib/jobs/runner';
import { registerScheduled } from '@/lib/jobs/schedule';
import { repairWindow, resetWindow } from '@/lib/rate-limits/commands';
import { closeLimits, warmLimits } from '@/lib/rate-limits/limits';
import { closeConnections, connections } from '@/lib/redis/connections';
import { closeStore, store } from '@/lib/redis/store';
import { Sampler } from '@/lib/sampler/sampler';
import { repairJob } from '@/lib/sessions/repair/commands';
import { revocationJob } from '@/lib/sessions/revocation/commands';
import { tokenJobs } from '@/lib/sessions/tokens/commands';
import { HOUR, SECOND } from '@/lib/time';
import { registerUndoable } from '@/lib/undo/registry';

const SIGN_OF_LIFE_MS = 2 * SECOND;
const RECONCILE_MS = 5 * SECOND;
const AFTERMATH_MS = 10 * SECOND;
/** Streams and jobs get this long to end after SIGTERM; then the process ends hard (traps.md). */
const GRACE_MS = 4 * SECOND;

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Registers what the domains offer to those below that must not know them. */
const register = (): void => {
  for (const job of [sampleJob, invalidationJob, ttlJob, restorationJob]) registerJob(job);
  for (const job of [revocationJob, repairJob, ...tokenJobs]) registerJob(job);
  registerScheduled(flagSchedule);
  registerScheduled(banEndings);
  registerUndoable([setFlagCommand, createFlagCommand, deleteFlagCommand, describeFlagCommand]);
  registerUndoable([setVariableCommand, createVariableCommand, deleteVariableCommand, renameVariableCommand]);
  registerUndoable([importVariablesCommand, restoreVariablesCommand]);
  registerUndoable([invalidate, setTtl]);
  registerUndoable([addToBlacklist, annotateBans, removeFromBlacklist, blockProjects, unblockProjects]);
  registerUndoable([resetWindow, repairWindow]);
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

const shared = globalThis as { keywardStarted?: boolean };

/** Starts what works beside requests: sampler, job runner, reconciliation. Once per process. */
export const startConsole = (): void => {
  if (shared.keywardStarted) return;
  shared.keywardStarted = true;
  installPeerHeader();
  register();
  const own = store();
  const sampler = new Sampler(own, [...connections().values()]);
  const runner = startRunner(own);
  sampler.start();
  const stops = [
    every(SIGN_OF_LIFE_MS, () => signOfLife(own)),
    every(RECONCILE_MS, () => reconcileJobs(own)),
    every(SECOND, () => carryOutDue(own)),
    every(RECONCILE_MS, () => reconcileScheduled(own, [...connections().keys()])),
    every(AFTERMATH_MS, () => followAftermaths(own)),
    every(HOUR, () => trimAudit(own, env().auditDays, Date.now())),
    every(HOUR, () => backUpDaily(own, connections().values())),
  ];
  untilDone(() => prepare(sampler));
  warmLimits();

  const end = async (): Promise<void> => {
    setTimeout(() => process.exit(0), GRACE_MS).unref();
    shutdown().abort();
    for (const stop of stops) stop();
    await Promise.allSettled([sampler.close(), runner.close(), closeQueue(), closeLimits()]);
    closeConnections();
    closeStore();
    process.exit(0);
  };
  process.once('SIGTERM', () => void end());
  process.once('SIGINT', () => void end());
};
