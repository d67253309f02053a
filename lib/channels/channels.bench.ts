import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { BenchRow } from '@/scripts/testing/bench-row';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { TailReader } from '@/scripts/testing/tail';
import { closeHubs } from './hub';

const CHANNEL = 'notifications:global';
const PER_SECOND = 10_000;
const SECONDS = 10;
/** The heap has grown to its working size by then. */
const WARM_UP_MS = 3000;
const MAX_GROWTH_MB = 32;
const MB = 2 ** 20;

interface Load {
  published: number;
  seconds: number;
  /** Processor time of this process during the load, ms. */
  cpuMs: number;
  /** By how much this process grew after the beginning, at most. */
  growthMb: number;
}

const publishLoad = async ({ redis }: TestContext): Promise<Load> => {
  const { host, port } = redis.options;
  const args = ['scripts/testing/publish-load.mjs', `redis://${host}:${port}`, CHANNEL];
  const cpu = process.cpuUsage();
  const load = promisify(execFile)(process.execPath, [...args, String(PER_SECOND), String(SECONDS)]);
  let over = false;
  let [base, most] = [0, 0];
  const watching = (async () => {
    await sleep(WARM_UP_MS);
    base = most = process.memoryUsage.rss();
    while (!over) {
      await sleep(100);
      most = Math.max(most, process.memoryUsage.rss());
    }
  })();
  const { stdout } = await load;
  over = true;
  await watching;
  const { user, system } = process.cpuUsage(cpu);
  return { ...JSON.parse(stdout), cpuMs: (user + system) / 1000, growthMb: (most - base) / MB };
};

const bareSubscriber = async (test: TestContext): Promise<Load> => {
  const subscriber = test.redis.duplicate();
  let heard = 0;
  subscriber.on('messageBuffer', () => {
    heard += 1;
  });
  await subscriber.subscribe(CHANNEL);
  const load = await publishLoad(test);
  while (heard < load.published) await sleep(10);
  subscriber.disconnect();
  return load;
};

/** 10 000 messages a second for ten seconds, to a reader and to one that has stopped reading; then to one that searches. */
export const run = async (): Promise<BenchRow[]> => {
  const test = await testContext({ apps: ['discours'] });
  const readers: TailReader[] = [];
  try {
    const bare = await bareSubscriber(test);
    const fast = await new TailReader(test.ctx, { channels: [CHANNEL] }).begun();
    const stalled = await new TailReader(test.ctx, { channels: [CHANNEL], filter: { type: 'load' } }).begun();
    readers.push(fast, stalled);
    const go = stalled.stall();
    const load = await publishLoad(test);
    // A lost connection loses messages: the counts are wrong then, and nothing is waited for.
    const isOver = ({ messages, skipped, gaps }: TailReader) =>
      messages.length + skipped >= load.published || gaps.some((gap) => gap.skipped === null);
    await fast.until(isOver);
    go();
    await stalled.until(isOver);
    const counts = readers.map(({ messages, skipped }) => `${messages.length} + ${skipped}`);
    const exact = readers.every(({ messages, skipped }) => messages.length + skipped === load.published);
    await Promise.all(readers.map((reader) => reader.close()));
    const searching = await new TailReader(test.ctx, {
      channels: [CHANNEL],
      filter: { text: 'load' },
    }).begun();
    readers.push(searching);
    const searched = await publishLoad(test);
    return [
      {
        name: 'processor time of a tail, a stalled one with a filter',
        ms: load.cpuMs,
        baselineName: 'a bare subscriber',
        baselineMs: bare.cpuMs,
        ratio: bare.cpuMs / load.cpuMs,
        note: `${load.published} messages in ${load.seconds.toFixed(1)} s`,
      },
      {
        name: 'processor time of a tail with a text filter',
        ms: searched.cpuMs,
        baselineName: 'a bare subscriber',
        baselineMs: bare.cpuMs,
        ratio: bare.cpuMs / searched.cpuMs,
        note: `${searched.published} messages in ${searched.seconds.toFixed(1)} s`,
      },
      {
        name: 'memory beside it, after three seconds',
        limit: `≤ ${MAX_GROWTH_MB} MB more`,
        held: load.growthMb <= MAX_GROWTH_MB,
        note: `${load.growthMb.toFixed(1)} MB more; bare ${bare.growthMb.toFixed(1)} MB`,
      },
      { name: 'sent + skipped', limit: `= ${load.published}`, held: exact, note: counts.join(', ') },
    ];
  } finally {
    await Promise.all(readers.map((reader) => reader.close()));
    closeHubs();
    await test.close();
  }
};
