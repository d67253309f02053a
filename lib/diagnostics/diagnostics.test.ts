import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { maskedAddress } from '@/lib/calls/client-name';
import type { ReadContext } from '@/lib/command/context';
import { writeCensus } from '@/lib/history/census';
import { TtlCounts, writeFamilyTtls } from '@/lib/history/family-ttls';
import { ownClients } from '@/lib/redis/own-clients';
import { HOUR, MINUTE, SECOND } from '@/lib/time';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { problemOf } from '@/scripts/testing/problem-of';
import { aclRules, configure, IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { clientsOf, groupClients, readClients } from './clients';
import { readLatency } from './latency';
import { readMemory } from './memory';
import { diagnoseKey } from './one-key';
import { getDiagnostics } from './reads';
import { type Diagnostics, diagnosticContracts } from './schema';
import { openSource, type Source } from './source';

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg';
const SECRET = 'hunter2-is-the-password';
const SLOW = '10000';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(async () => {
  await test.empty();
  forget('diagnostics', 'hot-keys', 'command-tables');
  await configure(test.redis, { 'latency-monitor-threshold': 0, 'slowlog-log-slower-than': SLOW });
  await configure(test.redis, { maxmemory: 0, 'maxmemory-policy': 'noeviction' });
  await test.redis.slowlog('RESET');
  await test.redis.call('LATENCY', 'RESET');
});
afterAll(() => test.close());

/** As the route answers: by the contract. */
const diagnose = async (ctx: ReadContext = test.ctx): Promise<Diagnostics> =>
  diagnosticContracts.get.result.parse(await getDiagnostics(ctx)).sections;

const keyOf = async (raw: object) => {
  const { input, result } = diagnosticContracts.key;
  return result.parse(await diagnoseKey(test.ctx, input.parse(raw)));
};

const node = () => test.handle.topology.primaries()[0]!;

/** A server that reports this in INFO. */
const sourceOf = (fields: Readonly<Record<string, string | number>>, roundTripMs = 0): Source => ({
  ...openSource(test.ctx),
  info: async () => ({
    nodes: [
      {
        node: node(),
        fields: new Map(Object.entries(fields).map(([name, value]) => [name, String(value)])),
        roundTripMs,
      },
    ],
    missing: [],
  }),
});

describe('memory', () => {
  it('is that of INFO and MEMORY STATS, and says that there is no limit', async () => {
    const { state, findings, figures, missing } = (await diagnose()).memory;
    const [, rss] = /used_memory_rss:(\d+)/.exec(await test.redis.info('memory'))!;
    // The server goes on between the two readings, and returns memory of the test before.
    expect(Math.abs(figures!.rssBytes! / Number(rss) - 1)).toBeLessThan(0.5);
    expect(figures!.fragmentationRatio).toBeGreaterThan(0);
    expect(figures!.fragmentationBytes).not.toBeNull();
    expect(figures!.bytesPerKey).not.toBeNull();
    expect({ state, findings, missing }).toEqual({ state: 'attention', findings: ['noLimit'], missing: [] });
    expect(figures!.maxMemoryBytes).toBe(0);
  });

  it('is unknown, not 0, where the server does not report it', async () => {
    const { figures, findings } = await readMemory(sourceOf({ used_memory: 1000 }));
    expect(figures).toMatchObject({ usedBytes: 1000, peakBytes: null, rssBytes: null, evictedKeys: null });
    expect([figures!.maxMemoryBytes, figures!.policy, findings]).toEqual([null, null, []]);
  });

  it('is near its limit from nine tenths', async () => {
    const used = Number(/used_memory:(\d+)/.exec(await test.redis.info('memory'))![1]);
    await test.redis.config('SET', 'maxmemory', String(Math.round(used * 1.02)));
    const { findings, figures } = (await diagnose()).memory;
    expect(findings).toEqual(['refusesWrites', 'nearLimit']);
    expect(figures!.policy).toBe('noeviction');
  });
});

it('shares one reading among all pages', async () => {
  const before = test.handle.own.commands;
  await diagnose();
  const cost = test.handle.own.commands - before;
  expect(cost).toBeGreaterThan(5);
  await Promise.all(Array.from({ length: 50 }, () => diagnose()));
  expect(test.handle.own.commands - before).toBe(cost);
});

describe('keys and expiry', () => {
  it('are not known before the first count', async () => {
    const { keys, expiry } = await diagnose();
    for (const { state, cause, figures } of [keys, expiry])
      expect({ state, cause, figures }).toEqual({ state: 'unknown', cause: 'notCounted', figures: null });
  });

  it('are those of the last count, without the console’s own', async () => {
    const now = Date.now();
    const memoryBytes = 5000;
    const missing = { of: 10, missing: 3, longer: 0, unexpected: 0 };
    await writeCensus(test.ctx.store, test.handle.config.id, {
      startedAt: now - SECOND,
      finishedAt: now,
      unclassified: 2,
      malformed: 1,
      families: {
        'discours.topic': { keys: 100, memoryBytes, withoutTtl: 100 },
        'discours.session': { keys: 10, memoryBytes: null, withoutTtl: 3, ttls: missing },
        'console.job': { keys: 7, memoryBytes: 1, withoutTtl: 7 },
      },
    });
    const sessions = new TtlCounts();
    for (let i = 0; i < 60; i += 1) sessions.add(30 * SECOND, now);
    for (let i = 0; i < 50; i += 1) sessions.add(20 * HOUR, now);
    sessions.add(-1, now);
    const own = new TtlCounts();
    own.add(MINUTE, now);
    const ttls = [
      ['discours.session', sessions.finish(now)] as const,
      ['console.job', own.finish(now)] as const,
    ];
    await writeFamilyTtls(test.ctx.store, test.handle.config.id, new Map(ttls));
    const { keys, expiry } = await diagnose();
    expect(keys.findings).toEqual(['withoutTtl']);
    expect(keys.figures).toMatchObject({ keys: 113, withoutTtl: 103, unclassified: 2, malformed: 1 });
    expect(keys.figures!.families.map(({ family }) => family)).toEqual([
      'discours.topic',
      'discours.session',
    ]);
    expect(expiry.findings).toEqual(['waves']);
    expect(expiry.figures).toMatchObject({ withTtl: 110, withoutTtl: 1, nextMinute: 60, nextHour: 60 });
    expect(expiry.figures!.nextDay).toBe(110);
    expect(expiry.figures!.waves).toMatchObject([
      { family: 'discours.session', keys: 60, widthSeconds: 10 },
      { family: 'discours.session', keys: 50, widthSeconds: 600 },
    ]);
  });
});

const others = ({ figures }: Diagnostics['slowLog']) => figures!.entries!.filter(({ own }) => !own);

describe('slow log', () => {
  it.skipIf(IS_REDIS_6)(
    'shows neither arguments, nor key names, nor secrets in names of clients',
    async () => {
      await test.redis.call('CLIENT', 'SETNAME', TOKEN);
      await test.redis.config('SET', 'slowlog-log-slower-than', '0');
      await test.redis.set(`session:1:${TOKEN}`, SECRET);
      await test.redis.mget('topic:id:1', 'topic:id:2', 'author:id:1');
      await test.redis.eval('return redis.call("GET", KEYS[1])', 1, `password:${SECRET}`);
      await test.redis.call('CLIENT', 'NO-EVICT', 'OFF');
      await test.redis.config('SET', 'slowlog-log-slower-than', SLOW);
      await test.redis.call('CLIENT', 'SETNAME', '');
      const { slowLog } = await diagnose();
      const answer = JSON.stringify(slowLog);
      for (const secret of [SECRET, TOKEN, 'redis.call', 'topic:id:1']) expect(answer).not.toContain(secret);
      const byCommand = new Map(slowLog.figures!.entries!.map((entry) => [entry.command, entry]));
      expect(byCommand.get('SET')).toMatchObject({ keys: 1, arguments: 2, own: false });
      expect(byCommand.get('SET')!.families[0]!.pattern).toBe('session:{user_id}:{token}');
      expect(byCommand.get('MGET')!.families).toHaveLength(2);
      expect(byCommand.get('CLIENT NO-EVICT')).toBeDefined();
      expect(slowLog.findings).toContain('recent');
      expect(slowLog.figures!.thresholdMicros).toBe(Number(SLOW));
      expect(slowLog.figures!.lastHour).toBe(others(slowLog).length);
      expect(slowLog.figures!.slowestMicros).toBe(
        Math.max(...others(slowLog).map(({ durationMicros }) => durationMicros)),
      );
    },
  );

  it('is off where nothing is logged', async () => {
    await test.redis.config('SET', 'slowlog-log-slower-than', '-1');
    expect((await diagnose()).slowLog.findings).toContain('off');
  });

  it('names an address without its last part', () => {
    expect(maskedAddress('10.1.2.3:5000')).toBe('10.1.2.•••');
    expect(maskedAddress('[2001:db8::7]:5000')).toBe('[2001:db8::•••');
    expect(maskedAddress('/run/redis.sock')).toBe('•••');
  });
});

it('says whether the server monitors its latency, and which spikes it recorded', async () => {
  const off = (await diagnose()).latency;
  expect(off.findings).toContain('monitorOff');
  expect(off.figures).toMatchObject({ thresholdMs: 0, events: [] });
  await test.redis.config('SET', 'latency-monitor-threshold', '10');
  await test.redis.call('DEBUG', 'SLEEP', '0.02').catch(() =>
    // DEBUG is disabled by default.
    test.redis.eval('local n = 0 for i = 1, 9000000 do n = n + i end return n', 0),
  );
  forget('diagnostics', 'hot-keys', 'command-tables');
  const on = (await diagnose()).latency;
  expect(on.findings).toContain('spikes');
  expect(on.findings).not.toContain('monitorOff');
  const spike = on.figures!.events.find(({ event }) => event === 'command')!;
  expect(spike.lastHour).toBeGreaterThanOrEqual(1);
  expect(spike.maxMs).toBeGreaterThanOrEqual(10);
  expect((await test.redis.config('GET', 'latency-monitor-threshold')) as string[]).toContain('10');
});

it('reports a slow round trip', async () => {
  expect((await readLatency(sourceOf({}, 11))).findings).toContain('slowRoundTrip');
  expect((await readLatency(sourceOf({}, 10))).findings).not.toContain('slowRoundTrip');
});

/** The sample may take longer than a page waits for it. */
const sampledKeys = async (): Promise<Diagnostics['hotKeys']> => {
  for (;;) {
    const { hotKeys } = await diagnose();
    if (hotKeys.cause !== 'notSampled') return hotKeys;
    await setTimeout(20);
  }
};

describe('hot keys', () => {
  it('are unknown where the policy counts no use', async () => {
    const { hotKeys } = await diagnose();
    expect([hotKeys.state, hotKeys.cause]).toEqual(['unknown', 'notLfu']);
  });

  it('are the most used of a sample under LFU, with masked names', async () => {
    await configure(test.redis, { 'maxmemory-policy': 'allkeys-lfu', 'lfu-log-factor': 0 });
    for (let i = 0; i < 40; i += 1) await test.redis.set(`topic:id:${i}`, 'x');
    await test.redis.hset(`session:1:${TOKEN}`, 'user_id', '1');
    for (let i = 0; i < 60; i += 1) await test.redis.hget(`session:1:${TOKEN}`, 'user_id');
    for (let i = 0; i < 20; i += 1) await test.redis.get('topic:id:7');
    const hotKeys = await sampledKeys();
    expect(JSON.stringify(hotKeys)).not.toContain(TOKEN);
    expect(hotKeys).toMatchObject({ state: 'ok', cause: null, findings: [] });
    expect([hotKeys.figures!.sampled, hotKeys.figures!.of]).toEqual([41, 41]);
    expect(hotKeys.figures!.keys!.slice(0, 2).map(({ key }) => key)).toEqual(['session:1:•••', 'topic:id:7']);
    expect(hotKeys.figures!.families[0]).toMatchObject({ family: 'discours.session', sampled: 1 });
    expect(hotKeys.figures!.keys![0]!.keyId).toMatch(/^s\./);
    expect((await keyOf({ keyId: hotKeys.figures!.keys![0]!.keyId })).frequency).toBeGreaterThan(20);
    for (let i = 0; i < 300; i += 1) await test.redis.get('topic:id:7');
    forget('diagnostics', 'hot-keys', 'command-tables');
    expect((await sampledKeys()).findings).toEqual(['saturated']);
  });

  it('are of a part of many keys, another one each time, and then never certain', async () => {
    await configure(test.redis, { 'maxmemory-policy': 'allkeys-lfu', 'lfu-log-factor': 100 });
    await test.redis.mset(Array.from({ length: 6000 }, (_, i) => [`topic:id:${i}`, 'x']).flat());
    const at = Date.now();
    await writeCensus(test.ctx.store, test.handle.config.id, {
      startedAt: at,
      finishedAt: at,
      unclassified: 0,
      malformed: 1,
      families: { 'discours.topic': { keys: 5999, memoryBytes: null, withoutTtl: 5999 } },
    });
    const first = await sampledKeys();
    expect(first).toMatchObject({ state: 'unknown', cause: 'onlySample', findings: [] });
    expect([first.figures!.sampled, first.figures!.of]).toEqual([2000, 6000]);
    forget('diagnostics', 'hot-keys', 'command-tables');
    const second = await sampledKeys();
    const idsOf = ({ figures }: typeof first) => figures!.keys!.map(({ keyId }) => keyId);
    expect(idsOf(second)).not.toEqual(idsOf(first));
  });

  it('are looked for among a bounded number of keys where most are the console’s own', {
    tags: ['long'],
  }, async () => {
    await test.redis.config('SET', 'maxmemory-policy', 'allkeys-lfu');
    await test.redis.mset(Array.from({ length: 30_000 }, (_, i) => [`keyward:job:${i}`, 'x']).flat());
    const before = test.handle.own.commands;
    expect(await sampledKeys()).toMatchObject({ state: 'unknown', cause: 'onlySample' });
    // A call for each five hundred keys at most, of twelve thousand.
    expect(test.handle.own.commands - before).toBeLessThan(200);
  });
});

describe('clients', () => {
  it('shows whatever they call themselves as text', async () => {
    await test.redis.call('CLIENT', 'SETNAME', '<script>alert(1)</script>');
    const { figures } = (await diagnose()).clients;
    expect(figures!.byName!.map(({ name }) => name)).toContain('<script>alert(1)</script>');
    expect(figures!.byName!.some(({ own }) => own)).toBe(true);
    expect(figures!.listed).toBe(figures!.connected);
    expect(figures!.maxClients).toBeGreaterThan(0);
    await test.redis.call('CLIENT', 'SETNAME', '');
  });

  it('counts as idle neither subscribers and replicas nor the console', async () => {
    const line = (rest: string) => `id=1 addr=1.2.3.4:5 idle=7200 omem=0 ${rest}`;
    const kinds = ['flags=N sub=0', 'flags=P sub=1', 'flags=S sub=0', 'flags=N sub=0 name=keyward-read'];
    const all = clientsOf(Buffer.from(kinds.map(line).join('\n')), ownClients(node()));
    // A name says nothing: anybody may choose it.
    expect(all.map(({ mayIdle }) => mayIdle)).toEqual([true, false, false, true]);
    const connected = (await diagnose()).clients.figures!;
    expect(connected.idle).toBe(0);
    const { id } = test.handle.topology.primaries()[0]!.client('read').connection()!;
    const own = clientsOf(Buffer.from(`id=${id} addr= idle=7200 flags=N sub=0`), ownClients(node()));
    expect(own).toMatchObject([{ own: true, mayIdle: false }]);
  });

  it('are the console’s own only by their connection, whatever their name', async () => {
    await test.redis.call('CLIENT', 'SETNAME', 'keyward-read');
    const named = (await diagnose()).clients.figures!.byName!.filter(({ name }) => name === 'keyward-read');
    await test.redis.call('CLIENT', 'SETNAME', '');
    expect(named.map(({ own, clients }) => `${own} ${clients}`).sort()).toEqual(['false 1', 'true 1']);
  });

  it('need attention near the limit, and while more are refused', async () => {
    const later = Date.now() + 2 * HOUR;
    const read = (rejected: number, connected = 1, now = later) =>
      readClients({
        ...sourceOf({ connected_clients: connected, maxclients: 100, rejected_connections: rejected }),
        now,
      });
    await read(3, 1, Date.now());
    const first = await read(3, 81);
    expect(first.findings).toEqual(['nearLimit']);
    expect(first.figures!.rejected).toBe(3);
    expect((await read(4)).findings).toEqual(['rejected']);
    // It stays for an hour.
    expect((await read(4)).findings).toEqual(['rejected']);
  });

  it('are not listed where that would take the server long, and unknown where it does not count them', async () => {
    const many = await readClients(sourceOf({ connected_clients: 1001 }));
    expect(many).toMatchObject({ missing: [], figures: { connected: 1001, listed: null, byName: null } });
    const { figures } = await readClients(sourceOf({}));
    expect(figures).toMatchObject({ connected: null, blocked: null, rejected: null });
  });

  it('reads lines it does not know, and no field out of a name', () => {
    const reply = Buffer.from(
      [
        'id=901 addr=1.2.3.4:5 name=worker age=9 idle=7200 flags=b omem=10',
        'id=902 addr=1.2.3.4:6 name=worker idle=5 flags=N omem=2',
        'id=903 name=flags=b,idle=999 idle=1 flags=N omem=0',
        'id=904 na',
        'rubbish\0',
      ].join('\n'),
    );
    expect(groupClients(clientsOf(reply, ownClients(node())))).toEqual([
      { name: 'worker', clients: 2, blocked: 1, idleSeconds: 7200, outputBytes: 12, own: false },
      { name: 'flags=b,idle=999', clients: 1, blocked: 0, idleSeconds: 1, outputBytes: 0, own: false },
      { name: null, clients: 1, blocked: 0, idleSeconds: expect.closeTo(0, -1), outputBytes: 0, own: false },
    ]);
  });
});

it('shows viewers counts, without entries and names', async () => {
  await test.redis.config('SET', 'maxmemory-policy', 'allkeys-lfu');
  await test.redis.set('topic:id:1', 'x');
  const full = await diagnose();
  const seen = await diagnose(test.as({ actor: testActor('viewer') }));
  expect(full.slowLog.figures!.entries).toEqual(expect.any(Array));
  expect([full.clients.figures!.byName, full.hotKeys.figures!.keys].map(Boolean)).toEqual([true, true]);
  expect(seen.slowLog.figures!.entries).toBeNull();
  expect(seen.hotKeys.figures!.keys).toBeNull();
  expect(seen.clients.figures!.byName).toBeNull();
  expect(seen.clients.figures!.connected).toBe(full.clients.figures!.connected);
});

describe('one key', () => {
  it('is measured exactly while it is small, else by a sample', async () => {
    await test.redis.hset(
      'topic:small',
      Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [i, 'x'])),
    );
    await test.redis.expire('topic:small', 60);
    await test.redis.rpush('large', ...Array.from({ length: 5001 }, (_, i) => `${i}`));
    const small = await keyOf({ name: 'topic:small' });
    const bytes = await test.redis.call('MEMORY', 'USAGE', 'topic:small', 'SAMPLES', '0');
    expect(small).toMatchObject({ type: 'hash', encoding: 'hashtable', length: 5000, exact: true });
    expect(small).toMatchObject({ memoryBytes: bytes, frequency: null });
    // Whole seconds pass at any moment.
    expect([59, 60]).toContain(small.ttlSeconds);
    expect([0, 1]).toContain(small.idleSeconds);
    expect(await keyOf({ name: 'large' })).toMatchObject({ type: 'list', exact: false, ttlSeconds: null });
    expect((await keyOf({ keyId: small.keyId })).memoryBytes).toBe(bytes);
  });

  it.each([
    ['a pattern', { name: 'topic:*' }, 'bad_input'],
    ['neither', {}, 'bad_input'],
    ['both', { name: 'a', keyId: 'YQ' }, 'bad_input'],
    ['a key that does not exist', { name: 'topic:id:404' }, 'not_found'],
    ['a secret by its name', { name: `session:1:${TOKEN}` }, 'bad_input'],
    [
      'a secret that exists by its plain id',
      { keyId: Buffer.from(`session:2:${TOKEN}`).toString('base64url') },
      'bad_input',
    ],
  ])('refuses %s', async (_, raw, code) => {
    await test.redis.set(`session:2:${TOKEN}`, 'x');
    const problem = await problemOf(keyOf(raw));
    expect(problem.code).toBe(code);
    expect(problem.message).not.toContain(TOKEN);
  });
});

