import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { publishLive } from '@/lib/history/points';
import { openStore } from '@/lib/redis/store';
import { startRedis } from '@/scripts/redis-server.mjs';
import { allPages } from '@/scripts/testing/all-pages';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { listCommands, ratesBetween } from './command-stats';
import { listLatency } from './latency';
import { serverContracts } from './schema';
import { getServer } from './server';

const EVERYTHING_BUT = 'limited on >pass ~* &* +@all';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(async () => {
  await test.empty();
  await test.redis.config('SET', 'latency-monitor-threshold', 0);
});
afterAll(() => test.close());

const contracts = serverContracts;
const server = async (ctx = test.ctx) => {
  forget('server');
  return contracts.get.result.parse(await getServer(ctx, {})).sections;
};
const commands = async (raw: object = {}, ctx = test.ctx) => {
  forget('command-stats');
  const { input, result } = contracts.commands;
  return result.parse(await listCommands(ctx, input.parse(raw)));
};
const latency = async (ctx = test.ctx) => {
  forget('latency-events');
  const { input, result } = contracts.latency;
  return result.parse(await listLatency(ctx, input.parse({})));
};

describe('the server as it is', () => {
  it('has process, replication, persistence, memory doctor, counters and settings', async () => {
    await test.redis.call('CONFIG', 'SET', 'slowlog-log-slower-than', '1234');
    await test.redis.set('author:id:1', 'x');
    const { process, replication, persistence, memory, counters, settings } = await server();
    const info = await test.redis.info('server');
    const version = (/valkey_version:(\S+)/.exec(info) ?? /redis_version:(\S+)/.exec(info))?.[1];
    expect(process.figures).toMatchObject({ version, mode: 'standalone', runId: expect.any(String) });
    expect(replication).toMatchObject({ state: 'ok', figures: { role: 'primary', replicas: [] } });
    expect(persistence.figures).toMatchObject({ loading: false, lastSaveStatus: 'ok', aofEnabled: false });
    expect(persistence.figures?.changesSinceSave).toBeGreaterThan(0);
    expect(memory.figures?.doctor).toContain('Sam');
    expect(counters.figures?.rejectedConnections).toBe(0);
    expect(settings).toMatchObject({ state: 'attention', findings: ['latencyMonitorOff', 'noLimit'] });
    expect(settings.figures).toMatchObject({ slowLogMicros: 1234, maxClients: expect.any(Number) });
    expect(settings.figures).toMatchObject({ policy: 'noeviction', readOnly: null });
  });

  it('counts errors by kind, and masks a kind that looks like a token', async () => {
    const token = 'EYJHBGCIOIJIUZI1NIJ9A8B7C6D5E4F3';
    await test.redis.call('LPUSH', 'list', 'x');
    await expect(test.redis.get('list')).rejects.toThrow('WRONGTYPE');
    const script = `return redis.error_reply('${token} failed')`;
    await expect(test.redis.eval(script, 0)).rejects.toThrow();
    const { counters } = await server();
    const kinds = counters.figures!.errors;
    expect(kinds).toContainEqual({ kind: 'WRONGTYPE', count: 1 });
    expect(JSON.stringify(counters)).not.toContain(token);
  });

  it('shows a replica with its lag at the primary, and the lost link at the replica', {
    tags: 'long',
  }, async () => {
    const replica = await startRedis({ args: ['--replicaof', '127.0.0.1', String(test.redis.options.port)] });
    try {
      await vi.waitFor(
        async () => {
          const { replication } = await server();
          expect(replication.figures?.replicas).toMatchObject([
            { address: `127.0.0.1:${replica.port}`, state: 'online', behindBytes: expect.any(Number) },
          ]);
        },
        { timeout: 15_000, interval: 100 },
      );
    } finally {
      await replica.stop();
    }
    await test.redis.call('REPLICAOF', '127.0.0.1', '1');
    const { replication } = await server();
    await test.redis.call('REPLICAOF', 'NO', 'ONE');
    expect(replication).toMatchObject({ state: 'attention', findings: ['linkDown'] });
    expect(replication.figures).toMatchObject({ role: 'replica', primary: { address: '127.0.0.1:1' } });
  });
});

