import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { problemOfStore, problemOfVersion } from './check-store';
import { freePort, startRedis } from './redis-server.mjs';
import { runScript } from './testing/run-script';

const mine = { NEXTAUTH_SECRET: 'a', KEYWARD_SECRET_KEY: 'b' };
const others = { NEXTAUTH_SECRET: 'a', KEYWARD_SECRET_KEY: 'c' };

const problem = (storeUrl: string, secrets: typeof mine, made: boolean) =>
  problemOfStore({ storeUrl, storeTls: null, storeSentinel: null }, secrets, made, 'keyward accounts seal');

it('refuses secrets made here when the store is in use with others', async () => {
  const { url, stop } = await startRedis();
  try {
    expect(await problem(url, mine, true)).toBeNull();
    expect(await problem(url, mine, true)).toBeNull();
    const refused = await problem(url, others, true);
    expect(refused).toContain('NEXTAUTH_SECRET, KEYWARD_SECRET_KEY');
    expect(refused).toContain('`keyward accounts seal`');
    // Given by the operator: they are the truth from now on.
    expect(await problem(url, others, false)).toBeNull();
    expect(await problem(url, mine, true)).toContain('share a store');
  } finally {
    await stop();
  }
});

it('writes nothing to a store of a newer console, and lets commands write to one of this version only', async () => {
  const { url, stop } = await startRedis();
  const redis = new Redis(url);
  const ofVersion = () => problemOfVersion({ storeUrl: url, storeTls: null, storeSentinel: null });
  try {
    expect(await ofVersion()).toBeNull();
    await redis.hset('keyward:schema', { version: '1', writtenBy: '0.1.0' });
    expect(await ofVersion()).toBeNull();
    await redis.hset('keyward:schema', { version: '0' });
    expect(await ofVersion()).toMatch(/has schema 0 .* Start the console of this version first/);
    await redis.hset('keyward:schema', { version: '7', writtenBy: '9.0.0' });
    expect(await ofVersion()).toMatch(/has schema 7 by Keyward 9\.0\.0/);
    expect(await problem(url, mine, false)).toBeNull();
    expect(await redis.keys('*')).toEqual(['keyward:schema']);
  } finally {
    redis.disconnect();
    await stop();
  }
});

it('leaves a store that does not answer to the console', async () => {
  expect(await problem(`redis://127.0.0.1:${await freePort()}`, mine, true)).toBeNull();
});

it('refuses a node of a cluster, and `npm start` says why', { tags: 'long', timeout: 40_000 }, async () => {
  const { url, stop } = await startRedis({ args: ['--cluster-enabled', 'yes'] });
  const redis = new Redis(url);
  try {
    await redis.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
    await expect.poll(() => redis.call('CLUSTER', 'INFO'), { timeout: 10_000 }).toContain('cluster_state:ok');
    const why =
      /KEYWARD_STORE_URL: Keyward's own store is unavailable: it is a node of a Redis Cluster\. .* Use one server/;
    expect(await problem(url, mine, false)).toMatch(why);
    const environment = { REDIS_URL: 'redis://127.0.0.1:1', KEYWARD_STORE_URL: url };
    const { status, output } = await runScript('start.mjs', [], {
      ...environment,
      PORT: String(await freePort()),
    });
    expect({ status, output }).toEqual({ status: 1, output: expect.stringMatching(why) });
    expect(await redis.dbsize()).toBe(0);
  } finally {
    redis.disconnect();
    await stop();
  }
});
