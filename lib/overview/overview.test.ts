import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { principalOf } from '@/lib/access/on-behalf-of';
import { createUser, updateUser } from '@/lib/access/users';
import { writeWatch } from '@/lib/audit/watch-record';
import { forgetEnv } from '@/lib/configuration';
import { listConnections, testConnection } from '@/lib/connections/list';
import { connectionContracts } from '@/lib/connections/schema';
import { listFamilies } from '@/lib/families/list';
import { familyContracts } from '@/lib/families/schema';
import { storeRequest } from '@/lib/flags/requests';
import { type Census, writeCensus } from '@/lib/history/census';
import { publishLive } from '@/lib/history/points';
import { shutdown } from '@/lib/http/shutdown';
import { newId } from '@/lib/ids';
import { registerJob } from '@/lib/jobs/define';
import { createRecord, finishRecord } from '@/lib/jobs/transitions';
import { ttlInWords } from '@/lib/keyspace/ttl-in-words';
import { outdatePass } from '@/lib/rate-limits/pass';
import { type ConnectionHandle, closeConnections, connections } from '@/lib/redis/connections';
import { closeStore, store } from '@/lib/redis/store';
import { IpProbe } from '@/lib/sampler/ip-probe';
import { HOUR } from '@/lib/time';
import { freePort, startRedis } from '@/scripts/redis-server.mjs';
import { allPages } from '@/scripts/testing/all-pages';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { seedSession } from '@/scripts/testing/sessions';
import { auditAttention } from './audit-attention';
import { readiness } from './health';
import { getOverview } from './overview';
import { overviewContracts } from './schema';
import { storeDoor, storePolicy } from './store-policy';

type Role = 'admin' | 'support' | 'product' | 'viewer';

let test: TestContext;
const before = { ...process.env };
beforeAll(async () => {
  test = await testContext({
    apps: ['discours', 'hawk'],
    hawk: { eventsLimit: 100, eventsPeriodSeconds: 60 },
  });
  Object.assign(before, process.env);
});
beforeEach(async () => {
  closeStore();
  await test.empty();
});
afterEach(() => {
  Object.assign(process.env, { REDIS_URL: before.REDIS_URL, KEYWARD_STORE_URL: before.KEYWARD_STORE_URL });
  closeConnections();
  closeStore();
  forgetEnv();
});
afterAll(() => test.close());

const context = (role: Role = 'admin') => test.as({ actor: testActor(role) });
const overview = async (role: Role = 'admin') => {
  forget('overview sizes', 'overview sessions');
  return overviewContracts.get.result.parse(await getOverview(context(role)));
};

const pointAt = async (variable: 'REDIS_URL' | 'KEYWARD_STORE_URL', url?: string) => {
  process.env[variable] = url ?? `redis://127.0.0.1:${await freePort()}`;
  closeConnections();
  closeStore();
  forgetEnv();
};

const census = (change: Partial<Census> = {}): Census => ({
  startedAt: Date.now(),
  finishedAt: Date.now(),
  families: {},
  unclassified: 0,
  malformed: 0,
  ...change,
});

const figures = {
  maxMemoryBytes: 0,
  keys: 5,
  keysWithTtl: 2,
  evictedKeys: 0,
  product: 'redis',
  version: '7.0.15',
};
const sample = (agoMs: number, hits: number, misses: number) =>
  publishLive(
    store(),
    'main',
    {
      bucket: {
        at: Date.now() - agoMs,
        observedMs: 1000,
        hits,
        misses,
        commands: 50,
        evicted: 0,
        expired: 0,
        netInBytes: 0,
        netOutBytes: 0,
        usedMemoryBytes: 1234,
        connectedClients: 2,
        latencyMs: 1,
      },
      figures,
    },
    Date.now(),
  );

/** A project whose window is full under the default limit. */
const limitOneProject = async () => {
  await test.redis.hset('rate_limits', 'a', `${Math.floor(Date.now() / 1000)}:1000000`);
  outdatePass(test.handle, test.ctx.catalog);
};