describe('what is unknown', () => {
  it('is only MEMORY DOCTOR at a replica that lost its primary and refuses stale reads', async () => {
    await test.redis.config('SET', 'replica-serve-stale-data', 'no');
    await test.redis.call('REPLICAOF', '127.0.0.1', '1');
    try {
      const { memory, replication } = await server();
      expect(replication.findings).toEqual(['linkDown']);
      expect(memory).toMatchObject({ state: 'unknown', cause: 'noAnswer', figures: { doctor: null } });
      expect(memory.reason).toContain('lost its primary');
      expect(memory.figures?.usedBytes).toBeGreaterThan(0);
    } finally {
      await test.redis.call('REPLICAOF', 'NO', 'ONE');
      await test.redis.config('SET', 'replica-serve-stale-data', 'yes');
    }
  });
});

describe('latency', () => {
  it('lists events with their history once the monitor is on, and the round trips of the sampler', async () => {
    expect(await latency()).toMatchObject({ items: [], thresholdMs: 0, refused: null });
    await test.redis.config('SET', 'latency-monitor-threshold', 1);
    await test.redis.eval('for i = 1, 3e6 do end', 0);
    await publishLive(test.ctx.store, test.handle.config.id, { gap: 'lost', at: Date.now() }, Date.now());
    const { items, thresholdMs, roundTrips } = await latency();
    expect(thresholdMs).toBe(1);
    const [event] = items.filter((each) => each.event === 'command');
    expect(event?.latestMs).toBeGreaterThanOrEqual(1);
    expect(event?.history).toEqual([{ at: event?.at, ms: event?.latestMs }]);
    expect(roundTrips).toMatchObject([{ ms: null }]);
  });

  it('does not know the round trips while the store is unavailable', async () => {
    const store = openStore('redis://127.0.0.1:1');
    try {
      expect(await latency({ ...test.ctx, store })).toMatchObject({ roundTrips: null, thresholdMs: 0 });
    } finally {
      store.close();
    }
  });
});

describe('command statistics', () => {
  beforeEach(() => forget('command-stats', 'command readings'));

  it.skipIf(IS_REDIS_6)('have rates between two readings, with the window, and none before', async () => {
    await test.redis.get('author:id:1');
    const first = await commands({ q: 'get' });
    expect(first).toMatchObject({ windowSeconds: null, callsPerSecond: null });
    expect(first.items.find(({ command }) => command === 'GET')?.callsPerSecond).toBeNull();
    await Promise.all(Array.from({ length: 50 }, () => test.redis.get('author:id:1')));
    const second = await commands({ sort: 'rate' });
    const get = second.items.find(({ command }) => command === 'GET');
    expect(get!.callsPerSecond! * second.windowSeconds!).toBeCloseTo(50, 5);
    expect(second.callsPerSecond).toBeGreaterThanOrEqual(get!.callsPerSecond!);
    expect(get?.percentiles.map(({ percentile }) => percentile)).toEqual([50, 99, 99.9]);
    expect(get?.timeShare).toBeGreaterThan(0);
  });

  it('have no rates after the counters were reset or the server restarted', async () => {
    await Promise.all(Array.from({ length: 9 }, () => test.redis.get('author:id:1')));
    await commands();
    await test.redis.call('CONFIG', 'RESETSTAT');
    await test.redis.get('author:id:1');
    const reset = await commands();
    expect(reset).toMatchObject({ windowSeconds: null });
    expect(reset.items.every(({ callsPerSecond }) => callsPerSecond === null)).toBe(true);
    expect((await commands()).windowSeconds).not.toBeNull();
    await test.restart();
    expect((await commands()).windowSeconds).toBeNull();
  });

  it.skipIf(IS_REDIS_6)(
    'are paged, sorted and filtered by the server; subcommands have their own row',
    async () => {
      await test.redis.call('OBJECT', 'HELP');
      await expect(test.redis.call('LPUSH', 'list')).rejects.toThrow();
      const all = await commands({ sort: 'calls' });
      expect(all.items.map(({ calls }) => calls)).toEqual(
        all.items.map(({ calls }) => calls).sort((a, b) => b - a),
      );
      const { input } = contracts.commands;
      const paged = await allPages((page) => listCommands(test.ctx, input.parse(page)), 3);
      expect(new Set(paged.map(({ command }) => command)).size).toBe(all.total);
      expect((await commands({ q: 'object' })).items.map(({ command }) => command)).toContain('OBJECT HELP');
      const failing = await commands({ failing: true });
      expect(failing.items.find(({ command }) => command === 'LPUSH')?.rejectedCalls).toBe(1);
      expect(failing.items.every(({ rejectedCalls, failedCalls }) => rejectedCalls! + failedCalls! > 0)).toBe(
        true,
      );
    },
  );

  it('are paged within one reading, though counters grow between pages', async () => {
    const { input } = contracts.commands;
    await Promise.all([
      test.redis.get('a'),
      test.redis.set('a', 1),
      test.redis.incr('a'),
      test.redis.del('a'),
    ]);
    const all = await commands({ sort: 'calls', limit: 1000 });
    const seen: string[] = [];
    for (let cursor: string | null = null; seen.length < 9; ) {
      const raw = { sort: 'calls', limit: 3, ...(cursor && { cursor }) };
      const page = await listCommands(test.ctx, input.parse(raw));
      seen.push(...page.items.map(({ command }) => command));
      cursor = page.nextCursor;
      await Promise.all(Array.from({ length: 40 }, () => test.redis.get('a')));
      await commands();
    }
    expect(seen).toEqual(all.items.slice(0, 9).map(({ command }) => command));
  });

  it.each([
    ['a counter fell', { calls: new Map([['get', 4]]) }],
    ['a command vanished', { calls: new Map([['set', 9]]) }],
    ['another process answers', { process: 'other', calls: new Map([['get', 9]]) }],
    ['the first one is too old', { at: 61_001, calls: new Map([['get', 9]]) }],
  ])('have no rate where %s', (_, now) => {
    const before = { at: 1000, process: 'one', calls: new Map([['get', 5]]) };
    expect(ratesBetween(before, { ...before, at: 2000, ...now })).toBeNull();
  });
});

