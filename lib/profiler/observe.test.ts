import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openConnection } from '@/lib/redis/connections';
import { MonitorLine } from '@/lib/redis/monitor-line';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { problemOf } from '@/scripts/testing/problem-of';
import { exactly } from '@/scripts/testing/round-trip';
import { aclRules } from '@/scripts/testing/this-redis';
import { CallCounts } from './call-counts';
import { Callers } from './callers';
import { costOf } from './cost';
import { observeProfile } from './observe';
import type { Profile, ProfileFilter } from './schema';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg';

let test: TestContext;
let app: TestContext['redis'];

beforeAll(async () => {
  test = await testContext({ apps: ['discours'], redisArgs: ['--slowlog-log-slower-than', '0'] });
  await test.redis.call('ACL', 'SETUSER', 'worker', 'on', 'nopass', '+@all', '~*', '&*');
  app = test.redis.duplicate({ username: 'worker', password: 'any', connectionName: 'worker-1' });
});
beforeEach(() => test.empty());
afterAll(async () => {
  app.disconnect();
  await test.close();
});

const monitors = async (): Promise<string[]> =>
  String(await test.redis.call('CLIENT', 'LIST'))
    .split('\n')
    .filter((line) => / cmd=monitor| flags=[A-Za-z]*O/.test(line));

interface Around {
  filter?: ProfileFilter;
  seconds?: number;
  share?: number;
  handle?: TestContext['handle'];
}

/** A profile around some work, all of which is observed; it ends when the work does. */
const around = async (
  work: () => Promise<unknown>,
  { filter = {}, seconds = 30, share = 0.05, handle = test.handle }: Around = {},
): Promise<Profile> => {
  const end = new AbortController();
  let [calls, failure]: [number, unknown] = [0, null];
  const measure = async () => {
    calls += 1;
    // Fifteen round trips come before it listens.
    if (calls === 16)
      work()
        .catch((error) => (failure = error))
        .finally(() => end.abort());
    return exactly(0.1);
  };
  const options = { seconds, share, filter, signal: end.signal, measure };
  const profile = await observeProfile({ handle, catalog: test.ctx.catalog }, options);
  expect(failure).toBeNull();
  expect(await monitors()).toEqual([]);
  return profile;
};

const times = async (n: number, call: (i: number) => Promise<unknown>): Promise<void> => {
  for (let i = 0; i < n; i++) await call(i);
};

const load = async () => {
  await times(100, (i) => app.get(`author:id:${i % 10}`));
  await times(40, (i) => app.set(`session:${i}:${JWT}`, `hunter2-${i}`));
  await times(20, () => app.mget('author:id:1', 'topic:id:1'));
  await times(10, (i) => app.get(`shop:cart:${i}`));
  await times(5, () => app.ping());
  await app.eval("redis.call('get', KEYS[1]); return redis.call('get', KEYS[1])", 1, 'topic:id:2');
};
/** With the calls inside the script. */
const ALL = 178;

const rowsOf = <Row extends { calls: number }>(rows: readonly Row[] | null, name: keyof Row) =>
  Object.fromEntries((rows ?? []).map((row) => [String(row[name]), row.calls]));

