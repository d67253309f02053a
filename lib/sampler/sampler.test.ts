import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readEnv } from '@/lib/configuration';
import { readFamilyTtl } from '@/lib/families/ttl';
import { readWatch } from '@/lib/guard/traffic/storage';
import type { Bucket } from '@/lib/history/bucket';
import { readCensus } from '@/lib/history/census';
import { readHistoryEvents } from '@/lib/history/events';
import { writeFamilyTtls } from '@/lib/history/family-ttls';
import { type LiveRow, readLive } from '@/lib/history/points';
import { serverHistory } from '@/lib/history/server-history';
import { RESOLUTIONS, readSpans } from '@/lib/history/spans';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { getOverview } from '@/lib/overview/overview';
import { type ConnectionHandle, openConnection, openConnections } from '@/lib/redis/connections';
import { closeStore, openStore, type Store, store } from '@/lib/redis/store';
import { readNameIndex } from '@/lib/values/name-index';
import { startRedis } from '@/scripts/redis-server.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { withRepeatedElements } from '@/scripts/testing/repeated-elements';
import { walkFor } from '@/scripts/testing/walking';
import { takeCensus } from './census';
import { IpProbe } from './ip-probe';
import { Sampler } from './sampler';

let test: TestContext;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  test = await testContext({
    apps: ['discours', 'hawk'],
    // The census is to be over soon: how gently it goes is tested with the scans.
    scan: { chunk: 500, pauseMs: 0, maxAddedLatencyMs: 1000 },
    hawk: { eventsLimit: 10, eventsPeriodSeconds: 100, threshold: 50 },
  });
});
beforeEach(async () => {
  closeStore();
  await test.empty();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => test.close());

/** Another handle on the same Redis, as another process would have. */
const handleOn = (url: string, id = 'main'): ConnectionHandle => {
  const [config] = readEnv({ REDIS_URL: url }).connections;
  const handle = openConnection({ ...config!, id, apps: [] });
  closing.push(() => handle.topology.close());
  return handle;
};

const another = (): Store => {
  const opened = openStore(process.env.KEYWARD_STORE_URL!);
  closing.push(() => opened.close());
  return opened;
};

const samplerOf = (
  handles: readonly ConnectionHandle[] = [test.handle],
  self = 'one',
  on = store(),
): Sampler => {
  const sampler = new Sampler(on, handles, self);
  closing.push(() => sampler.close());
  return sampler;
};

const live = (id = 'main'): Promise<LiveRow[]> => readLive(store(), id, 0);
const buckets = async (id = 'main'): Promise<Bucket[]> =>
  (await live(id)).flatMap(({ sample }) => ('bucket' in sample ? [sample.bucket] : []));
const totals = async (id = 'main') => {
  const all = await buckets(id);
  return {
    hits: all.reduce((sum, bucket) => sum + bucket.hits, 0),
    misses: all.reduce((sum, bucket) => sum + bucket.misses, 0),
  };
};
const events = async (id = 'main') =>
  (await readHistoryEvents(store(), id, 0, Date.now() + 60_000)).map((event) => event.kind);

/** What an application does: so many hits and misses. */
const work = async (hits: number, misses: number, redis = test.redis) => {
  await redis.set('there', 'x');
  const pipeline = redis.pipeline();
  for (let i = 0; i < hits; i++) pipeline.get('there');
  for (let i = 0; i < misses; i++) pipeline.get('not there');
  await pipeline.exec();
};

const fill = (count: number) =>
  test.redis.eval(
    "for i = 1, tonumber(ARGV[1]) do redis.call('SET', 'topic:id:' .. i, '{}', 'EX', 5000) end",
    0,
    count,
  );

describe('sampling', () => {
  it('counts what the applications did, and nothing of its own', async () => {
    const sampler = samplerOf();
    await sampler.tick();
    await work(800, 200);
    await sampler.tick();
    await sampler.tick();
    expect(await totals()).toEqual({ hits: 800, misses: 200 });
    expect(await getOverview(test.as({}))).toMatchObject({ hitRate: 0.8, keys: 1, keysWithTtl: 0 });
    for (let i = 0; i < 3; i++) await sampler.tick();
    const idle = (await buckets()).slice(-2);
    for (const bucket of idle) expect(bucket).toMatchObject({ hits: 0, misses: 0 });
  });

  it('leaves the hit rate where it is while the console reads 20 000 keys and takes a census', {
    tags: 'long',
    timeout: 60_000,
  }, async () => {
    await fill(20_000);
    const sampler = samplerOf();
    await sampler.tick();
    await work(900, 100);
    await sampler.tick();
    const before = (await getOverview(test.as({}))).hitRate;
    expect(before).toBe(0.9);
    let reading = true;
    const ticking = (async () => {
      while (reading) {
        await sampler.tick();
        for (const bucket of (await buckets()).slice(-1))
          expect(bucket).toMatchObject({ hits: 0, misses: 0 });
      }
    })();
    const census = takeCensus(test.handle, new AbortController().signal);
    for (let from = 0; from < 20_000; from += 1000) {
      const keys = Array.from({ length: 1000 }, (_, i) => Buffer.from(`topic:id:${from + i + 1}`));
      await Promise.all([
        test.ctx.reader.readMany(keys.map((key) => ['TYPE', key] as const)),
        test.ctx.reader.getStrings(keys.slice(0, 200)),
        test.ctx.reader.read(['EXISTS', Buffer.from('nothing')]),
        test.ctx.writer.compareAndSet(Buffer.from('changing'), null, null),
      ]);
    }
    expect((await census).census.families['discours.topic-id']?.keys).toBe(20_000);
    reading = false;
    await ticking;
    await sampler.tick();
    expect(await totals()).toEqual({ hits: 900, misses: 100 });
    expect((await getOverview(test.as({}))).hitRate).toBe(before);
  });

  it('excludes reads through another connection to the same server', async () => {
    const { url } = test.handle.config;
    const both = openConnections([
      { ...test.handle.config, id: 'first' },
      { ...test.handle.config, id: 'second', url: `${url}/1` },
    ]);
    const [first, second] = [both.get('first')!, both.get('second')!];
    closing.push(() => first.topology.close());
    closing.push(() => second.topology.close());
    const sampler = samplerOf([first, second]);
    await sampler.tick();
    await test.redis.get('applications-own');
    for (let i = 0; i < 20; i++) await second.reader.read(['EXISTS', Buffer.from('absent')]);
    await sampler.tick();
    for (const id of ['first', 'second']) {
      const last = (await live(id)).at(-1)!.sample;
      expect(last).toMatchObject({ bucket: { hits: 0, misses: 1 } });
    }
  });

  it('excludes reads of other processes, at most a moment later', { tags: ['long'] }, async () => {
    await fill(20_000);
    const [mine, theirs] = [handleOn(test.handle.config.url!), handleOn(test.handle.config.url!)];
    const [leader, follower] = [samplerOf([mine], 'one'), samplerOf([theirs], 'two', another())];
    await leader.tick();
    await follower.tick();
    expect([leader.isLeader, follower.isLeader]).toEqual([true, false]);
    await work(70, 30);
    for (let from = 0; from < 20_000; from += 1000) {
      const keys = Array.from({ length: 1000 }, (_, i) => Buffer.from(`topic:id:${from + i + 1}`));
      await theirs.reader.readMany(keys.map((key) => ['TYPE', key] as const));
    }
    await follower.tick();
    await leader.tick();
    await leader.tick();
    expect(await totals()).toEqual({ hits: 70, misses: 30 });
  });

  it('deletes the totals of processes that ended a day ago, when it starts leading', async () => {
    const key = consoleFamilies.ownTraffic.key({ connection: 'main' });
    const day = 86_400_000;
    await test.storeRedis.hset(key, { gone: `5:5:5:${Date.now() - 2 * day}`, alive: `5:5:5:${Date.now()}` });
    const sampler = samplerOf();
    await sampler.tick();
    expect((await test.storeRedis.hkeys(key)).sort()).toEqual(['alive', expect.stringMatching(/^one@/)]);
    await work(10, 5);
    await sampler.tick();
    expect(await totals()).toEqual({ hits: 10, misses: 5 });
  });

  it('marks a reset of the counters, and is never negative', async () => {
    const sampler = samplerOf();
    await sampler.tick();
    await work(50, 50);
    await sampler.tick();
    await test.redis.config('RESETSTAT');
    await sampler.tick();
    await work(5, 5);
    await sampler.tick();
    expect(await totals()).toEqual({ hits: 55, misses: 55 });
    expect(await events()).toEqual(['counters-reset']);
  });

  it('shows a server that went and came back as a gap, and that it was restarted', {
    tags: 'long',
  }, async () => {
    const first = await startRedis();
    closing.push(() => first.stop());
    const handle = handleOn(first.url, 'shop');
    const app = test.redis.duplicate({ port: first.port });
    closing.push(() => app.disconnect());
    const sampler = samplerOf([handle]);
    await sampler.tick();
    await work(10, 10, app);
    await sampler.tick();
    app.disconnect();
    await first.stop();
    await sampler.tick();
    await sampler.tick();
    const gap = { gap: expect.stringContaining('"shop"') };
    expect((await live('shop')).slice(-2).map(({ sample }) => sample)).toMatchObject([gap, gap]);
    const second = await startRedis({ port: first.port });
    closing.push(() => second.stop());
    await expect
      .poll(() => sampler.tick().then(() => events('shop')), { timeout: 8000 })
      .toEqual(['outage', 'recovered', 'restart']);
    await sampler.tick();
    expect(await totals('shop')).toEqual({ hits: 10, misses: 10 });
  });

  it('says that figures are not permitted where its user may not ask for them, and not that it is gone', async () => {
    await test.redis.call('ACL', 'SETUSER', 'blind', 'reset', 'on', '>pw', '~*', '&*', '+@all', '-info');
    const handle = handleOn(process.env.REDIS_URL!.replace('redis://', 'redis://blind:pw@'), 'blind');
    const sampler = samplerOf([handle]);
    for (let turn = 0; turn < 2; turn++) await sampler.tick();
    expect(handle.status().state).toBe('ready');
    expect((await live('blind')).map(({ sample }) => sample)).toEqual(
      Array(2).fill({
        gap: expect.stringContaining('may not use INFO'),
        at: expect.any(Number),
        notPermitted: true,
      }),
    );
    expect(await readHistoryEvents(store(), 'blind', 0, Date.now() + 1000)).toEqual([]);
    const { attention, opsPerSecond } = await getOverview({
      ...test.ctx,
      store: store(),
      connection: handle,
      reader: handle.reader,
    });
    expect(opsPerSecond).toBeNull();
    expect(attention).toContainEqual(expect.objectContaining({ id: 'figures-not-permitted' }));
  });

  it('continues with the other servers while one does not answer', { tags: 'long' }, async () => {
    const frozen = await startRedis();
    closing.push(() => frozen.stop());
    const sampler = samplerOf([handleOn(frozen.url, 'frozen'), test.handle]);
    await sampler.tick();
    process.kill(frozen.pid, 'SIGSTOP');
    try {
      sampler.start();
      await expect.poll(async () => (await buckets()).length, { timeout: 6000 }).toBeGreaterThanOrEqual(4);
      const spans = (await buckets()).map((bucket) => bucket.observedMs);
      expect(Math.max(...spans)).toBeLessThan(2500);
    } finally {
      process.kill(frozen.pid, 'SIGCONT');
    }
  });
});

describe('several processes', () => {
  const twoProcesses = (): [Sampler, Sampler] => {
    const { url } = test.handle.config;
    return [samplerOf([handleOn(url!)], 'one'), samplerOf([handleOn(url!)], 'two', another())];
  };

  it('sample once: the next takes over as soon as the leader goes', async () => {
    const [first, second] = twoProcesses();
    await first.tick();
    await second.tick();
    await work(10, 0);
    await Promise.all([first.tick(), second.tick()]);
    expect(await totals()).toEqual({ hits: 10, misses: 0 });
    await first.close();
    await second.tick();
    expect([first.isLeader, second.isLeader]).toEqual([false, true]);
    await work(20, 0);
    await second.tick();
    expect(await totals()).toEqual({ hits: 30, misses: 0 });
  });

  it('do not count again what another counted meanwhile', async () => {
    const [first, second] = twoProcesses();
    const lease = consoleFamilies.lease.key({ name: 'sampler' });
    // Another process knows of a census's own traffic a moment later.
    await expect.poll(() => first.tick().then(() => readCensus(store(), 'main'))).not.toBeNull();
    await test.storeRedis.set(lease, 'two', 'PX', 60_000);
    await second.tick();
    await first.tick();
    await work(10, 0);
    await second.tick();
    await test.storeRedis.set(lease, 'one', 'PX', 60_000);
    await first.tick();
    await second.tick();
    await work(5, 0);
    await first.tick();
    expect(await totals()).toEqual({ hits: 15, misses: 0 });
  });

  it('count the keys in the leading one only, also where another one walks', async () => {
    await fill(10);
    const handle = handleOn(test.handle.config.url!);
    const [first, second] = [samplerOf(), samplerOf([handle], 'two')];
    await expect.poll(() => first.tick().then(() => readCensus(store(), 'main'))).not.toBeNull();
    await second.tick();
    // So that it is due.
    await test.storeRedis.del(consoleFamilies.census.key({ connection: 'main' }));
    expect((await walkFor(handle, {})).cost.parts).toEqual(['analysis']);
  });

  it('lose the lead with the store', async () => {
    const server = await startRedis();
    const own = openStore(server.url);
    closing.push(() => own.close());
    const sampler = samplerOf(undefined, 'one', own);
    await sampler.tick();
    expect(sampler.isLeader).toBe(true);
    await server.stop();
    await sampler.tick();
    expect(sampler.isLeader).toBe(false);
  });
});

it('writes the span so far when it stops', async () => {
  const sampler = samplerOf();
  await sampler.tick();
  await work(10, 10);
  await sampler.tick();
  await sampler.close();
  const written = await readSpans(serverHistory, store(), 'main', {
    resolution: RESOLUTIONS[0],
    from: 0,
    to: Date.now(),
  });
  expect(written.reduce((sum, bucket) => sum + bucket.hits, 0)).toBe(10);
});

describe('the census', () => {
  const walk = () => takeCensus(test.handle, new AbortController().signal);
  const census = async () => (await walk()).census;

  it('counts keys by family, those without a TTL, and unclassified ones', async () => {
    await fill(30);
    await test.redis.mset({ 'author:id:1': '{}', 'author:id:x': '?', 'what is this': '?' });
    await test.redis.hset('session:1:eyJa.b.c', 'user_id', '1');
    await test.redis.set(Buffer.from([0xff, 0xfe]), '?');
    const counted = await census();
    expect(counted.families['discours.topic-id']).toMatchObject({ keys: 30, withoutTtl: 0 });
    expect(counted.families['discours.topic-id']?.memoryBytes).toBeGreaterThan(1000);
    expect(counted.families['discours.session']).toMatchObject({ keys: 1, withoutTtl: 1 });
    expect(counted.unclassified + counted.malformed).toBe(3);
  });

  it('sees which keys expire together, and the counters of hits and misses', async () => {
    await test.redis.set('topic_shouts_1', '[]', 'EX', 7200);
    const at = Math.floor(Date.now() / 10_000) * 10_000 + 605_000;
    for (let id = 2; id < 50; id++) await test.redis.set(`topic_shouts_${id}`, '[]', 'PXAT', at);
    await test.redis.mset({
      'metrics:cache_hits:hourly': '5',
      'metrics:cache_misses:shouts:hourly': '1',
      'metrics:cache_hits:no-such-family:hourly': '1',
      'metrics:active_sessions:hourly': '9',
    });
    const { ttls, counters } = await walk();
    expect(counters.map(String).sort()).toEqual([
      'metrics:cache_hits:hourly',
      'metrics:cache_misses:shouts:hourly',
    ]);
    await writeFamilyTtls(store(), 'main', ttls);
    const ttl = await readFamilyTtl({ ...test.ctx, store: store() }, { family: 'discours.topic-shouts' });
    expect(ttl).toMatchObject({ keys: 49, withTtl: 49, withoutTtl: 0, together: { keys: 48, seconds: 10 } });
    expect(ttl.together?.at).toBe(new Date(at - 5000).toISOString());
    expect(ttl.remaining.reduce((sum, bin) => sum + bin.keys, 0)).toBe(49);
    expect(ttl.expiries.reduce((sum, bin) => sum + bin.keys, 0)).toBe(49);
    // One key has two hours left and the catalog documents five minutes, so its age is unknown.
    expect(ttl.averageAgeSeconds).toBeNull();
    await expect(
      readFamilyTtl({ ...test.ctx, store: store() }, { family: 'console.user' }),
    ).rejects.toMatchObject({ status: 404 });
  });

  it('counts a key once that the server gives twice, in a keyspace of any size', {
    tags: ['long'],
  }, async () => {
    await fill(3000);
    await test.redis.set('metrics:cache_hits:hourly', '5');
    const large = { ...test.handle.background, size: async () => 1_000_000 };
    const { census: counted, ...walked } = await withRepeatedElements(test, () =>
      takeCensus({ ...test.handle, background: large }, new AbortController().signal),
    );
    expect(counted.families['discours.topic-id']).toMatchObject({ keys: 3000 });
    expect(walked.ttls.get('discours.topic-id')).toMatchObject({ keys: 3000 });
    expect(walked.counters).toHaveLength(1);
  });

  it('leaves the heaviest callers to the watch of the leader', async () => {
    await test.redis.hset('CurrentPeriodMap', { '10.0.0.1': '60' });
    // A handle of its own: what tests before have read of this map is not what is there now.
    const sampler = samplerOf([{ ...test.handle }]);
    await expect
      .poll(() => sampler.tick().then(() => readWatch(store(), 'main')))
      .toMatchObject({ samples: [{ total: 60, fields: 1 }], resets: [] });
    const follower = samplerOf(undefined, 'two', another());
    await test.storeRedis.del('keyward:ip-watch:main');
    await follower.tick();
    expect(await readWatch(store(), 'main')).toBeNull();
    await test.redis.set('BlacklistIPsSet', 'wrong type');
    await test.redis.del('CurrentPeriodMap');
    await test.redis.set('CurrentPeriodMap', 'wrong type');
    await new IpProbe({ ...test.handle }, store()).tick();
    expect(await readWatch(store(), 'main')).toMatchObject({ samples: [{ total: 0, fields: 0 }] });
  });

  it('stops when it is aborted', async () => {
    await fill(5000);
    await expect(takeCensus(test.handle, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });

  it('is taken by the sampler, and not again while it is recent', async () => {
    await fill(10);
    await test.redis.set('env_vars:FEATURE_A', 'on');
    const sampler = samplerOf();
    await expect.poll(() => sampler.tick().then(() => readCensus(store(), 'main'))).not.toBeNull();
    const first = await readCensus(store(), 'main');
    await expect
      .poll(() => readNameIndex(store(), 'variable', 'main'))
      .toEqual({ at: first?.startedAt, names: ['FEATURE_A'] });
    await sampler.tick();
    expect((await readCensus(store(), 'main'))?.finishedAt).toBe(first?.finishedAt);
  });
});
