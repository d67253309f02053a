// Failovers by Sentinel under an application's traffic: reads are back, and the history has one mark and true rates.
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { HistoryEvent, Point } from '@/lib/history/schema';
import type { NodeRow } from '@/lib/nodes/schema';
import { type Sentinels, startSentinels } from '../sentinels.mjs';
import type { PrivateConsole } from '../testing/private-console';
import { get, MAIN, until } from './api';
import { type Report, withConsole } from './report';

const DOWN_AFTER_MS = 1500;
const MAX_AWAY_MS = 5000;
/** A span of ten seconds is stored when the next one begins. */
const STORED_MS = 21_000;
const LOOKUPS = 100;

/** Lookups on whatever is the primary, half of them misses. Resolves `stop` when the last one has ended. */
const applicationOf = ({ name, nodes }: Sentinels) => {
  const sentinels = nodes.map((node) => ({ host: node.split(':')[0]!, port: Number(node.split(':')[1]) }));
  const client = new Redis({ sentinels, name, failoverDetector: true, maxRetriesPerRequest: 0 });
  client.on('error', () => undefined);
  let isOver = false;
  const work = async () => {
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

const readsAre = async (own: PrivateConsole) => (await get(own, `${MAIN}/overview`)).status === 200;

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
  fail: () => Promise<unknown> | unknown,
): Promise<void> => {
  const old = (await watched.primary())!;
  const before = await until('the primary', async () => {
    const address = await addressOf(own);
    return address?.endsWith(`:${old.port}`) ? address : null;
  });
  await delay(3000);
  const began = Date.now();
  await fail();
  const address = await until('reads on the new primary', async () => {
    if (!(await readsAre(own))) return null;
    const now = await addressOf(own);
    return now !== null && now !== before ? now : null;
  });
  const awayMs = Date.now() - began;
  report.check(
    `${what}: reads are back on the new primary within ${MAX_AWAY_MS / 1000} s`,
    awayMs <= MAX_AWAY_MS,
    `${awayMs} ms, ${before} → ${address}`,
  );
  await delay(STORED_MS);
  const range = `from=${new Date(began - 3000).toISOString()}&to=${new Date().toISOString()}&stepSeconds=10`;
  const { points, events } = (await get<Series>(own, `${MAIN}/metrics/series?${range}`)).body;
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
        await drill(report, own, watched, 'kill -9', async () => {
          (await watched.primary())!.process.kill('SIGKILL');
        });
      } finally {
        await application.stop();
      }
    });
  } finally {
    await watched.stop();
  }
};