describe('a profile', () => {
  it('counts exactly what it observed, by family, command, client, user and pattern', async () => {
    const profile = await around(load);
    expect(profile).toMatchObject({ calls: ALL, allCalls: ALL, inScripts: 2, ended: { why: 'stopped' } });
    expect(profile.observedShare).toBeGreaterThan(0);
    expect(rowsOf(profile.families, 'family')).toEqual({
      'discours.author-id': 120,
      'discours.session': 40,
      'discours.topic-id': 23,
      unclassified: 10,
      null: 5,
    });
    expect(rowsOf(profile.commands, 'command')).toEqual({ GET: 112, SET: 40, MGET: 20, PING: 5, EVAL: 1 });
    expect(profile.clients).toMatchObject([{ client: 'worker-1', connections: 1, calls: ALL, share: 1 }]);
    expect(profile.users).toMatchObject([{ user: 'worker', calls: ALL }]);
    const patterns = rowsOf(profile.patterns, 'pattern');
    expect(patterns['shop:cart:*']).toBe(10);
    expect(Object.values(patterns).reduce((sum, calls) => sum + calls, 0)).toBe(120 + 40 + 23 + 10);
    const get = profile.commands!.find(({ command }) => command === 'GET')!;
    expect(get.serverCalls).toBeGreaterThanOrEqual(112);
    expect(get.microsPerCall).toBeGreaterThan(0);
    expect(profile.patterns!.every(({ estimatedMicros }) => estimatedMicros! > 0)).toBe(true);
    expect(profile.slow!.length).toBeGreaterThan(0);
    // It was logged completely, and the server keeps 128 slow calls.
    expect(profile.unknown.filter((what) => what !== 'processor')).toEqual(['olderSlow']);
  });

  it('says rates of the observed time', async () => {
    const { calls, observedSeconds, commandsPerSecond } = await around(load);
    expect(commandsPerSecond! * observedSeconds).toBeCloseTo(calls, -1);
  });

  it('shows a sample without any value, and keys as their families show them', async () => {
    const profile = await around(load);
    expect(profile.sample).toHaveLength(ALL);
    const text = JSON.stringify(profile);
    for (const secret of ['hunter2', JWT, JWT.slice(0, 12), JWT.split('.')[2]!])
      expect(text).not.toContain(secret);
    expect(profile.sample[0]).toMatchObject({
      command: 'GET',
      arguments: 'author:id:0',
      client: 'worker-1',
      user: 'worker',
      families: ['discours.author-id'],
    });
    expect(profile.sample.find(({ command }) => command === 'SET')!.arguments).toContain('•••');
  });

  it('bounds the sample', { tags: ['long'] }, async () => {
    const profile = await around(() => times(500, (i) => app.get(`author:id:${i}`)));
    expect([profile.calls, profile.sample.length]).toEqual([500, 200]);
  });

  it.each([
    [{ family: 'discours.topic-id' }, 23],
    [{ family: 'unclassified' }, 10],
    [{ command: 'get' }, 112],
    [{ client: 'WORKER' }, ALL],
    [{ client: 'nobody' }, 0],
    [{ user: 'worker' }, ALL],
    [{ user: 'default' }, 0],
    [{ key: 'shop:' }, 10],
    [{ command: 'GET', key: 'topic' }, 2],
  ] as [ProfileFilter, number][])('counts only what matches %j', async (filter, calls) => {
    const profile = await around(load, { filter });
    expect([profile.calls, profile.allCalls]).toEqual([calls, ALL]);
  });

  it("does not count the console's own calls", async () => {
    const { reader } = test.handle;
    const profile = await around(() => times(10, () => reader.read(['TYPE', Buffer.from('author:id:1')])));
    expect(profile.calls).toBe(0);
    expect(profile.ownCalls).toBeGreaterThanOrEqual(10);
  });

  it('masks hostile names, unknown commands and bytes that are no text', { tags: ['long'] }, async () => {
    const hostile = test.redis.duplicate({ connectionName: `<script>${JWT}` });
    const profile = await around(async () => {
      await hostile.set(Buffer.from([0xff, 0x0a, 0x00]), 'hunter2');
      await hostile.call(JWT, 'hunter2').catch(() => undefined);
      await hostile.set('big', 'x'.repeat(2 ** 21));
    });
    hostile.disconnect();
    const text = JSON.stringify(profile);
    for (const secret of ['hunter2', JWT, JWT.slice(8, 20)]) expect(text).not.toContain(secret);
    // The server does not show an unknown command to MONITOR.
    expect(rowsOf(profile.commands, 'command')).toEqual({ SET: 2 });
    expect(profile.sample.map(({ arguments: args }) => args)).toContain('\\xff\\x0a\\x00 •••');
  });

  it('ends by itself, and pauses where it would cost more than was stated', { tags: 'long' }, async () => {
    const end = new AbortController();
    const busy = (async () => {
      while (!end.signal.aborted) {
        const pipeline = app.pipeline();
        for (let i = 0; i < 50; i++) pipeline.get(`author:id:${i}`);
        await pipeline.exec();
        // A load that fills the machine would cost more before a slow console can close MONITOR.
        await pause(1);
      }
    })();
    const { signal } = new AbortController();
    const options = { seconds: 3, share: 0.02, filter: {}, signal, measure: async () => exactly(0.1) };
    const profile = await observeProfile({ handle: test.handle, catalog: test.ctx.catalog }, options);
    end.abort();
    await busy;
    expect(profile.ended.why).toBe('complete');
    expect(profile.observedShare).toBeLessThan(1);
    expect(profile.cost.estimatedShare).toBeLessThanOrEqual(profile.cost.statedShare);
    expect(profile.cost.exceeded).toBe(false);
    expect(profile.calls).toBeGreaterThan(0);
    expect(await monitors()).toEqual([]);
  });

  it('closes MONITOR at once in a burst, counts what the server wrote in vain, and says that it cost more', {
    tags: ['long'],
  }, async () => {
    const calls = 100_000;
    const script = `for i = 1, ${calls} do redis.call('get', 'author:id:1') end`;
    // Only the cost ends this profile.
    const work = () => app.eval(script, 0).then(() => new Promise(() => undefined));
    const { cost, ended, ...profile } = await around(work, { seconds: 4, share: 0.02 });
    expect(ended.why).toBe('cost');
    expect(cost.exceeded).toBe(true);
    expect(profile.calls).toBeLessThan(calls / 2);
    const ms = cost.estimatedShare! * profile.elapsedSeconds * 1000;
    expect(ms).toBeGreaterThanOrEqual(costOf(calls, 0));
    expect(ms).toBeLessThan(2 * costOf(calls, calls * 100));
  });

  it('does not know what a huge value cost whose rest it did not read', { tags: ['long'] }, async () => {
    const work = () => app.set('big', 'x'.repeat(7 * 2 ** 20)).then(() => new Promise(() => undefined));
    const { cost, ended, unknown } = await around(work, { seconds: 20, share: 0.005 });
    expect([ended.why, cost.estimatedShare, cost.exceeded]).toEqual(['cost', null, true]);
    expect(unknown).toContain('cost');
  });

  it('takes no client for the console because of its name', async () => {
    const claims = test.redis.duplicate({ connectionName: 'keyward-before' });
    await claims.ping();
    const profile = await around(async () => {
      await app.client('SETNAME', 'keyward-x');
      await times(50, () => app.get('author:id:1'));
      await times(50, () => claims.get('author:id:1'));
      await app.client('SETNAME', 'worker-1');
    });
    claims.disconnect();
    expect(profile.commands!.find(({ command }) => command === 'GET')).toMatchObject({ calls: 100 });
    expect(rowsOf(profile.clients, 'client')).toMatchObject({ 'keyward-before': 50 });
  });

  it('shows slow calls that match the filter', async () => {
    // The log tells time in seconds: what the test before this one did in the same second would fill it.
    await test.redis.call('SLOWLOG', 'RESET');
    const { slow, unknown } = await around(() => times(20, (i) => app.set(`topic:id:${i}`, 'x')), {
      filter: { key: 'topic:id:7' },
    });
    expect(slow!.map((call) => call.arguments)).toEqual(['topic:id:7 •••']);
    expect(unknown).not.toContain('olderSlow');
  });

  it('stops when answers take longer', async () => {
    let calls = 0;
    const options = { seconds: 30, share: 0.05, filter: {}, signal: new AbortController().signal };
    const measure = async () => exactly(++calls > 15 ? 400 : 0.1);
    const profile = await observeProfile(
      { handle: test.handle, catalog: test.ctx.catalog },
      { ...options, measure },
    );
    expect(profile.ended).toMatchObject({ why: 'late', text: expect.stringContaining('latency rose') });
    expect(await monitors()).toEqual([]);
  });

  it('says that the server closed the connection, with what it saw until then', async () => {
    const work = async () => {
      await load();
      await expect.poll(monitors).toHaveLength(1);
      const [line] = await monitors();
      await test.redis.client('KILL', 'ID', /id=(\d+)/.exec(line!)![1]!);
      // Only the server ends this profile.
      await new Promise(() => undefined);
    };
    const profile = await around(work);
    expect(profile.ended.why).toBe('closed');
    expect(profile.calls).toBe(ALL);
  });
});

