// Two hundred open overviews must cost the application's Redis no more than one, and the console one processor at most.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { PrivateConsole } from '../testing/private-console';
import { quantile } from '../testing/steady-load';
import { MAIN, post, request, tokensOf } from './api';
import { type Report, withConsole } from './report';

const LISTENERS = 200;
/** The overview's own interval (`components/shell/queries.ts`, `components/patterns/pinned-metrics.ts`). */
const POLL_MS = 5000;
const POLLED = ['/overview', '/metrics/pins'];
/** Covers several censuses, which run every 15 s. */
const WINDOW_MS = 60_000;
const WARM_UP_MS = 10_000;
/** The limit for the commands per second: a single overview polls slightly less often than the shared reading. */
const MAX_RATIO = 1.25;

const commandsOf = async ({ app: { client } }: PrivateConsole): Promise<number> =>
  Number(/total_commands_processed:(\d+)/.exec(await client.info('stats'))![1]);

/** Clock ticks are a hundredth of a second on Linux. */
const TICKS_PER_SECOND = 100;

const cpuSecondsOf = async (own: PrivateConsole): Promise<number> => {
  let ticks = 0;
  for (const pid of await own.processes()) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / TICKS_PER_SECOND;
};

/** A small keyspace, because the commands of a large census would hide those of the overviews. */
const fill = async ({ app: { client } }: PrivateConsole): Promise<void> => {
  await client.sadd('BlacklistIPsSet', '192.0.2.1', '192.0.2.2');
  await client.sadd('DisabledProjectsSet', 'a'.repeat(24));
  for (let i = 0; i < PINS; i++) await client.set(`metrics:pinned${i}:daily`, i);
};

const PINS = 12;

/** Every overview has all pins, because the tokens belong to different users. */
const pinAll = async (own: PrivateConsole, tokens: readonly string[]): Promise<void> => {
  for (let i = 0; i < PINS; i++) {
    const keyId = Buffer.from(`metrics:pinned${i}:daily`).toString('base64url');
    const pin = (apiToken: string) => post({ ...own, apiToken }, `${MAIN}/metrics/pins`, { keyId });
    await Promise.all(tokens.map(pin));
  }
};

interface Counts {
  points: number;
  failures: number;
  took: number[];
}

/** An open overview: the stream of points, and its polling. */
const openOverview = async (
  own: PrivateConsole,
  apiToken: string,
  counts: Counts,
  signal: AbortSignal,
): Promise<void> => {
  const listen = async () => {
    const response = await fetch(`${own.baseUrl}${MAIN}/history/stream`, {
      headers: { authorization: `Bearer ${apiToken}` },
      signal,
    });
    if (!response.ok) counts.failures += 1;
    const decoder = new TextDecoder();
    for await (const chunk of response.body!)
      counts.points += decoder.decode(chunk, { stream: true }).split('event: point').length - 1;
  };
  const poll = async () => {
    await delay(Math.random() * POLL_MS, undefined, { signal });
    while (!signal.aborted) {
      for (const path of POLLED) {
        const started = performance.now();
        const response = await request({ ...own, apiToken }, MAIN + path);
        await response.text();
        counts.took.push(performance.now() - started);
        if (!response.ok) counts.failures += 1;
      }
      await delay(POLL_MS, undefined, { signal });
    }
  };
  // Both run until they are stopped.
  const toTheEnd = (work: Promise<void>) =>
    work
      .catch(() => undefined)
      .then(() => {
        if (!signal.aborted) counts.failures += 1;
      });
  await Promise.all([toTheEnd(listen()), toTheEnd(poll())]);
};

interface Window {
  commandsPerSecond: number;
  cpu: number;
  pointsPerSecond: number;
  polls: number;
  p99: number;
  failures: number;
}

/** The cost of this many open overviews for a minute. */
const windowOf = async (own: PrivateConsole, tokens: readonly string[]): Promise<Window> => {
  const ending = new AbortController();
  const counts: Counts = { points: 0, failures: 0, took: [] };
  const open = tokens.map((token) => openOverview(own, token, counts, ending.signal));
  await delay(WARM_UP_MS);
  const before = { commands: await commandsOf(own), cpu: await cpuSecondsOf(own), points: counts.points };
  counts.took = [];
  const started = performance.now();
  await delay(WINDOW_MS);
  const seconds = (performance.now() - started) / 1000;
  const window = {
    commandsPerSecond: ((await commandsOf(own)) - before.commands) / seconds,
    cpu: ((await cpuSecondsOf(own)) - before.cpu) / seconds,
    pointsPerSecond: (counts.points - before.points) / seconds,
    polls: counts.took.length,
    p99: quantile(counts.took, 0.99),
    failures: counts.failures,
  };
  ending.abort();
  await Promise.all(open);
  return window;
};

const say = (report: Report, name: string, { commandsPerSecond, cpu, pointsPerSecond, p99 }: Window): void =>
  report.say(
    `${name}: ${commandsPerSecond.toFixed(1)} commands/s, ${cpu.toFixed(2)} processors, ${pointsPerSecond.toFixed(0)} points/s, p99 of a request ${p99.toFixed(0)} ms`,
  );

export const run = (report: Report): Promise<void> =>
  withConsole([{ id: 'main' }], async (own) => {
    await fill(own);
    const tokens = await tokensOf(own, 'viewer', LISTENERS);
    await pinAll(own, tokens);
    const single = await windowOf(own, tokens.slice(0, 1));
    say(report, 'one listener', single);
    const many = await windowOf(own, tokens);
    say(report, `${LISTENERS} listeners`, many);
    const ratio = many.commandsPerSecond / single.commandsPerSecond;
    report.check(
      `Redis gets no more commands than for one`,
      ratio <= MAX_RATIO,
      `${ratio.toFixed(2)} times as many`,
    );
    report.check('the console uses one processor at most', many.cpu <= 1, many.cpu.toFixed(2));
    report.check('each listener gets a point a second', many.pointsPerSecond >= 0.9 * LISTENERS);
    const polls = (LISTENERS * POLLED.length * WINDOW_MS) / POLL_MS;
    report.check('each listener polls', many.polls >= 0.8 * polls, `${many.polls} of ${polls} requests`);
    report.check('nothing is refused', single.failures + many.failures === 0, `${many.failures} failures`);
  });