describe('the overview', () => {
  it('answers null for figures that are not measured yet', async () => {
    expect(await overview('viewer')).toEqual({
      sampledAt: null,
      hitRate: null,
      opsPerSecond: null,
      usedMemoryBytes: null,
      maxMemoryBytes: null,
      keys: null,
      keysWithTtl: null,
      connectedClients: null,
      evictedKeys: null,
      onlineUsers: null,
      sessions: 0,
      sessionsCountedAt: expect.any(String),
      blockedProjects: 0,
      blacklistedIps: 0,
      limitedProjects: 0,
      limitedProjectsCountedAt: expect.any(String),
      flagRequests: 0,
      approvals: 0,
      firingAlerts: 0,
      attention: [],
    });
  });

  it('shows the last minute, sizes of sets and counts', async () => {
    await sample(3000, 90, 10);
    await sample(1000, 70, 30);
    await test.redis.sadd('BlacklistIPsSet', 'a', 'b');
    await test.redis.set('DisabledProjectsSet', 'wrong type');
    await limitOneProject();
    for (let i = 0; i < 7; i++) await seedSession(test.redis);
    expect(await overview('viewer')).toMatchObject({
      hitRate: 0.8,
      opsPerSecond: 50,
      usedMemoryBytes: 1234,
      maxMemoryBytes: null,
      keys: 5,
      keysWithTtl: 2,
      sessions: 7,
      blacklistedIps: 2,
      blockedProjects: null,
      limitedProjects: 1,
    });
  });

  it('does not show old samples as current', async () => {
    await sample(30_000, 90, 10);
    expect(await overview()).toMatchObject({ hitRate: null, keys: null, sampledAt: expect.any(String) });
  });

  it('lists what needs attention, to those who may see it', async () => {
    await limitOneProject();
    registerJob({
      action: 'test.job',
      permission: 'users:manage',
      payload: z.unknown(),
      run: () => expect.fail(),
    });
    await writeCensus(
      store(),
      'main',
      census({
        families: {
          'discours.session': { keys: 7, memoryBytes: 1, withoutTtl: 2 },
          'discours.env-vars': { keys: 7, memoryBytes: 1, withoutTtl: 7 },
        },
      }),
    );
    await test.redis.hset('CurrentPeriodMap', { '10.0.0.1': 20_000, '10.0.0.2': 30_000, '10.0.0.3': 9_999 });
    await test.redis.sadd('BlacklistIPsSet', '10.0.0.2');
    await new IpProbe(test.handle, store()).tick();
    const jobId = newId();
    const job = {
      jobId,
      auditId: newId(),
      action: 'test.job',
      connection: 'main',
      target: 't',
      reason: null,
    };
    const more = { actor: testActor('admin'), requestId: 'r', work: 'w', total: null, createdAt: Date.now() };
    await createRecord(store(), { ...job, ...more }, null);
    await finishRecord(store(), jobId, { state: 'interrupted', result: null, error: 'half' }, Date.now());
    const ids = async (role: Role) => (await overview(role)).attention.map((each) => each.id);
    expect(await ids('admin')).toEqual([
      'ip:10.0.0.1',
      'limited-projects',
      'store-policy',
      'store-door',
      'interrupted-jobs',
      'no-ttl:discours.session',
    ]);
    expect(await ids('support')).toEqual(['ip:10.0.0.1', 'limited-projects', 'no-ttl:discours.session']);
    expect(await ids('viewer')).toEqual(['no-ttl:discours.session']);
  });

  it('warns admins of a user that was changed outside the console, until it is disabled', async () => {
    const ann = { email: 'ann@example.org', name: 'Ann', role: 'viewer' as const, passwordHash: '' };
    const created = await createUser(store(), ann, { now: Date.now() });
    if (!created.ok) throw new Error(created.reason);
    const ids = async (role: Role) => (await overview(role)).attention.map(({ id }) => id);
    expect(await ids('admin')).not.toContain('records-refused');
    await test.storeRedis.hset(`keyward:user:${created.user.id}`, 'role', 'admin');
    expect((await overview()).attention[0]).toMatchObject({ id: 'records-refused', href: '/users' });
    expect(await ids('support')).not.toContain('records-refused');
    await updateUser(store(), created.user.id, { disabled: true });
    expect(await ids('admin')).not.toContain('records-refused');
  });

  it('warns admins of an alarm of the audit log, and of its size from 80 % of the limit', async () => {
    const alarm = { since: '2026-01-01T00:00:00.000Z', problem: 'the newest entries were removed' };
    const verified = { ok: true, entries: 1, firstBadId: null, problem: null, at: new Date().toISOString() };
    const of = (rows: number, now?: number) =>
      auditAttention({ alarm: null, rows, maxRows: 1000, verified }, now);
    expect(of(799)).toEqual([]);
    expect(of(800)).toMatchObject([{ severity: 'warning', text: expect.stringContaining('800 of 1,000') }]);
    expect(of(1001)).toMatchObject([{ severity: 'critical', href: '/audit' }]);
    expect(of(1, Date.now() + 3 * HOUR)).toMatchObject([{ id: 'audit-unverified' }]);
    await writeWatch(store(), 'alarm', { since: Date.parse(alarm.since), problem: alarm.problem });
    const alarmItem = { id: 'audit-alarm', severity: 'critical', detail: alarm.problem };
    expect((await overview('admin')).attention[0]).toMatchObject(alarmItem);
    expect((await overview('support')).attention).not.toContainEqual(expect.objectContaining(alarmItem));
  });

  it('shows flag changes to those who may approve them, and to nobody else', async () => {
    const asking = testActor('product');
    await storeRequest(context(), {
      id: newId(),
      name: 'FEATURE_A',
      action: 'create',
      enabled: true,
      from: null,
      to: 'true',
      etag: null,
      at: null,
      by: principalOf(asking)!,
      requestedAt: Date.now(),
      reason: null,
      state: 'pending',
      why: null,
    });
    const deciding = await overview('admin');
    expect(deciding.flagRequests).toBe(1);
    expect(deciding.attention).toContainEqual(expect.objectContaining({ id: 'flag-requests' }));
    for (const role of ['product', 'viewer'] as const) {
      const { flagRequests, attention } = await overview(role);
      expect([role, flagRequests]).toEqual([role, 0]);
      expect(attention.map(({ id }) => id)).not.toContain('flag-requests');
    }
  });

  it('works without the store, and says so; without Redis it is a 503', { tags: ['long'] }, async () => {
    await test.redis.sadd('BlacklistIPsSet', 'a');
    await pointAt('KEYWARD_STORE_URL');
    expect(await overview('viewer')).toMatchObject({
      blacklistedIps: 1,
      hitRate: null,
      attention: [{ id: 'store-gone', severity: 'critical' }],
    });
    await pointAt('REDIS_URL');
    const gone = connections().get('main')!;
    await expect(getOverview({ ...context(), connection: gone, reader: gone.reader })).rejects.toMatchObject({
      status: 503,
    });
  });
});