it('closes the connection when it fails', async () => {
  let calls = 0;
  const measure = async () => {
    if (++calls > 16) throw new Error('the test ends it');
    return exactly(0.1);
  };
  const options = { seconds: 30, share: 0.05, filter: {}, signal: new AbortController().signal, measure };
  await expect(observeProfile({ handle: test.handle, catalog: test.ctx.catalog }, options)).rejects.toThrow(
    'the test ends it',
  );
  expect(await monitors()).toEqual([]);
});

it('says what the server does not tell', async () => {
  await test.redis.call(
    'ACL',
    'SETUSER',
    'blind',
    'on',
    '>blind',
    '+@all',
    '-info',
    ...aclRules('-client|list'),
    '-slowlog',
    '-command',
    '~*',
    '&*',
  );
  const url = test.handle.config.url!.replace('//', '//blind:blind@');
  const handle = openConnection({ ...test.handle.config, id: 'blind', url });
  forget('command-tables');
  try {
    const profile = await around(load, { handle });
    expect(profile.unknown).toEqual(['clients', 'durations', 'slowLog', 'processor']);
    expect(profile).toMatchObject({ calls: ALL, cost: { measuredShare: null } });
    expect(profile.users).toMatchObject([{ user: null }]);
    // The shipped table has the commands that the server does not tell.
    expect(profile).toMatchObject({ families: expect.any(Array), commands: expect.any(Array), slow: null });
    const options = { seconds: 1, share: 0.02, signal: new AbortController().signal };
    const filtered = (filter: ProfileFilter) =>
      problemOf(observeProfile({ handle, catalog: test.ctx.catalog }, { ...options, filter }));
    expect((await filtered({ user: 'worker' })).code).toBe('conflict');
  } finally {
    handle.topology.close();
    forget('command-tables');
  }
});