describe.skipIf(IS_REDIS_6)('a user with few permissions', () => {
  let limited: TestContext;
  beforeAll(async () => {
    const rights = `${EVERYTHING_BUT} -latency -config -memory|doctor`;
    limited = await testContext({
      apps: ['discours'],
      user: 'limited:pass',
      redisArgs: ['--maxmemory', '1gb', '--maxmemory-policy', 'volatile-lru', '--user', ...rights.split(' ')],
    });
  });
  afterAll(() => limited.close());

  it('gets what is permitted, and for the rest the reason and the command', async () => {
    const { memory, settings, process } = await server(limited.ctx);
    expect(process.state).not.toBe('unknown');
    expect(memory).toMatchObject({ missing: ['MEMORY DOCTOR'], figures: { doctor: null } });
    for (const section of [memory, settings])
      expect(section).toMatchObject({ state: 'unknown', cause: 'notPermitted' });
    expect(memory.figures?.usedBytes).toBeGreaterThan(0);
    expect(settings.missing).toEqual(['CONFIG GET']);
    expect(settings.figures).toMatchObject({ slowLogMicros: null, latencyMonitorMs: null });
    expect(settings.figures?.maxClients).toBeGreaterThan(0);
    const events = await latency(limited.ctx);
    expect(events.items).toEqual([]);
    expect(events.refused).toMatchObject({ missing: ['LATENCY LATEST'] });
    expect(events).toMatchObject({ thresholdMs: null, missing: ['CONFIG GET'] });
  });

  it('gets no 5xx without INFO', async () => {
    await limited.redis.call('ACL', 'SETUSER', 'limited', '-info');
    const { process, replication, settings } = await server(limited.ctx);
    for (const section of [process, replication])
      expect(section).toMatchObject({ state: 'unknown', figures: null, missing: ['INFO'] });
    expect(process.reason).toMatch(/may not use INFO/);
    expect(settings.missing).toEqual(['CONFIG GET', 'INFO']);
    const refused = { total: null, refused: { missing: ['INFO'] } };
    expect(await commands({}, limited.ctx)).toMatchObject({ items: [], ...refused });
  });
});
