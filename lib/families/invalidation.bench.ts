import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runCommand } from '@/lib/command/run';
import { registerJob } from '@/lib/jobs/define';
import { closeQueue } from '@/lib/jobs/queue';
import { readRecord } from '@/lib/jobs/record';
import { startRunner } from '@/lib/jobs/runner';
import { CallQueue, ScanBudget, type ScanLimits } from '@/lib/redis/budget';
import { closeConnections, connections } from '@/lib/redis/connections';
import { ServerLoad } from '@/lib/redis/server-load';
import { store } from '@/lib/redis/store';
import { readCpu } from '@/lib/redis/topology/node';
import type { BenchRow } from '@/scripts/testing/bench-row';
import { type TestContext, testContext } from '@/scripts/testing/context';
import {
  keepApart,
  p99sBeside,
  processOf,
  quantile,
  riseRow,
  startLoad,
} from '@/scripts/testing/steady-load';
import { type UserOfEachRole, userOfEachRole } from '@/scripts/testing/user-of-each-role';
import { invalidate } from './commands';
import { invalidationJob } from './invalidation-job';

const SHOUTS = 150_000;
const OTHERS = 850_000;
const UNTHROTTLED: ScanLimits = { chunk: 1000, pauseMs: 0, maxAddedLatencyMs: 10_000 };
const GENTLE: ScanLimits = { chunk: 100, pauseMs: 1, maxAddedLatencyMs: 1 };
const BASELINE = "redis-cli --scan --pattern 'shouts:*' | xargs -n 1000 redis-cli unlink";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Selections as the application writes them: JSON of a few hundred bytes, with their five minutes to live. */
const fillShouts = async ({ redis }: TestContext): Promise<void> => {
  for (let from = 0; from < SHOUTS; from += 10_000)
    await redis.eval(
      `for i = tonumber(ARGV[1]), tonumber(ARGV[1]) + 9999 do
         local shouts = {}
         for s = 1, 4 do shouts[s] = { id = i * 4 + s, title = 'On the matter of ' .. i, slug = 'matter-' .. (i * s), author = i % 977 } end
         redis.call('SET', 'shouts:author=' .. (i % 5000) .. ':limit=10:offset=' .. i, cjson.encode(shouts), 'EX', 3000)
       end`,
      0,
      from,
    );
};

const fillOthers = async ({ redis }: TestContext): Promise<void> => {
  for (let from = 1; from <= OTHERS; from += 10_000)
    await redis.eval(
      `for i = tonumber(ARGV[1]), tonumber(ARGV[1]) + 9999 do redis.call('SET', 'author:id:' .. i, '{"id":' .. i .. ',"name":"Anna"}') end`,
      0,
      from,
    );
};

const expectGone = async ({ redis }: TestContext): Promise<void> => {
  const left = await redis.dbsize();
  if (left !== OTHERS) throw new Error(`${left - OTHERS} keys too many are left.`);
};

const byShell = async (test: TestContext): Promise<number> => {
  await fillShouts(test);
  const { port } = new URL(test.handle.config.url!);
  const cli = `redis-cli -p ${port}`;
  const started = performance.now();
  await promisify(execFile)('sh', ['-c', `${cli} --scan --pattern 'shouts:*' | xargs -n 1000 ${cli} unlink`]);
  const ms = performance.now() - started;
  await expectGone(test);
  return ms;
};

let users: UserOfEachRole;

interface Invalidated {
  /** From the request to its end, and of that the job's own time. */
  ms: number;
  jobMs: number;
}

/** Invalidates the shouts that are there; looks every `lookMs` whether it is over. */
const byConsole = async (
  test: TestContext,
  withoutUndo: boolean,
  { lookMs = 5 } = {},
): Promise<Invalidated> => {
  const started = performance.now();
  const raw = { family: 'discours.shouts', withoutUndo };
  const { admin: actor } = users;
  const call = { actor, requestId: 'bench', connection: connections().get('main')!, raw };
  const { jobId } = await runCommand(invalidate, call);
  for (;;) {
    const record = await readRecord(store(), jobId);
    if (record?.finishedAt) {
      const { deleted } = record.result as { deleted: number };
      if (deleted !== SHOUTS) throw new Error(`It says that it deleted ${deleted}: ${record.error}`);
      const ms = performance.now() - started;
      await expectGone(test);
      return { ms, jobMs: record.finishedAt - record.startedAt! };
    }
    await pause(lookMs);
  }
};

