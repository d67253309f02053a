import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseInfo } from '@/lib/redis/info';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { restartDuring } from '@/scripts/testing/restart';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { OtherUsers, Rows, takingPart, walkFor } from '@/scripts/testing/walking';
import { readSome } from './by-commands';
import type { Collector, Wanted } from './collector';
import { readWalks } from './costs';
import { Refusals } from './facts';
import { joinWalk, takePartAlways, walkIfDue } from './shared-walk';

let test: TestContext;
let users: OtherUsers;
beforeAll(async () => {
  test = await testContext({
    apps: ['discours'],
    scan: { chunk: 10, pauseMs: 0, maxAddedLatencyMs: 1000 },
  });
  users = new OtherUsers(test);
});
beforeEach(() => test.empty());
afterAll(() => {
  users.close();
  return test.close();
});

const NEVER = new AbortController().signal;
const ALL: Wanted = { memory: 'all', lengths: 'all', encodings: 'all', idle: 'all' };

const fill = async (keys: number): Promise<void> => {
  const pipeline = test.redis.pipeline();
  for (let i = 0; i < keys; i++) pipeline.set(`topic:id:${i}`, '{}');
  await pipeline.exec();
};

const fillTypes = async (): Promise<void> => {
  const { redis } = test;
  await redis.set('topic:id:1', 'x'.repeat(300), 'EX', 1000);
  await redis.set('number', '12');
  await redis.rpush('list', 'a', 'b');
  await redis.sadd('set', '1', '2', '3');
  await redis.zadd('zset', 1, 'a');
  await redis.hset('hash', 'a', '1', 'b', '2');
  await redis.xadd('stream', '*', 'a', '1');
};

const truth = {
  'topic:id:1': { type: 'string', length: 300, encoding: 'raw', family: 'discours.topic-id' },
  number: { type: 'string', length: 2, encoding: 'int', ttl: -1, family: null },
  list: { type: 'list', length: 2 },
  set: { type: 'set', length: 3, encoding: 'intset' },
  zset: { type: 'zset', length: 1 },
  hash: { type: 'hash', length: 2 },
  stream: { type: 'stream', length: 1, encoding: 'stream' },
};

