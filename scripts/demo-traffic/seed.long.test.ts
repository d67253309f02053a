import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { catalogFor } from '@/lib/keyspace/apps-of';
import { scanAll } from '@/scripts/testing/scan-all';
import { startCluster } from '../cluster.mjs';
import { type RedisServer, startRedis } from '../redis-server.mjs';
import { live, RATES } from './live';
import { seed } from './seed';
import { seedSocial } from './social/seed';
import { PLATFORM, subscribe } from './subscribers';

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

it('makes the same state in a cluster, and goes on while slots move', {
  timeout: 60_000,
}, async () => {
  const cluster = await startCluster();
  const client = new Cluster([{ host: '127.0.0.1', port: cluster.servers[0]!.port }]);
  try {
    const options = { seed: 7, now: () => START };
    const alone = new Redis(server.url, { db: 2 });
    await seed(alone, options);
    await seedSocial(alone, options);
    const keys = await scanAll(alone);
    await alone.flushdb();
    alone.disconnect();
    const world = await seed(client, options);
    await seedSocial(client, options);
    const ofEach = await Promise.all(client.nodes('master').map((node) => scanAll(node)));
    expect(ofEach.every((keys) => keys.length > 1000)).toBe(true);
    expect(ofEach.flat().map(String).sort()).toEqual(keys.map(String).sort());

    const listener = await subscribe(client, PLATFORM);
    const heard: string[] = [];
    listener.on('message', (channel) => heard.push(channel));
    const ending = new AbortController();
    const troubles: (string | null)[] = [];
    const acting = live(client, world, RATES, ending.signal, (message) => troubles.push(message));
    const [from, to] = await cluster.primaries();
    const slots = Array.from({ length: 20 }, (_, slot) => slot);
    await cluster.moveSlots(slots, to!);
    await cluster.moveSlots(slots, from!);
    await expect.poll(() => heard.length, { timeout: 15_000 }).toBeGreaterThan(10);
    ending.abort();
    await acting;
    listener.disconnect();
    expect(troubles).toEqual([]);
  } finally {
    client.disconnect();
    await cluster.stop();
  }
});
