// Failovers by Sentinel under an application's traffic: reads recover, cursors expire, and the history is true.
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { HistoryEvent, Point } from '@/lib/history/schema';
import type { NodeRow } from '@/lib/nodes/schema';
import type { RedisServer } from '../redis-server.mjs';
import { type Sentinels, startSentinels } from '../sentinels.mjs';
import type { PrivateConsole } from '../testing/private-console';
import { get, MAIN, post, summaryOfAnswer, until } from './api';
import { type Report, withConsole } from './report';

const DOWN_AFTER_MS = 1500;
const MAX_AWAY_MS = 5000;
/** A span of ten seconds is stored when the next one begins. */
const STORED_MS = 21_000;
const LOOKUPS = 100;
/** More than one page. */
const KEYS = 500;

/** Lookups on the current primary, half of them misses. `stop` resolves when the last one has ended. */
const applicationOf = ({ name, nodes }: Sentinels) => {
  const sentinels = nodes.map((node) => ({ host: node.split(':')[0]!, port: Number(node.split(':')[1]) }));
  const client = new Redis({ sentinels, name, failoverDetector: true, maxRetriesPerRequest: 0 });
  client.on('error', () => undefined);
  let isOver = false;
  const work = async () => {
    for (let n = 0; n < KEYS; n++) await client.set(`drill:${n}`, 'x').catch(() => undefined);
    while (!isOver) {
      const lookups = client.pipeline().set('there', 'x');
      for (let i = 0; i < LOOKUPS; i++) lookups.get(i % 2 ? 'there' : 'absent');
      await lookups.exec().catch(() => undefined);
      await delay(50);
    }
    client.disconnect();
  };
  const done = work();
  return {
    stop: () => {
      isOver = true;
      return done;
    },
  };
};

const addressOf = async (own: PrivateConsole): Promise<string | null> => {
  const { status, body } = await get<{ items: NodeRow[] }>(own, `${MAIN}/nodes`);
  const primary = status === 200 ? body.items.find(({ role }) => role === 'primary') : undefined;
  return primary?.state === 'ready' ? primary.address : null;
};

const KEYS_PATH = `${MAIN}/keys?limit=20&match=drill:*`;

/** Reads keys repeatedly. `stop` resolves with the longest time without an answer, and the other answers. */
const readsOf = (own: PrivateConsole) => {
  const refusals = new Map<string, number>();
  let [longestMs, last, isOver] = [0, performance.now(), false];
  const work = async () => {
    while (!isOver) {
      const answer = await get<object>(own, KEYS_PATH);
      const now = performance.now();
      if (answer.status === 200) {
        longestMs = Math.max(longestMs, now - last);
        last = now;
      } else {
        const text = summaryOfAnswer(answer).replace(/\d+\.\d+\.\d+\.\d+:\d+/g, 'A');
        refusals.set(text, (refusals.get(text) ?? 0) + 1);
      }
      await delay(10);
    }
  };
  const done = work();
  return {
    stop: async () => {
      isOver = true;
      await done;
      return { longestMs: Math.round(longestMs), refusals };
    },
  };
};

interface Series {
  points: Point[];
  events: HistoryEvent[];
}

const RATES = ['hits', 'misses', 'hitRate', 'opsPerSecond', 'evictedPerSecond', 'expiredPerSecond'] as const;

const drill = async (
  report: Report,
  own: PrivateConsole,
  watched: Sentinels,
  what: string,
  fail: (old: RedisServer) => Promise<unknown> | unknown,
): Promise<void> => {
  const old = (await watched.primary())!;
  const before = await until('the primary', async () => {
    const address = await addressOf(own);
    return address?.endsWith(`:${old.port}`) ? address : null;
  });
  const page = await until('a page of keys', async () => {
    const { status, body } = await get<{ nextCursor: string | null }>(own, KEYS_PATH);
    return status === 200 && body.nextCursor ? body.nextCursor : null;
  });
  const reads = readsOf(own);
  await delay(3000);
  const began = Date.now();
  await fail(old);
  const address = await until('reads on the new primary', async () => {
    const now = await addressOf(own);
    return now !== null && now !== before ? now : null;
  });
  await delay(1000);
  const { longestMs, refusals } = await reads.stop();
  report.check(
    `${what}: reads are back on the new primary within ${MAX_AWAY_MS / 1000} s`,
    longestMs <= MAX_AWAY_MS,
    `${longestMs} ms without an answer, ${before} → ${address}`,
  );
  const texts = [...refusals].map(([text, count]) => `${count} × ${text}`);
  report.check(
    `${what}: in between only 503, with the reason`,
    [...refusals.keys()].every((text) => /^503 unreachable /.test(text)),
    texts.join(' '),
  );
  const turned = await get<object>(own, `${KEYS_PATH}&cursor=${encodeURIComponent(page)}`);
  report.check(`${what}: a cursor ends with the old primary`, turned.status === 410, summaryOfAnswer(turned));
  const made = await post(own, `${MAIN}/env`, { name: `DRILL_${began}`, value: 'x' });
  report.check(`${what}: scripts are loaded again`, made.status === 201, summaryOfAnswer(made));
  await delay(STORED_MS);
  const range = `from=${new Date(began - 3000).toISOString()}&to=${new Date().toISOString()}&stepSeconds=10`;
  const { points, events } = (await get<Series>(own, `${MAIN}/history/series?${range}`)).body;
  const kinds = events.map(({ kind }) => kind);
  const marks = kinds.filter((kind) => kind === 'failover').length;
  report.check(`${what}: one mark of the failover`, marks === 1, kinds.join(', '));
  report.check(`${what}: no mark of a restart`, !kinds.includes('restart'));
  const rates = points.flatMap((point) => RATES.map((name) => point[name] ?? 0));
  const hitRates = points.flatMap(({ hitRate }) => hitRate ?? []);
  report.check(
    `${what}: no rate is negative, and the hit rate is the application's`,
    points.length > 0 &&
      rates.every((rate) => rate >= 0) &&
      hitRates.every((rate) => Math.abs(rate - 0.5) < 0.02),
    `${points.length} points, hit rates ${hitRates.map((rate) => rate.toFixed(3)).join(' ')}`,
  );
};

export const run = async (report: Report): Promise<void> => {
  const watched = await startSentinels({ replicas: 2, downAfterMs: DOWN_AFTER_MS });
  try {
    const sentinel = { name: watched.name, nodes: watched.nodes };
    await withConsole([{ sentinel }], async (own) => {
      const application = applicationOf(watched);
      try {
        await drill(report, own, watched, 'SENTINEL FAILOVER', () => watched.failover());
        let stopped: RedisServer | null = null;
        await drill(report, own, watched, 'SIGSTOP', (old) => {
          stopped = old;
          old.process.kill('SIGSTOP');
        });
        // The third failover needs a replica.
        (stopped as RedisServer | null)?.process.kill('SIGCONT');
        await drill(report, own, watched, 'kill -9', (old) => old.process.kill('SIGKILL'));
      } finally {
        await application.stop();
      }
    });
  } finally {
    await watched.stop();
  }
};