describe('the facts of a walk', () => {
  it.skipIf(IS_REDIS_6)('are the same by a script and by commands, and say why', async () => {
    await fillTypes();
    const limited = await users.with('-eval_ro');
    for (const handle of [test.handle, limited]) {
      const { rows, cost } = await walkFor(handle, ALL);
      expect(Object.fromEntries(rows)).toMatchObject(truth);
      expect(rows.size).toBe(7);
      for (const [key, row] of rows) {
        expect(row.memory).toBe(await test.redis.memory('USAGE', key));
        // That of a small integer is of no key: it is the server's age, and since Redis 7.2 days.
        if (key !== 'number') expect(row.idle).toBeLessThan(3);
      }
      expect(rows.get('topic:id:1')!.ttl).toBeGreaterThan(990_000);
      expect(cost).toMatchObject({ keys: 7, vanished: 0, parts: ['analysis'], byScript: handle !== limited });
      expect(cost.reason).toBe(handle === limited ? 'its user may not use EVAL_RO' : null);
    }
  });

  it.skipIf(IS_REDIS_6)(
    'are read with commands from where our user may run scripts no longer',
    { tags: 'long' },
    async () => {
      await fill(5000);
      const handle = await users.with();
      const user = new URL(handle.config.url!).username;
      expect((await walkFor(handle, {})).cost.byScript).toBe(true);
      const onShare = async () => {
        await test.redis.call('ACL', 'SETUSER', user, '-eval_ro', '-evalsha_ro');
      };
      const { rows, cost } = await walkFor(handle, {}, { onShare });
      expect(rows.size).toBe(5000);
      expect(cost).toMatchObject({ byScript: false, reason: 'its user may not use EVALSHA_RO' });
      expect((await walkFor(handle, {})).cost).toMatchObject({ keys: 5000, byScript: false });
    },
  );

  it.skipIf(IS_REDIS_6).each(['-eval_ro', '-evalsha_ro'])(
    'are read with commands by a user with %s',
    async (rule) => {
      await fillTypes();
      const { cost } = await walkFor(await users.with(rule, '-object'), ALL);
      expect(cost).toMatchObject({ keys: 7, byScript: false });
      expect(cost.reason).toBe(
        `its user may not use ${rule.slice(1).toUpperCase()}. Some facts are missing: its user may not use OBJECT|IDLETIME.`,
      );
    },
  );

  it('are only what somebody wanted', async () => {
    await fillTypes();
    const { rows } = await walkFor(test.handle, {});
    for (const row of rows.values())
      expect(row).toMatchObject({ memory: null, length: null, encoding: null, idle: null });
  });

  it('are of the first keys of a family and every fiftieth, where some are wanted', async () => {
    await fill(200);
    const { rows } = await walkFor(test.handle, { memory: 'some', lengths: 'some' });
    const measured = [...rows.values()].filter(({ memory }) => memory !== null);
    expect(measured).toHaveLength(24);
    expect(measured.every(({ length }) => length === 2)).toBe(true);
  });

  it('lack what our user may not read, and the key stays counted', async () => {
    await fillTypes();
    for (const more of [[], ['-eval_ro']]) {
      const blind = await users.with('-memory|usage', '-object', 'resetkeys', '~topic:*', ...more);
      const { rows, cost } = await walkFor(blind, ALL);
      expect(rows.size).toBe(7);
      expect(rows.get('topic:id:1')).toMatchObject({ type: 'string', length: 300, memory: null, idle: null });
      expect(rows.get('hash')).toMatchObject({ type: '', ttl: Number.NaN, memory: null, length: null });
      expect(cost.reason).toMatch(/may not use/);
    }
  });

  it.skipIf(IS_REDIS_6)('have no idle time under an LFU policy, and that is no fault', async () => {
    await fillTypes();
    await test.redis.config('SET', 'maxmemory-policy', 'allkeys-lfu');
    try {
      for (const handle of [test.handle, await users.with('-eval_ro')]) {
        const { rows, cost } = await walkFor(handle, { idle: 'all', encodings: 'all' });
        expect([...rows.values()].map(({ idle }) => idle)).toEqual(Array(7).fill(null));
        expect(rows.get('number')!.encoding).toBe('int');
        expect(cost.reason ?? '').toMatch(handle === test.handle ? /^$/ : /EVAL_RO$/);
      }
    } finally {
      await test.redis.config('SET', 'maxmemory-policy', 'noeviction');
    }
  });

  it.skipIf(IS_REDIS_6)('are not taken for unreadable because the server is busy', async () => {
    await fill(1);
    const facts = { keys: [Buffer.from('topic:id:0')], types: ['string'], memory: [null], lengths: [null] };
    const look = () => readSome(test.handle, new Refusals(), facts, { memory: [0], lengths: [0] });
    await look();
    const [, threshold] = (await test.redis.config('GET', 'busy-reply-threshold')) as string[];
    await test.redis.config('SET', 'busy-reply-threshold', '10');
    const other = test.redis.duplicate();
    try {
      const endless = other.eval('while true do end', 0).catch(() => 'killed');
      while (await test.redis.ping().catch(() => null));
      const looked = look().catch((error: unknown) => error);
      await looked;
      await test.redis.script('KILL');
      expect(await endless).toBe('killed');
      expect(await looked).toMatchObject({ code: 'busy' });
    } finally {
      await test.redis.config('SET', 'busy-reply-threshold', threshold!);
      other.disconnect();
    }
  });

  it('are not returned of keys that vanish meanwhile, which are counted', async () => {
    await fill(50);
    const handle = await users.with('-eval_ro');
    await handle.topology.primaries()[0]!.client('scan').ready();
    const { redis } = handle.topology.primaries()[0]!.client('scan');
    const original = redis.callBuffer.bind(redis) as (...call: unknown[]) => Promise<unknown>;
    let first = true;
    redis.callBuffer = (async (...call: unknown[]) => {
      const reply = await original(...call);
      if (call[0] === 'SCAN' && first) {
        first = false;
        await test.redis.del(...(reply as [Buffer, Buffer[]])[1].slice(0, 3));
      }
      return reply;
    }) as typeof redis.callBuffer;
    const { rows, cost } = await walkFor(handle, { memory: 'all' });
    expect(rows.size).toBe(47);
    expect(cost).toMatchObject({ keys: 47, vanished: 3 });
  });

  it('count as our own traffic, to the last look-up and command', { tags: ['long'] }, async () => {
    await fillTypes();
    await fill(500);
    for (const handle of [test.handle, await users.with('-eval_ro')]) {
      await walkFor(handle, ALL);
      const counters = async () => {
        const info = parseInfo(await test.redis.info('stats'));
        const [hits, misses] = [Number(info.get('keyspace_hits')), Number(info.get('keyspace_misses'))];
        return { lookups: hits + misses, commands: Number(info.get('total_commands_processed')) };
      };
      const [before, own] = [await counters(), handle.own.snapshot()];
      await walkFor(handle, ALL);
      await walkFor(handle, { memory: 'some', lengths: 'some' });
      await walkFor(handle, { memory: 'exact' });
      const [now, after] = [handle.own.snapshot(), await counters()];
      expect(after.lookups - before.lookups).toBe(now.hits + now.misses - own.hits - own.misses);
      // INFO counts itself once it is over.
      expect(after.commands - before.commands - 1).toBe(now.commands - own.commands);
    }
  });
});

