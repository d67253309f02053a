import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';

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
  return { read, stop: () => load.kill('SIGTERM') };
};

export type Load = Awaited<ReturnType<typeof startLoad>>;

const LOWEST = 19;

/** Lowers the priority of the console and its store, which have a machine of their own in production. */
export const giveWay = (...pids: number[]): void => {
  for (const pid of pids) {
    const threads = `/proc/${pid}/task`;
    for (const id of existsSync(threads) ? readdirSync(threads) : [pid]) setPriority(Number(id), LOWEST);
  }
};

export const processOf = async (redis: { info(section: string): Promise<string> }): Promise<number> =>
  Number(/process_id:(\d+)/.exec(await redis.info('server'))![1]);
