import { spawn } from 'node:child_process';
import { loadavg } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { medianOf } from '@/lib/redis/round-trip';
import { store } from '@/lib/redis/store';
import type { BenchRow } from '@/scripts/testing/bench-row';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { observe } from './observe';

const PER_SECOND = 2000;
const KEYS = 50_000;
const ROUNDS = 8;
const WINDOW_MS = 6000;
const BUSY_LOOPS = 2;
/** A loop that outlives this bench ends by itself. */
const BUSY_MS = 300_000;
const MIN_OBSERVED = 0.8;
const MAX_ADDED_P99_MS = 1;

/** Asks at a steady rate, and says on each line how long the slowest hundredth took since the line before. */
const startLoad = (url: string) => {
  const args = ['scripts/testing/get-load.mjs', url, String(PER_SECOND), String(KEYS)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const p99 = async (): Promise<number> => {
    child.stdin.write('\n');
    return (JSON.parse((await lines.next()).value) as { p99: number }).p99;
  };
  return { p99, end: () => child.stdin.end() };
};

const startBusyLoop = () =>
  spawn(process.execPath, ['-e', `const end = Date.now() + ${BUSY_MS}; while (Date.now() < end);`]);

/** What other work on the machine disturbed least. */
const quietOf = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 4)]!;

/** As many seconds with windows as without, alternating. */
const interleaved = async ({ ctx, handle }: TestContext) => {
  const load = startLoad(handle.config.url ?? '');
  const busy = Array.from({ length: BUSY_LOOPS }, startBusyLoop);
  const taker = { handle, store: store(), catalog: ctx.catalog, consent: null };
  const [withWindows, without, cuts]: [number[], number[], string[]] = [[], [], []];
  let [seconds, left] = [0, 0];
  try {
    await sleep(WINDOW_MS / 3);
    for (let round = 0; round < ROUNDS; round++) {
      await load.p99();
      await sleep(WINDOW_MS);
      without.push(await load.p99());
      const seen = await observe(taker, { ms: WINDOW_MS });
      withWindows.push(await load.p99());
      seconds += seen.seconds;
      left += Math.abs(seen.notAttributed.hits) + Math.abs(seen.notAttributed.misses);
      if (seen.cutShort) cuts.push(seen.cutShort.why);
    }
  } finally {
    load.end();
    for (const child of busy) child.kill();
  }
  return { withWindows, without, seconds, left, cuts };
};

/** What windows see, and what they cost an application, on a machine that is busy with other things. */
export const run = async (): Promise<BenchRow[]> => {
  const test = await testContext({ apps: ['discours'], redisArgs: ['--notify-keyspace-events', 'Em'] });
  try {
    await test.redis.mset(Array.from({ length: KEYS / 2 }, (_, i) => [`author:id:${2 * i}`, '{}']).flat());
    const { withWindows, without, seconds, left, cuts } = await interleaved(test);
    const asked = (ROUNDS * WINDOW_MS) / 1000;
    const added = medianOf(withWindows.map((ms, i) => ms - without[i]!));
    // How much it differs by itself from one turn to the next.
    const noise = medianOf(without.slice(1).map((ms, i) => Math.abs(ms - without[i]!)));
    const load = loadavg().map((one) => one.toFixed(1));
    return [
      {
        name: `seconds observed of ${asked}, beside ${BUSY_LOOPS} busy loops`,
        ratio: seconds / asked,
        limit: `≥ ${MIN_OBSERVED * 100} %`,
        held: seconds / asked >= MIN_OBSERVED,
        note: `${seconds.toFixed(1)} s; turns with a cut: ${cuts.length} (${cuts.join(' ')}); ${left} not attributed; load ${load.join(' ')}`,
      },
      {
        name: `p99 of ${PER_SECOND} GETs/s while windows are open`,
        ms: medianOf(withWindows),
        baselineName: 'without',
        baselineMs: medianOf(without),
        limit: `≤ ${MAX_ADDED_P99_MS} ms above its noise`,
        held: added <= MAX_ADDED_P99_MS + noise,
        note: `${added.toFixed(2)} ms more in the median turn; by itself ${noise.toFixed(2)} ms from turn to turn; quietest quarter of turns ${quietOf(withWindows).toFixed(2)} ms with and ${quietOf(without).toFixed(2)} ms without`,
      },
    ];
  } finally {
    await test.close();
  }
};
