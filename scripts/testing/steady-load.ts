import { spawn, spawnSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import type { BenchRow } from './bench-row';

export const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)]!;

/**
 * GETs of `author:id:{n}` at a steady rate by a separate process. Each `read` returns the latencies since the previous
 * one, ms.
 */
export const startLoad = async (url: string, perSecond: number, keys: number) => {
  const args = ['scripts/testing/get-load.mjs', url, String(perSecond), String(keys)];
  const load = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(load.stdout)[Symbol.asyncIterator]();
  const read = async (): Promise<{ n: number; p50: number; p99: number }> => {
    load.stdin.write('\n');
    return JSON.parse((await lines.next()).value as string);
  };
  // The first answer shows that it has started.
  await read();
  return { pid: load.pid!, read, stop: () => load.kill('SIGTERM') };
};

export type Load = Awaited<ReturnType<typeof startLoad>>;

const SLICE_MS = 1000;

/** The p99 of each second during `work`, ms. */
export const p99sBeside = async ({ read }: Load, begin: () => Promise<unknown>): Promise<number[]> => {
  const p99s: number[] = [];
  let over = false;
  await read();
  const work = begin().finally(() => {
    over = true;
  });
  // Its error is thrown when it is awaited.
  work.catch(() => undefined);
  for (;;) {
    await setTimeout(SLICE_MS);
    const { p99 } = await read();
    if (over) break;
    p99s.push(p99);
  }
  await work;
  return p99s;
};

const spread = (p99s: readonly number[]): string =>
  `${quantile(p99s, 0.1).toFixed(2)}–${quantile(p99s, 0.9).toFixed(2)} ms in ${p99s.length} s`;

const MAX_RISE_MS = 0.5;

/** How much `p99sBeside` rose during some work, by comparing medians. */
export const riseRow = (load: string, alone: readonly number[], beside: readonly number[]): BenchRow => {
  const [ms, baselineMs] = [quantile(beside, 0.5), quantile(alone, 0.5)];
  const rise = ms - baselineMs;
  return {
    name: `p99 of ${load} beside it`,
    ms,
    baselineName: `p99 of ${load} alone`,
    baselineMs,
    limit: `≤ ${MAX_RISE_MS} ms more`,
    held: rise <= MAX_RISE_MS,
    note: `${rise.toFixed(2)} ms more; beside ${spread(beside)}, alone ${spread(alone)}; ${cpus().length} processors, load ${loadavg()[0]!.toFixed(1)}`,
  };
};

export const processOf = async (redis: { info(section: string): Promise<string> }): Promise<number> =>
  Number(/process_id:(\d+)/.exec(await redis.info('server'))![1]);

/** Fails where a system has no `taskset` or only one processor. */
const pin = (pid: number, processor: number): boolean =>
  spawnSync('taskset', ['-a', '-p', '-c', String(processor), String(pid)], { stdio: 'ignore' }).status === 0;

/**
 * Assigns one processor to the application (its Redis and the load) and another to the console with its store: in
 * production they are different machines. On shared processors, a console that asks the server for nothing adds 2.4 ms
 * to the p99 of the application's reads, even at the lowest priority.
 */
export const keepApart = (application: readonly number[], console: readonly number[]): void => {
  const isPinned = application.every((pid) => pin(pid, 0)) && console.every((pid) => pin(pid, 1));
  if (!isPinned) throw new Error('This needs two processors and taskset (util-linux).');
};