describe('families', () => {
  it('are those of the connection’s apps, most keys first, with null before the first count', async () => {
    const { items, countedAt, unclassified } = await listFamilies(context());
    expect([countedAt, unclassified]).toEqual([null, null]);
    expect(new Set(items.map((item) => item.app))).toEqual(new Set(['common', 'discours', 'hawk']));
    expect(items.every((item) => item.keys === null && item.countedAt === null)).toBe(true);
    await writeCensus(
      store(),
      'main',
      census({
        unclassified: 3,
        malformed: 2,
        families: { 'hawk.rate-limits': { keys: 1, memoryBytes: 80, withoutTtl: 1 } },
      }),
    );
    const counted = familyContracts.list.result.parse(await listFamilies(context()));
    expect(counted.items[0]).toMatchObject({
      family: 'hawk.rate-limits',
      keys: 1,
      memoryBytes: 80,
      source: 'none',
    });
    expect(counted.items[1]).toMatchObject({ keys: 0, withoutTtl: 0 });
    expect(counted.unclassified).toBe(5);
    expect(await allPages((page) => listFamilies(context(), page), 7)).toEqual(counted.items);
  });

  it('have their stored types and the documented one, with the differences', async () => {
    const row = async (id: string) =>
      familyContracts.list.result
        .parse(await listFamilies(context()))
        .items.find(({ family }) => family === id);
    const counts = { keys: 412, memoryBytes: 80, withoutTtl: 1 };
    expect(await row('discours.author-id')).toMatchObject({ types: null, drift: [] });
    await writeCensus(
      store(),
      'main',
      census({
        families: {
          'discours.author-id': { ...counts, types: { string: 400, list: 2, zset: 10 } },
          'discours.chats': { ...counts, types: { hash: 412 } },
          'hawk.ts-project': { ...counts, types: { 'TSDB-TYPE': 412 } },
          'hawk.rate-limits': counts,
        },
      }),
    );
    const drift = { family: 'discours.author-id', what: 'type', documented: 'string', of: 412 };
    expect(await row('discours.author-id')).toMatchObject({
      type: 'string',
      types: { string: 400, list: 2, zset: 10 },
      drift: [
        { ...drift, found: 'zset', keys: 10 },
        { ...drift, found: 'list', keys: 2 },
      ],
    });
    expect(await row('discours.chats')).toMatchObject({ type: 'string', types: { hash: 412 }, drift: [] });
    expect(await row('hawk.ts-project')).toMatchObject({ types: { timeseries: 412 }, drift: [] });
    // A count by a version that did not read types.
    expect(await row('hawk.rate-limits')).toMatchObject({ keys: 412, types: null, drift: [] });
    expect(await row('discours.topic-id')).toMatchObject({ keys: 0, types: {}, drift: [] });
  });

  it('have their TTL in words', () => {
    expect(ttlInWords({ seconds: 2_592_000 })).toBe('30 d');
    expect(ttlInWords({ seconds: 300 })).toBe('5 min');
    expect(ttlInWords({ seconds: 90 })).toBe('90 s');
    expect(ttlInWords({ minSeconds: 60, maxSeconds: 3600 })).toBe('1 min – 1 h');
    expect(['persistent', 'none', 'any'].map((ttl) => ttlInWords(ttl as 'any'))).toEqual([
      'never expires',
      'until invalidated',
      '—',
    ]);
  });
});