describe('a walk', () => {
  it.skipIf(IS_REDIS_6)(
    'is shared by all who ask at the same time, and by those who ask while one runs',
    { tags: ['long'] },
    async () => {
      await fill(2000);
      let late: Promise<unknown> | null = null;
      const lateRows = [new Rows(), new Rows()];
      const onShare = async () => {
        late ??= Promise.all(
          lateRows.map((rows) => joinWalk(test.handle, takingPart(rows, { part: 'conventions' }))),
        );
      };
      const [one, two] = await Promise.all([
        walkFor(test.handle, { memory: 'all' }, { onShare }),
        walkFor(test.handle, {}, { part: 'entities' }),
      ]);
      expect(one.cost).toEqual(two.cost);
      expect(one.cost).toMatchObject({ keys: 2000, parts: ['analysis', 'entities'], byScript: true });
      expect(one.cost.calls).toBeGreaterThan(5);
      expect(one.cost.serverMs).toBeGreaterThan(0);
      expect((await readWalks(test.ctx)).last).toMatchObject({ parts: ['analysis', 'entities'] });
      const [third, fourth] = (await late)! as object[];
      expect(third).toBe(fourth);
      expect(third).toMatchObject({ parts: ['conventions'] });
      expect(lateRows.map(({ rows }) => rows.size)).toEqual([2000, 2000]);
      expect(await readWalks(test.ctx)).toMatchObject({ last: { parts: ['conventions'] }, running: null });
    },
  );

  it('goes on without those who fail or abort, and ends when nobody is left', async () => {
    await fill(2000);
    const stop = new AbortController();
    const failing: Collector = {
      wants: {},
      add: () => {
        throw new Error('mine');
      },
    };
    const results = await Promise.allSettled([
      walkFor(test.handle, {}),
      joinWalk(test.handle, { part: 'entities', begin: () => failing, signal: NEVER }),
      joinWalk(test.handle, {
        ...takingPart(new Rows(), { part: 'conventions', signal: stop.signal }),
        onShare: async () => stop.abort(new Error('enough')),
      }),
    ]);
    expect(results).toMatchObject([
      { value: { given: 2000, cost: { parts: ['analysis'] } } },
      { reason: new Error('mine') },
      { reason: new Error('enough') },
    ]);
    const alone = new AbortController();
    const rows = new Rows();
    const onShare = async () => alone.abort(new Error('alone'));
    await expect(joinWalk(test.handle, takingPart(rows, { signal: alone.signal, onShare }))).rejects.toThrow(
      'alone',
    );
    expect((await walkFor(test.handle, {})).given).toBe(2000);
    expect(rows.given).toBeLessThan(2000);
    await expect(
      walkFor(test.handle, {}, { signal: AbortSignal.abort(new Error('before')) }),
    ).rejects.toThrow('before');
  });

  it('takes along what is always due, and is started for it', async () => {
    await fill(100);
    let due = true;
    let rows = new Rows();
    const done: number[] = [];
    const begin = () => {
      rows = new Rows();
      return rows;
    };
    const end = takePartAlways(test.handle, {
      part: 'census',
      isDue: () => due,
      begin,
      done: async ({ keys }) => void done.push(keys),
    });
    expect((await walkFor(test.handle, {})).cost.parts).toEqual(['analysis', 'census']);
    expect(rows.given).toBe(100);
    await walkIfDue(test.handle);
    expect(done).toEqual([100, 100]);
    due = false;
    await walkIfDue(test.handle);
    expect((await walkFor(test.handle, {})).cost.parts).toEqual(['analysis']);
    due = true;
    end();
    await walkIfDue(test.handle);
    expect(done).toEqual([100, 100]);
  });

  it('resumes at a place, and not on another process of the server', { tags: ['long'] }, async () => {
    await fill(3000);
    const stop = new AbortController();
    const places: (string | null)[] = [];
    const onPlace = (place: string | null) => {
      places.push(place);
      if (places.length === 3) stop.abort(new Error('paused'));
    };
    const first = new Rows();
    await expect(joinWalk(test.handle, takingPart(first, { signal: stop.signal, onPlace }))).rejects.toThrow(
      'paused',
    );
    const from = places[2]!;
    const { rows, cost } = await walkFor(test.handle, {}, { from });
    expect(new Set([...first.rows.keys(), ...rows.keys()]).size).toBe(3000);
    expect(cost.keys + first.given).toBeLessThan(3100);
    const due = new Rows();
    const end = takePartAlways(test.handle, {
      part: 'census',
      isDue: () => due.given === 0,
      begin: () => due,
      done: async () => undefined,
    });
    const resumed = walkFor(test.handle, {}, { from });
    await walkIfDue(test.handle);
    end();
    expect((await resumed).cost.parts).toEqual(['analysis']);
    expect(due.rows.size).toBe(3000);
    await test.restart();
    await expect(walkFor(test.handle, {}, { from })).rejects.toMatchObject({ code: 'cursor_expired' });
  });

  it('never takes along one that comes to resume while parts are asked whether they are due', {
    tags: ['long'],
  }, async () => {
    await fill(3000);
    const stop = new AbortController();
    const places: (string | null)[] = [];
    const onPlace = (place: string | null) => {
      places.push(place);
      stop.abort(new Error('paused'));
    };
    const first = new Rows();
    await expect(joinWalk(test.handle, takingPart(first, { signal: stop.signal, onPlace }))).rejects.toThrow(
      'paused',
    );
    const due = new Rows();
    const resumed: ReturnType<typeof walkFor>[] = [];
    const end = takePartAlways(test.handle, {
      part: 'census',
      begin: () => due,
      done: async () => undefined,
      isDue: async () => {
        if (resumed.length === 0) resumed.push(walkFor(test.handle, {}, { from: places[0]! }));
        return true;
      },
    });
    await walkIfDue(test.handle);
    end();
    expect(due.rows.size).toBe(3000);
    const { cost, given } = await resumed[0]!;
    expect(cost.parts).toEqual(['analysis']);
    expect(given).toBeLessThan(3000);
  });

  it('begins again when the server restarts', { tags: ['long'] }, async () => {
    await fill(3000);
    const { restarts } = restartDuring(test, 3);
    const begun: Rows[] = [];
    const begin = () => {
      begun.push(new Rows());
      return begun.at(-1)!;
    };
    const { keys } = await joinWalk(test.handle, { part: 'analysis', begin, signal: NEVER });
    expect(restarts()).toBe(1);
    expect(begun).toHaveLength(2);
    expect([keys, begun[1]!.rows.size]).toEqual([3000, 3000]);
  });
});
