import { connect } from 'node:net';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCounters } from '@/lib/redis/server-counters';
import type { BenchRow } from '@/scripts/testing/bench-row';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { keepApart, type Load, processOf, quantile, startLoad } from '@/scripts/testing/steady-load';
import { statedShareOf } from './cost';
import { observeProfile } from './observe';
import type { Profile } from './schema';

const LOADS = [5000, 20_000];
const KEYS = 10_000;
const SECONDS = 5;
/** By turns, and the medians are compared: what else a machine does slows down one turn and not all. */
const ROUNDS = 5;
const MAX_RISE_MS = 0.5;
/** Beyond the seconds asked for: to calibrate before, and to compare after. */
const MAX_OVERRUN_S = 2;

const median = (values: readonly number[]): number => quantile(values, 0.5);

interface Turn {
  /** The main thread's time, and how long the turn took, ms. */
  worked: number;
  ms: number;
  p99: number;
}

/** The server's work and the application's p99 while something goes on. */
const turnOf = async ({ redis }: TestContext, load: Load, work: () => Promise<unknown>): Promise<Turn> => {
  await load.read();
  const before = await readCounters(redis);
  await work();
  const after = await readCounters(redis);
  const { p99 } = await load.read();
  return { worked: after.worked! - before.worked!, ms: after.at - before.at, p99 };
};

/** MONITOR as redis-cli reads it: without an end, a limit or a pause. */
const bareMonitor = async ({ handle }: TestContext): Promise<void> => {
  const { hostname, port } = new URL(handle.config.url!);
  const socket = connect(Number(port), hostname);
  socket.on('data', () => undefined);
  socket.write('MONITOR\r\n');
  await sleep(SECONDS * 1000);
  socket.destroy();
};

const benchLoad = async (test: TestContext, load: Load, perSecond: number): Promise<BenchRow[]> => {
  const { handle, ctx } = test;
  const share = statedShareOf(perSecond);
  const options = { seconds: SECONDS, share, filter: {}, signal: new AbortController().signal };
  const [alone, beside, bare]: [Turn[], Turn[], Turn[]] = [[], [], []];
  const [profiles, took]: [Profile[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await turnOf(test, load, () => sleep(SECONDS * 1000)));
    const from = performance.now();
    beside.push(
      await turnOf(test, load, async () => {
        profiles.push(await observeProfile({ handle, catalog: ctx.catalog }, options));
      }),
    );
    took.push((performance.now() - from) / 1000);
    bare.push(await turnOf(test, load, () => bareMonitor(test)));
  }
  const rate = ({ worked, ms }: Turn): number => worked / ms;
  // Of the seconds that were asked for: calibrating and comparing take longer, and must not dilute it.
  const addedBy = (turns: readonly Turn[]): number =>
    median(turns.map((turn, i) => (turn.worked - rate(alone[i]!) * turn.ms) / (SECONDS * 1000)));
  const [added, addedByBare] = [addedBy(beside), addedBy(bare)];
  const p99 = (turns: readonly Turn[]): number => median(turns.map((turn) => turn.p99));
  // How much it differs by itself from one turn to the next.
  const noiseOf = (of: (turn: Turn) => number): number =>
    median(alone.slice(1).map((turn, i) => Math.abs(of(turn) - of(alone[i]!))));
  const noise = noiseOf((turn) => turn.p99);
  const per = (value: number): string => `${(value * 100).toFixed(2)} %`;
  const endings = profiles.map(({ ended }) => ended.why).join(' ');
  const of = (pick: (profile: Profile) => number | null): string => {
    const known = profiles.flatMap((one) => pick(one) ?? []);
    const unknown = profiles.length - known.length;
    return `${known.length > 0 ? per(median(known)) : '—'}${unknown > 0 ? ` (${unknown} unknown)` : ''}`;
  };
  const name = `${perSecond} GETs/s`;
  return [
    {
      name: `server time added by a profile, ${name}, of what was stated`,
      ratio: added / share,
      limit: '≤ 1 × and ≤ 5 %',
      held: added <= share && added <= 0.05,
      note: `${per(added)} added, stated ${per(share)}, reported as measured ${of(({ cost }) => cost.measuredShare)}, as estimated ${of(({ cost }) => cost.estimatedShare)}; bare MONITOR adds ${per(addedByBare)}; alone ${per(median(alone.map(rate)))}, ± ${per(noiseOf(rate))} by itself; coverage ${of(({ observedShare }) => observedShare)}; ended ${endings}; load ${loadavg()[0]!.toFixed(1)}`,
    },
    {
      name: `p99 of ${name} beside a profile`,
      ms: p99(beside),
      baselineName: 'alone',
      baselineMs: p99(alone),
      limit: `≤ ${MAX_RISE_MS} ms above its noise`,
      held: p99(beside) - p99(alone) <= MAX_RISE_MS + noise,
      note: `by itself ${noise.toFixed(2)} ms from turn to turn; beside bare MONITOR ${p99(bare).toFixed(2)} ms`,
    },
    {
      name: `a profile of ${SECONDS} s at ${name}, until it has ended`,
      ms: Math.max(...took) * 1000,
      limit: `≤ ${SECONDS + MAX_OVERRUN_S} s`,
      held: Math.max(...took) <= SECONDS + MAX_OVERRUN_S,
    },
  ];
};

/** What a profile costs a server with a running load, beside bare MONITOR. */
export const run = async (): Promise<BenchRow[]> => {
  const test = await testContext({ apps: ['discours'] });
  const rows: BenchRow[] = [];
  try {
    await test.redis.mset(Array.from({ length: KEYS }, (_, i) => [`author:id:${i + 1}`, '{}']).flat());
    for (const perSecond of LOADS) {
      const load = await startLoad(test.handle.config.url!, perSecond, KEYS);
      keepApart([await processOf(test.redis), load.pid], [process.pid, await processOf(test.storeRedis)]);
      try {
        await sleep(1000);
        rows.push(...(await benchLoad(test, load, perSecond)));
      } finally {
        load.stop();
      }
    }
    return rows;
  } finally {
    await test.close();
  }
};