describe('connections', () => {
  const list = async () => connectionContracts.list.result.parse(await listConnections(context())).items;

  it('have a status, also one that was not used yet', async () => {
    await expect.poll(async () => (await list())[0]?.status).toBe('ready');
    expect((await list())[0]).toMatchObject({
      id: 'main',
      topology: 'standalone',
      statusReason: null,
      scan: { chunk: 100, pauseMs: 1, backedOff: false, currentPauseMs: 1, latencyMs: null },
    });
  });

  it('come in pages, in the order of the configuration', async () => {
    const [[, main]] = [...connections()] as [[string, ConnectionHandle]];
    for (const id of ['zebra', 'a', 'm']) connections().set(id, { ...main, config: { ...main.config, id } });
    const listed = await allPages((page) => listConnections(context(), page), 3);
    expect(listed.map(({ id }) => id)).toEqual(['main', 'zebra', 'a', 'm']);
    for (const id of ['zebra', 'a', 'm']) connections().delete(id);
  });

  it('say why one is unreachable, without its password', async () => {
    await pointAt('REDIS_URL', `redis://:s3cret@127.0.0.1:${await freePort()}`);
    await expect.poll(async () => (await list())[0]?.status).toBe('unreachable');
    expect((await list())[0]?.statusReason).toBe('nothing is listening at its address');
    expect(JSON.stringify(await list())).not.toContain('s3cret');
  });

  it('show a replica, which is read-only as long as it is one', async () => {
    await expect.poll(list).toMatchObject([{ role: 'primary', readOnly: false }]);
    await test.redis.call('REPLICAOF', '127.0.0.1', await freePort());
    try {
      await expect.poll(list).toMatchObject([{ role: 'replica', readOnly: true, status: 'ready' }]);
    } finally {
      await test.redis.call('REPLICAOF', 'NO', 'ONE');
    }
    await expect.poll(list).toMatchObject([{ role: 'primary', readOnly: false }]);
  });

  it('say why one node of a cluster is not used', async () => {
    const node = await startRedis({ args: ['--cluster-enabled', 'yes'] });
    try {
      await pointAt('REDIS_URL', node.url);
      await expect.poll(async () => (await list())[0]?.status).toBe('unreachable');
      expect((await list())[0]?.statusReason).toContain('one node of a Redis Cluster');
    } finally {
      await node.stop();
    }
  });

  it('are tested on demand: a failure is an answer', async () => {
    expect(await testConnection(context())).toMatchObject({
      ok: true,
      supported: true,
      server: { product: expect.stringMatching(/redis|valkey/) },
      features: { works: expect.any(Number), slower: expect.any(Number), no: 0 },
    });
    await pointAt('REDIS_URL');
    const gone = connections().get('main')!;
    expect(await testConnection({ ...context(), connection: gone })).toEqual({
      ok: false,
      reason: expect.stringContaining('nothing is listening'),
      latencyMs: null,
      server: null,
      supported: null,
      features: null,
    });
  });
});

