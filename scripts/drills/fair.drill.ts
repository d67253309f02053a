// One user sends 200 concurrent calls of one read after the other: others are answered as before, and memory recovers.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { PrivateConsole } from '../testing/private-console';
import { quantile } from '../testing/steady-load';
import { MAIN, request, tokensOf } from './api';
import { fillLog } from './audit-rows';
import { readInput, seedAll } from './changes';
import { seedAuthors, seedSessions } from './keys';
import { memoryOf } from './memory-of';
import { allOperationsOf, fill } from './operations';
import { type Report, withConsole } from './report';

const CALLS_AT_ONCE = 200;
const FLOOD_MS = Number(process.env.KEYWARD_DRILL_SECONDS ?? 2) * 1000;
const MAX_P99_MS = 400;
const MAX_MB = 400;
/** A minute after the flood, which is enough for garbage collection. */
const REST_MS = 60_000;
const MAX_LEFT_MB = 40;

interface Call {
  id: string;
  path: string;
  method?: string;
  body?: object;
}

const startFlood = (own: PrivateConsole, token: string) => {
  const args = ['scripts/testing/flood.mjs', own.baseUrl, token, String(CALLS_AT_ONCE)];
  const flood = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(flood.stdout)[Symbol.asyncIterator]();
  /** Returns the answers to the previous call. */
  const next = async (call: Call | null): Promise<string> => {
    flood.stdin.write(`${JSON.stringify(call)}\n`);
    const statuses = JSON.parse((await lines.next()).value as string) as Record<string, number>;
    return Object.entries(statuses)
      .map(([status, count]) => `${count} × ${status}`)
      .join(', ');
  };
  return { next, stop: () => flood.kill() };
};

/** Requests an overview every 50 ms until stopped; returns the response times, ms. */
const watchOverview = (own: PrivateConsole, apiToken: string) => {
  let took: number[] = [];
  let refused = 0;
  let over = false;
  const watching = (async () => {
    while (!over) {
      const since = performance.now();
      const answer = await request({ ...own, apiToken }, `${MAIN}/overview`);
      await answer.text();
      took.push(performance.now() - since);
      if (answer.status !== 200) refused += 1;
      await delay(50);
    }
  })();
  const take = (): { p99: number; all: number[]; refused: number } => {
    const times = took;
    took = [];
    return { p99: times.length > 0 ? quantile(times, 0.99) : 0, all: times, refused };
  };
  return {
    take,
    stop: () => {
      over = true;
      return watching;
    },
  };
};

const callsOf = async (own: PrivateConsole): Promise<Call[]> => {
  const reads = (await allOperationsOf(own)).filter(({ method }) => method === 'GET');
  const dear: Call = {
    id: 'env.backup',
    path: `${MAIN}/env-backups`,
    method: 'POST',
    body: { passphrase: 'a passphrase of the drill' },
  };
  return [...reads.map((read) => ({ id: read.id, path: fill(read, 'main', readInput(read)).url })), dear];
};

export const run = (report: Report): Promise<void> =>
  withConsole([{ environment: 'development' }], async (own) => {
    await seedAll(own);
    await seedAuthors(own.app.client, 20_000);
    await seedSessions(own.app.client, 5000, 10);
    await fillLog(own, 20_000);
    // The most expensive reads need the admin role.
    const [heavy = ''] = await tokensOf(own, 'admin', 1);
    const [other = ''] = await tokensOf(own, 'viewer', 1);
    const flood = startFlood(own, heavy);
    const watched = watchOverview(own, other);
    try {
      await delay(5000);
      const [alone, before] = [watched.take(), await memoryOf(own, 'VmRSS')];
      report.say(`alone: overview p99 ${alone.p99.toFixed(0)} ms, ${before.toFixed(0)} MB`);
      const calls = await callsOf(own);
      const times: number[] = [];
      const slow: string[] = [];
      await flood.next(null);
      for (const call of calls) {
        await flood.next(call);
        await delay(FLOOD_MS);
        const answers = await flood.next(null);
        const { p99, all: took } = watched.take();
        times.push(...took);
        if (p99 > MAX_P99_MS / 2) report.say(`${call.id}: overview p99 ${p99.toFixed(0)} ms; ${answers}`);
        if (p99 > MAX_P99_MS) slow.push(`${call.id} ${p99.toFixed(0)} ms`);
      }
      const { refused } = watched.take();
      const p99 = quantile(times, 0.99);
      report.check(
        `an overview takes at most ${MAX_P99_MS} ms at p99 beside ${calls.length} reads of another user, ${CALLS_AT_ONCE} at once`,
        p99 <= MAX_P99_MS && refused === 0,
        `p50 ${quantile(times, 0.5).toFixed(0)}, p99 ${p99.toFixed(0)}, at most ${Math.max(...times).toFixed(0)} ms of ${times.length}; ${refused} refused`,
      );
      report.check(
        'and beside each of them alone',
        slow.length === 0,
        slow.length > 0 ? slow.join(', ') : 'none above',
      );
      const most = await memoryOf(own, 'VmHWM');
      report.check(`the console takes at most ${MAX_MB} MB`, most <= MAX_MB, `${most.toFixed(0)} MB`);
      await delay(REST_MS);
      const after = await memoryOf(own, 'VmRSS');
      report.check(
        'its memory is back a minute later',
        after <= before + MAX_LEFT_MB,
        `${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after`,
      );
    } finally {
      flood.stop();
      await watched.stop();
    }
  });