describe('a user with few permissions', () => {
  let limited: TestContext;
  beforeAll(async () => {
    const rights =
      'limited on >pass ~* &* +@all -slowlog -latency -client|list -config -memory|stats -object|idletime -object|freq';
    limited = await testContext({
      apps: ['discours'],
      user: 'limited:pass',
      redisArgs: ['--user', ...rights.split(' ')],
    });
  });
  afterAll(() => limited.close());

  it('gets each section it may read, and for the others the reason', async () => {
    const { memory, slowLog, latency, clients } = await diagnose(limited.ctx);
    expect(memory).toMatchObject({ state: 'attention', missing: ['MEMORY STATS'] });
    expect(memory.figures!.clientBytes).toBeNull();
    expect(memory.figures!.usedBytes).toBeGreaterThan(0);
    expect(slowLog).toMatchObject({ state: 'unknown', cause: 'notPermitted', figures: null });
    expect(slowLog.reason).toMatch(/may not use SLOWLOG/);
    expect(latency).toMatchObject({ state: 'unknown', missing: ['LATENCY LATEST'] });
    expect(clients).toMatchObject({ state: 'ok', missing: ['CLIENT LIST'] });
    expect(clients.figures).toMatchObject({ byName: null, idleLongestSeconds: null });
  });

  it('measures a key without the permission for its idle time', async () => {
    await limited.redis.set('topic:id:1', 'x');
    const found = await diagnoseKey(limited.ctx, { name: 'topic:id:1' });
    expect(found).toMatchObject({ idleSeconds: null, frequency: null, memoryBytes: expect.any(Number) });
    expect(found.encoding).toBe('embstr');
    await limited.redis.call('ACL', 'SETUSER', 'limited', ...aclRules('-memory|usage', '-object'));
    const less = await diagnoseKey(limited.ctx, { name: 'topic:id:1' });
    expect(less).toMatchObject({ type: 'string', memoryBytes: null, encoding: null });
  });
});
