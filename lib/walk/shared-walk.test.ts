import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ConnectionHandle, openConnection } from '@/lib/redis/connections';
import { OwnTraffic } from '@/lib/redis/own-traffic';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { restartDuring } from '@/scripts/testing/restart';
import { readSome } from './by-commands';
import type { Collector, WalkedKeys, Wanted } from './collector';
import { readWalks } from './costs';
import { Refusals } from './facts';
import { joinWalk, type Participant, takePartAlways, walkIfDue } from './shared-walk';

let test: TestContext;
let closing: (() => void)[] = [];
beforeAll(async () => {
  test = await testContext({
    apps: ['discours'],
    scan: { chunk: 10, pauseMs: 0, maxAddedLatencyMs: 1000 },
  });
});
beforeEach(() => test.empty());
afterAll(() => {
  for (const close of closing) close();
  closing = [];
  return test.close();
});

/** The same Redis as a user with other permissions sees it. */
const as = async (...rules: string[]): Promise<ConnectionHandle> => {
  const name = `user${closing.length}`;
  await test.redis.call('ACL', 'SETUSER', name, 'on', '>secret', '~*', '&*', '+@all', ...rules);
  const url = test.handle.config.url!.replace('//', `//${name}:secret@`);
  const handle = openConnection({ ...test.handle.config, url }, new OwnTraffic());
  closing.push(() => handle.topology.close());
  return handle;
};

interface Row {
  type: string;
  ttl: number;
  memory: number | null;
  length: number | null;
  encoding: string | null;
  idle: number | null;
  family: string | null;
}

class Rows implements Collector {
  readonly wants: Wanted;
  readonly rows = new Map<string, Row>();
  /** Keys given, repeated ones too. */
  given = 0;

  constructor(wants: Wanted = {}) {
    this.wants = wants;
  }

  add({ keys, types, ttls, memory, lengths, encodings, idle, found }: WalkedKeys): void {
    this.given += keys.length;
    for (const [i, key] of keys.entries())
      this.rows.set(key.toString(), {
        ...{ type: types[i]!, ttl: ttls[i]!, memory: memory[i]!, length: lengths[i]! },
        ...{ encoding: encodings[i]!, idle: idle[i]!, family: found[i]!.family?.id ?? null },
      });
  }
}

const NEVER = new AbortController().signal;
const ALL: Wanted = { memory: 'all', lengths: 'all', encodings: true, idle: true };

const take = (rows: Rows, more: Partial<Participant> = {}): Participant => ({
  ...{ part: 'analysis', begin: () => rows, signal: NEVER },
  ...more,
});

const walk = async (handle: ConnectionHandle, wants: Wanted, more: Partial<Participant> = {}) => {
  const rows = new Rows(wants);
  const cost = await joinWalk(handle, take(rows, more));
  return { rows: rows.rows, given: rows.given, cost };
};

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
  it('are the same by a script and by commands, and say why', async () => {
    await fillTypes();
    const limited = await as('-eval_ro');
    for (const handle of [test.handle, limited]) {
      const { rows, cost } = await walk(handle, ALL);
      expect(Object.fromEntries(rows)).toMatchObject(truth);
      expect(rows.size).toBe(7);
      for (const [key, row] of rows) {
        expect(row.memory).toBe(await test.redis.memory('USAGE', key));
        expect(row.idle).toBeLessThan(3);
      }
      expect(rows.get('topic:id:1')!.ttl).toBeGreaterThan(990_000);
      expect(cost).toMatchObject({ keys: 7, vanished: 0, parts: ['analysis'], byScript: handle !== limited });
      expect(cost.reason).toBe(handle === limited ? 'its user may not use EVAL_RO' : null);
    }
  });

  it('are read with commands once our user may run scripts no longer', async () => {
    await fillTypes();
    const handle = await as();
    expect((await walk(handle, {})).cost.byScript).toBe(true);
    const user = new URL(handle.config.url!).username;
    await test.redis.call('ACL', 'SETUSER', user, '-eval_ro', '-evalsha_ro');
    await expect(walk(handle, {})).rejects.toMatchObject({ code: 'not_permitted' });
    expect((await walk(handle, {})).cost).toMatchObject({ keys: 7, byScript: false });
  });

  it('are only what somebody wanted', async () => {
    await fillTypes();
    const { rows } = await walk(test.handle, {});
    for (const row of rows.values())
      expect(row).toMatchObject({ memory: null, length: null, encoding: null, idle: null });
  });

  it('are of the first keys of a family and every fiftieth, where some are wanted', async () => {
    await fill(200);
    const { rows } = await walk(test.handle, { memory: 'some', lengths: 'some' });
    const measured = [...rows.values()].filter(({ memory }) => memory !== null);
    expect(measured).toHaveLength(24);
    expect(measured.every(({ length }) => length === 2)).toBe(true);
  });

  it('lack what our user may not read, and the key stays counted', async () => {
    await fillTypes();
    for (const rules of [[], ['-eval_ro']]) {
      const blind = await as('-memory|usage', '-object', 'resetkeys', '~topic:*', ...rules);
      const { rows, cost } = await walk(blind, ALL);
      expect(rows.size).toBe(7);
      expect(rows.get('topic:id:1')).toMatchObject({ type: 'string', length: 300, memory: null, idle: null });
      expect(rows.get('hash')).toMatchObject({ type: '', ttl: Number.NaN, memory: null, length: null });
      expect(cost.reason).toMatch(/may not use/);
    }
  });

  it('have no idle time under an LFU policy, and that is no fault', async () => {
    await fillTypes();
    await test.redis.config('SET', 'maxmemory-policy', 'allkeys-lfu');
    try {
      for (const handle of [test.handle, await as('-eval_ro')]) {
        const { rows, cost } = await walk(handle, { idle: true, encodings: true });
        expect([...rows.values()].map(({ idle }) => idle)).toEqual(Array(7).fill(null));
        expect(rows.get('number')!.encoding).toBe('int');
        expect(cost.reason ?? '').toMatch(handle === test.handle ? /^$/ : /EVAL_RO$/);
      }
    } finally {
      await test.redis.config('SET', 'maxmemory-policy', 'noeviction');
    }
  });

  it('are not taken for unreadable because the server is busy', async () => {
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
    const handle = await as('-eval_ro');
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
    const { rows, cost } = await walk(handle, { memory: 'all' });
    expect(rows.size).toBe(47);
    expect(cost).toMatchObject({ keys: 47, vanished: 3 });
  });

  it('count as our own traffic, to the last look-up', async () => {
    await fillTypes();
    await fill(500);
    for (const handle of [test.handle, await as('-eval_ro')]) {
      await handle.topology.primaries()[0]!.client('scan').ready();
      const counters = async () => {
        const info = await test.redis.info('stats');
        return Number(/keyspace_hits:(\d+)/.exec(info)![1]) + Number(/keyspace_misses:(\d+)/.exec(info)![1]);
      };
      const [before, own] = [await counters(), handle.own.snapshot()];
      await walk(handle, ALL);
      await walk(handle, { memory: 'some', lengths: 'some' });
      const now = handle.own.snapshot();
      expect((await counters()) - before).toBe(now.hits + now.misses - own.hits - own.misses);
    }
  });
});