const setBudget = (limits: ScanLimits): void => {
  const handle = connections().get('main')!;
  handle.budget = new ScanBudget(
    limits,
    new CallQueue(),
    new ServerLoad(() => readCpu(handle.config.id, handle.topology.primaries()[0]!)),
  );
};

/** By turns, and the medians are compared: what else a machine does slows down one run and not all. */
const RUNS = 5;

const benchSpeed = async (test: TestContext): Promise<BenchRow[]> => {
  setBudget(UNTHROTTLED);
  const [shell, kept, gone]: [number[], Invalidated[], Invalidated[]] = [[], [], []];
  for (let run = 0; run < RUNS; run++) {
    shell.push(await byShell(test));
    await fillShouts(test);
    kept.push(await byConsole(test, false));
    await fillShouts(test);
    gone.push(await byConsole(test, true));
  }
  const baselineMs = quantile(shell, 0.5);
  const row = (name: string, all: readonly number[], least?: number): BenchRow => {
    const ms = quantile(all, 0.5);
    const ratio = baselineMs / ms;
    const limit = least === undefined ? {} : { limit: `≥ ${least} ×`, held: ratio >= least };
    return { name, ms, baselineName: BASELINE, baselineMs, ratio, ...limit };
  };
  const whole = (runs: readonly Invalidated[]) => runs.map(({ ms }) => ms);
  const job = (runs: readonly Invalidated[]) => runs.map(({ jobMs }) => jobMs);
  return [
    row('invalidate 150 000 of 1 000 000, without undo', job(gone), 3.5),
    row('… from the request, counting first', whole(gone)),
    row('invalidate 150 000 of 1 000 000, all kept for undo', job(kept)),
    row('… from the request, counting first', whole(kept)),
  ];
};

const ROUNDS = 3;
const BASELINE_MS = 8000;
/** As often as a page looks at a job. */
const LOOK_MS = 1000;
const MAX_TIMES_SHELL = 6;

/**
 * Invalidations under the default budget, by turns with the shell's: how long they take, alone and beside a steady load of
 * GETs, and the load's p99 alone and beside them. The medians are compared.
 */
const benchGentle = async (test: TestContext): Promise<BenchRow[]> => {
  setBudget(GENTLE);
  const load = await startLoad(test.handle.config.url!, 5000, OTHERS);
  keepApart([load.pid, await processOf(test.redis)], [process.pid, await processOf(test.storeRedis)]);
  const [shell, kept, alone, beside]: number[][] = [[], [], [], []];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      shell!.push(await byShell(test));
      await fillShouts(test);
      alone!.push(...(await p99sBeside(load, () => pause(BASELINE_MS))));
      const work = async () => kept!.push((await byConsole(test, false, { lookMs: LOOK_MS })).jobMs);
      beside!.push(...(await p99sBeside(load, work)));
    }
  } finally {
    load.stop();
  }
  const [shellMs, keptMs] = [quantile(shell!, 0.5), quantile(kept!, 0.5)];
  return [
    {
      name: 'invalidate 150 000 of 1 000 000 with undo, default budget, beside 5 000 GET/s',
      ms: keptMs,
      baselineName: BASELINE,
      baselineMs: shellMs,
      ratio: shellMs / keptMs,
      limit: `≤ ${MAX_TIMES_SHELL} × its time`,
      held: keptMs <= MAX_TIMES_SHELL * shellMs,
    },
    riseRow('5 000 GET/s', alone!, beside!),
  ];
};

/** Invalidation in a keyspace of a million keys, on a real server. */
export const run = async (): Promise<BenchRow[]> => {
  const test = await testContext({ apps: ['discours'] });
  const runner = startRunner(store());
  registerJob(invalidationJob);
  users = await userOfEachRole();
  try {
    await fillOthers(test);
    return [...(await benchSpeed(test)), ...(await benchGentle(test))];
  } finally {
    await runner.close();
    await closeQueue();
    closeConnections();
    await test.close();
  }
};
