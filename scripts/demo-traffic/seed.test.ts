import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { catalogFor } from '@/lib/catalog/apps-of';
import { scanAll } from '@/scripts/testing/scan-all';
import { type RedisServer, startRedis } from '../redis-server.mjs';
import { live, RATES } from './live';
import { seed } from './seed';

let server: RedisServer;
let redis: Redis;
let dir: string;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
  dir = mkdtempSync(join(tmpdir(), 'keyward-seed-'));
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
});

const START = Date.UTC(2026, 0, 15, 12);

const countInfo = async (field: string): Promise<number> =>
  Number(new RegExp(`${field}:(\\d+)`).exec(await redis.info())?.[1]);

it('makes the same state from the same seed, of every kind, all but six keys known to the catalog', async () => {
  const other = new Redis(server.url, { db: 1 });
  const tokensFile = join(dir, 'tokens');
  await seed(redis, { seed: 7, now: () => START, tokensFile });
  await seed(other, { seed: 7, now: () => START });
  const keys = await scanAll(redis);
  expect((await scanAll(other)).map(String)).toEqual(keys.map(String));
  await other.flushdb();
  other.disconnect();

  const catalog = catalogFor(['discours', 'hawk']);
  const families = new Map<string, number>();
  for (const key of keys) {
    const id = catalog.classify(key).family?.id ?? 'none';
    families.set(id, (families.get(id) ?? 0) + 1);
  }
  expect(families.get('none')).toBe(6);
  expect(families.get('discours.session')).toBeGreaterThan(2000);
  expect(families.get('discours.legacy-session')).toBe(21);
  expect(families.size).toBeGreaterThan(30);
  expect(keys.length).toBeLessThan(8000);

  // Every token that is part of a key is in the list.
  const tokens = new Set(readFileSync(tokensFile, 'utf8').trim().split('\n'));
  for (const key of keys) {
    const { family, params } = catalog.classify(key) as {
      family: { sensitive?: string[] } | null;
      params: Record<string, string>;
    };
    for (const name of family?.sensitive ?? []) expect(tokens).toContain(params[name]);
  }
  expect(tokens).toContain(await redis.get('env_vars:SMTP_PASSWORD'));
  expect(tokens).toContain(await redis.get('env_vars:DB_URL'));
});

it('refuses events over the limit by the rule of 003 and leaves the record unchanged', async () => {
  const limits = Object.values(await redis.hgetall('rate_limits'));
  const full = limits.filter((record) => record.endsWith(':100'));
  expect(full.length).toBeGreaterThanOrEqual(3);
  expect(limits.every((record) => record === 'reset by hand' || Number(record.split(':')[1]) <= 100)).toBe(
    true,
  );
});

it('continues at about 300 operations a second with hits and misses, until it is aborted', async () => {
  await redis.flushdb();
  const world = await seed(redis, { seed: 3 });
  await redis.config('RESETSTAT');
  const ending = new AbortController();
  const trouble: (string | null)[] = [];
  const started = performance.now();
  const cpu = process.cpuUsage();
  const running = live(redis, world, RATES, ending.signal, (message) => trouble.push(message));
  await expect.poll(() => countInfo('total_commands_processed'), { timeout: 15_000 }).toBeGreaterThan(900);
  ending.abort();
  await running;
  const seconds = (performance.now() - started) / 1000;
  const perSecond = (await countInfo('total_commands_processed')) / seconds;
  const { user, system } = process.cpuUsage(cpu);
  expect(trouble).toEqual([]);
  expect(perSecond).toBeGreaterThan(100);
  expect(perSecond).toBeLessThan(450);
  expect((user + system) / 1e6 / seconds).toBeLessThan(0.3);
  expect(world.hits).toBeGreaterThan(0);
  expect(world.misses).toBeGreaterThan(0);
  expect(Number(await redis.get('metrics:cache_hits:hourly'))).toBeLessThanOrEqual(world.hits);
});
