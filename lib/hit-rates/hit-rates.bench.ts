import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { store } from '@/lib/redis/store';
import type { BenchRow } from '@/scripts/testing/bench-row';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { takeWindow } from './take';

interface Load {
  n: number;
  missed: number;
  ms: number;
}

const KEYS = 50_000;
const ROUNDS = 8;
const WINDOW_MS = 1000;
/** The default duty cycle: a second per minute. */
const DUTY = 1 / 60;
const BASELINE = 'the same load without';

/** Starts the load. `ask` returns its counts since the last call. */
const startLoad = (url: string) => {
  const child = spawn(process.execPath, ['scripts/testing/closed-load.mjs', url, '32', String(KEYS)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ask = async (): Promise<Load> => {
    child.stdin.write('\n');
    return JSON.parse((await lines.next()).value) as Load;
  };
  return { ask, end: () => child.stdin.end() };
};

const rateOf = (loads: readonly Load[]): number =>
  (1000 * loads.reduce((sum, { n }) => sum + n, 0)) / loads.reduce((sum, { ms }) => sum + ms, 0);

const medianOf = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Alternates a second with a window and one without, so that other work on the machine affects both equally. */
const interleaved = async (test: TestContext, guarded: boolean) => {
  const load = startLoad(test.handle.config.url ?? '');
  const { ctx, handle } = test;
  const taker = { handle, store: store(), catalog: ctx.catalog, consent: null };
  const measure = guarded ? {} : { measure: async () => ({ least: 0, most: 0 }) };
  const [withIt, without]: [Load[], Load[]] = [[], []];
  let [lookups, left, seconds] = [0, 0, 0];
  try {
    await sleep(500);
    await load.ask();
    for (let round = 0; round < ROUNDS; round++) {
      const counts = await takeWindow(taker, { ms: WINDOW_MS, ...measure });
      withIt.push(await load.ask());
      lookups += counts.total.hits + counts.total.misses;
      left += Math.abs(counts.notAttributed.hits) + Math.abs(counts.notAttributed.misses);
      seconds += counts.seconds;
      await sleep(WINDOW_MS);
      without.push(await load.ask());
    }
  } finally {
    load.end();
  }
  // Of each pair the loss; the middle of them is not what one disturbance made it.
  const losses = withIt.map((one, i) => Math.max(0, 1 - rateOf([one]) / rateOf([without[i]!])));
  return { withIt, without, loss: medianOf(losses), lookups, left, seconds };
};

/** What windows cost an application that asks as fast as it can, and whether they count right meanwhile. */
export const run = async (): Promise<BenchRow[]> => {
  const test = await testContext({ apps: ['discours'], redisArgs: ['--notify-keyspace-events', 'Em'] });
  try {
    const half = Array.from({ length: KEYS / 2 }, (_, i) => [`author:id:${2 * i}`, '{}']).flat();
    await test.redis.mset(half);
    const free = await interleaved(test, false);
    const guarded = await interleaved(test, true);
    const row = (name: string, { withIt, without, loss }: typeof free): BenchRow => ({
      name,
      perSecond: rateOf(withIt),
      baselineName: BASELINE,
      baselinePerSecond: rateOf(without),
      ratio: 1 - loss,
    });
    const averaged = free.loss * DUTY;
    return [
      {
        ...row('GETs while a window is open, whatever it costs', free),
        note: `${free.lookups.toLocaleString('en')} look-ups counted, ${free.left} not attributed`,
        limit: 'none left over',
        held: free.left === 0 && free.lookups > 0,
      },
      {
        ...row('GETs, windows that end when answers come late', guarded),
        note: `${(guarded.seconds / ROUNDS).toFixed(2)} s open of ${WINDOW_MS / 1000} s asked for`,
      },
      {
        name: 'GETs over a whole minute, a second of it a window',
        perSecond: rateOf(free.without) * (1 - averaged),
        baselineName: BASELINE,
        baselinePerSecond: rateOf(free.without),
        ratio: 1 - averaged,
        note: 'reckoned: what a window costs, times its share of the minute',
        limit: '≤ 2 % less',
        held: averaged <= 0.02,
      },
    ];
  } finally {
    await test.close();
  }
};