it('knows no family of a call whose keys the server does not tell', () => {
  const none = new Set<string>();
  const spec = { name: 'x.get', arity: -2, flags: none, categories: none, keys: [], subcommands: null };
  const table = new Map([['x.get', { ...spec, opaque: true }]]);
  const countsOf = (filter: ProfileFilter) => {
    const parts = {
      table,
      catalog: test.ctx.catalog,
      callers: new Callers(test.handle, test.handle.topology.primaries()),
    };
    const counts = new CallCounts(parts, filter);
    for (const command of ['x.get', 'y.get'])
      counts.take(
        MonitorLine.read(Buffer.from(`+1.1 [0 10.1.1.1:5] "${command}" "author:id:1"`))!,
        '10.1.1.1:5',
        0,
      );
    return counts;
  };
  const counts = countsOf({});
  expect([counts.families.sorted(), counts.byPattern()]).toEqual([[['unknown', 2]], []]);
  expect(countsOf({ key: 'author' }).calls).toBe(0);
});

it('does not tell its own calls from others over a Unix socket', { tags: ['long'] }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kw-'));
  const path = join(folder, 's');
  const local = await testContext({ redisArgs: ['--unixsocket', path] });
  const handle = openConnection({ ...local.handle.config, id: 'local', url: `redis+unix://${path}` });
  try {
    const profile = await around(() => times(10, () => local.redis.get('a')), { handle });
    expect(profile).toMatchObject({ ownCalls: null, unknown: expect.arrayContaining(['own']) });
    expect(profile.calls).toBeGreaterThanOrEqual(10);
  } finally {
    handle.topology.close();
    await local.close();
    await rm(folder, { recursive: true });
  }
});