describe('a walk', () => {
  it('is shared by all who ask at the same time, and by those who ask while one runs', async () => {
    await fill(2000);
    let late: Promise<unknown> | null = null;
    const lateRows = [new Rows(), new Rows()];
    const onShare = async () => {
      late ??= Promise.all(
        lateRows.map((rows) => joinWalk(test.handle, take(rows, { part: 'conventions' }))),
      );
    };
    const [one, two] = await Promise.all([
      walk(test.handle, { memory: 'all' }, { onShare }),
      walk(test.handle, {}, { part: 'entities' }),
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
  });

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
      walk(test.handle, {}),
      joinWalk(test.handle, { part: 'entities', begin: () => failing, signal: NEVER }),
      joinWalk(test.handle, {
        ...take(new Rows(), { part: 'conventions', signal: stop.signal }),
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
    await expect(joinWalk(test.handle, take(rows, { signal: alone.signal, onShare }))).rejects.toThrow(
      'alone',
    );
    expect((await walk(test.handle, {})).given).toBe(2000);
    expect(rows.given).toBeLessThan(2000);
    await expect(walk(test.handle, {}, { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow(
      'before',
    );
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
      ...{ part: 'census', isDue: () => due, begin },
      done: async ({ keys }) => void done.push(keys),
    });
    expect((await walk(test.handle, {})).cost.parts).toEqual(['analysis', 'census']);
    expect(rows.given).toBe(100);
    await walkIfDue(test.handle);
    expect(done).toEqual([100, 100]);
    due = false;
    await walkIfDue(test.handle);
    expect((await walk(test.handle, {})).cost.parts).toEqual(['analysis']);
    due = true;
    end();
    await walkIfDue(test.handle);
    expect(done).toEqual([100, 100]);
  });

  it('resumes at a place, and not on another process of the server', async () => {
    await fill(3000);
    const stop = new AbortController();
    const places: (string | null)[] = [];
    const onPlace = (place: string | null) => {
      places.push(place);
      if (places.length === 3) stop.abort(new Error('paused'));
    };
    const first = new Rows();
    await expect(joinWalk(test.handle, take(first, { signal: stop.signal, onPlace }))).rejects.toThrow(
      'paused',
    );
    const from = places[2]!;
    const { rows, cost } = await walk(test.handle, {}, { from });
    expect(new Set([...first.rows.keys(), ...rows.keys()]).size).toBe(3000);
    expect(cost.keys + first.given).toBeLessThan(3100);
    const due = new Rows();
    const end = takePartAlways(test.handle, {
      ...{ part: 'census', isDue: () => due.given === 0, begin: () => due, done: async () => undefined },
    });
    const resumed = walk(test.handle, {}, { from });
    await walkIfDue(test.handle);
    end();
    expect((await resumed).cost.parts).toEqual(['analysis']);
    expect(due.rows.size).toBe(3000);
    await test.restart();
    await expect(walk(test.handle, {}, { from })).rejects.toMatchObject({ code: 'cursor_expired' });
  });

  it('begins again when the server restarts', async () => {
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