describe('readiness', () => {
  it('is unavailable without the store, and degraded without a Redis', async () => {
    await expect.poll(async () => (await readiness()).status).toBe('ok');
    await pointAt('REDIS_URL');
    await expect.poll(async () => (await readiness()).dependencies[1]?.state).toBe('unreachable');
    expect(await readiness()).toMatchObject({
      status: 'degraded',
      dependencies: [{ name: 'store', state: 'ready' }, { name: 'main' }],
    });
    const pings = async () =>
      /cmdstat_ping:calls=(\d+)/.exec(await store().use((redis) => redis.info('commandstats')))?.[1];
    const before = await pings();
    await Promise.all(Array.from({ length: 20 }, readiness));
    expect(await pings()).toBe(before);
    await pointAt('KEYWARD_STORE_URL');
    expect((await readiness()).status).toBe('unavailable');
    shutdown().abort();
    try {
      expect((await readiness()).status).toBe('stopping');
    } finally {
      shutdown.forget();
    }
  });
});

it.each([
  ['redis+unix:///run/keyward/redis.sock', null],
  ['redis://:pw@127.0.0.1:6379', null],
  ['redis://u:pw@localhost', null],
  ['redis://:pw@[::1]:6379', null],
  ['rediss://:pw@store.example', null],
  ['redis://127.0.0.1:6379', 'no password'],
  ['rediss://store.example', 'no password'],
  ['redis://user@store.example', 'no password'],
  ['redis://:pw@store.example', 'without TLS'],
  ['redis://:pw@10.0.0.1', 'without TLS'],
])('warns of a store with an open door: %s', (url, warning) => {
  if (warning) expect(storeDoor({ storeUrl: url, storeSentinel: null })?.text).toContain(warning);
  else expect(storeDoor({ storeUrl: url, storeSentinel: null })).toBeNull();
});

it('warns of a store that may lose data', async () => {
  const set = (name: string, value: string) => test.storeRedis.config('SET', name, value);
  expect((await storePolicy(store()))?.text).toContain('no append-only file');
  await set('appendonly', 'yes');
  expect(await storePolicy(store())).toBeNull();
  await set('maxmemory-policy', 'allkeys-lru');
  expect(await storePolicy(store())).toBeNull();
  await set('maxmemory', '100mb');
  expect((await storePolicy(store()))?.text).toContain('allkeys-lru');
  for (const [name, value] of [
    ['maxmemory', '0'],
    ['maxmemory-policy', 'noeviction'],
    ['appendonly', 'no'],
  ] as const)
    await set(name, value);
});
