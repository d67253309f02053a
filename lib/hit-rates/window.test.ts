import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openConnection } from '@/lib/redis/connections';
import { readScript } from '@/lib/redis/read-script';
import { newShared } from '@/lib/redis/topology/node';
import { openFencedWindow, readConsoleAddresses } from '@/lib/redis/window';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { exactly } from '@/scripts/testing/round-trip';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { takeWindow } from './take';
import { WindowCounter, type WindowCounts } from './window-counts';

let test: TestContext;
let app: TestContext['redis'];

beforeAll(async () => {
  test = await testContext({ apps: ['discours'], redisArgs: ['--notify-keyspace-events', 'Em'] });
  app = test.redis.duplicate();
});
beforeEach(() => test.empty());
afterAll(async () => {
  app.disconnect();
  await test.close();
});

/** A window around some work, all of which is within it. */
const around = async (work: () => Promise<unknown>, { handle, ctx, redis } = test): Promise<WindowCounts> => {
  const [node] = handle.topology.primaries();
  const count = new WindowCounter(ctx.catalog, 0, await readConsoleAddresses(node!, redis));
  handle.own.missed.add(count.ownMiss);
  const end = new AbortController();
  let calls = 0;
  let failure: unknown = null;
  const measure = async () => {
    calls += 1;
    // Fifteen round trips come before the window.
    if (calls === 16)
      work()
        .catch((error) => (failure = error))
        .finally(() => end.abort());
    return exactly(0.1);
  };
  const options = { ms: 30_000, maxAddedLatencyMs: 1, signal: end.signal, measure };
  try {
    const window = await openFencedWindow(node!, count, options);
    expect(failure).toBeNull();
    return count.finish(window);
  } finally {
    handle.own.missed.delete(count.ownMiss);
  }
};

/** Sends calls in pipelines, and the replies' errors are the caller's to expect. */
const send = async (calls: readonly (readonly (string | number | Buffer)[])[]): Promise<void> => {
  for (let from = 0; from < calls.length; from += 500) {
    const pipeline = app.pipeline();
    for (const [name, ...args] of calls.slice(from, from + 500)) pipeline.call(String(name), ...args);
    await pipeline.exec();
  }
};

const hitsOf = async (redis: TestContext['redis']): Promise<number> =>
  Number(/keyspace_hits:(\d+)/.exec(await redis.info('stats'))?.[1]);

describe('a window', () => {
  it('counts a mixed load exactly', { tags: 'long' }, async () => {
    const rounds = 2000;
    await send(
      Array.from({ length: rounds / 2 }, (_, i) => [
        ['SET', `author:id:${i}`, '{}'],
        ['SET', `topic_shouts_${i}`, '[]'],
        ['HSET', `session:${i}:aa.bb.cc`, 'username', 'x'],
        ['SADD', `user_sessions:${i}`, 'a', 'b'],
        ['ZADD', `zs:${i}`, 1, 'a'],
      ]).flat(),
    );
    await send([
      ['SET', 'topic:id:1', 'x', 'PX', 1],
      ['SET', 'topic:id:2', 'x', 'PX', 1],
    ]);
    await expect.poll(() => app.ttl('topic:id:1')).toBe(-2);
    const script = `redis.call('GET', KEYS[1]); return redis.call('HGET', KEYS[2], 'none')`;
    const calls = Array.from({ length: rounds }, (_, i) => [
      ['GET', `author:id:${i}`],
      ['MGET', `author:id:${i}`, `topic_shouts_${i}`, `author:id:${rounds + i}`],
      ['HGET', `session:${i}:aa.bb.cc`, 'nothing'],
      ['HGETALL', `session:${i}:aa.bb.cc`],
      ['EXISTS', `user_sessions:${i}`, `user_sessions:${i}`],
      ['SMEMBERS', `user_sessions:${i}`],
      ['LRANGE', `user_sessions:${i}`, 0, -1],
      ['ZSCORE', `zs:${i}`, 'b'],
      ['SET', `viewed:${i}`, 'GET'],
      ['TTL', `topic_shouts_${i}`],
      ['EVAL', script, 2, `author:id:${i}`, `session:${i}:aa.bb.cc`],
    ]).flat();
    const counts = await around(async () => {
      await send([
        ['GET', 'topic:id:1'],
        ['MULTI'],
        ['GET', 'topic:id:2'],
        ['TYPE', 'author:id:0'],
        ['EXEC'],
      ]);
      await send(calls);
      await app.multi().get('author:id:1').get('author:id:999999').exec();
    });
    const half = rounds / 2;
    expect(counts.families).toEqual({
      'discours.author-id': { hits: 3 * half + 2, misses: 3 * half + rounds + 1 },
      'discours.topic-shouts': { hits: 2 * half, misses: 2 * half },
      // The hash is there and the field is not: that is a hit.
      'discours.session': { hits: 3 * half, misses: 3 * half },
      'discours.user-sessions': { hits: 4 * half, misses: 4 * half },
      'discours.topic-id': { hits: 0, misses: 2 },
      unclassified: { hits: half, misses: half },
    });
    expect(counts.notAttributed).toEqual({ hits: 0, misses: 0 });
    expect(counts.reasons.map(({ kind, count }) => [kind, count])).toEqual([['script', rounds]]);
  });

  it('reads keys with any bytes as the server does', async () => {
    const hostile = [
      Buffer.from('author:slug:"quo\\"ted\\\\'),
      Buffer.from('author:slug:line\r\nbreak\t\x07\x08'),
      Buffer.concat([Buffer.from('author:slug:'), Buffer.from([0xff, 0x00, 0xc3, 0x28])]),
      Buffer.from('author:slug:] "GET" "x"'),
      Buffer.from('author:slug:ключ'),
    ];
    const keys = hostile.map((key) => test.ctx.catalog.locate(key).family?.id ?? 'unclassified');
    await app.set(hostile[0]!, '1');
    const counts = await around(() => send(hostile.map((key) => ['GET', key])));
    const total = Object.values(counts.families).reduce((all, { hits, misses }) => all + hits + misses, 0);
    expect(total).toBe(5);
    expect(counts.notAttributed).toEqual({ hits: 0, misses: 0 });
    for (const id of new Set(keys)) expect(counts.families[id]).toBeDefined();
    expect(counts.families[keys[0]!]!.hits).toBe(1);
  });

  it('excludes what the console reads, with reasons for the rest', async () => {
    await send([['SET', 'author:id:1', '{}']]);
    const key = (text: string) => Buffer.from(text);
    await test.handle.reader.read(['TYPE', key('author:id:1')]);
    const other = app.duplicate({ db: 3 });
    let scanned = 0;
    const counts = await around(async () => {
      await test.handle.reader.readMany([
        ['PTTL', key('author:id:1')],
        ['PTTL', key('author:id:2')],
        ['HGET', key('session:1:aa.bb.cc'), 'x'],
      ]);
      await send([
        ['GET', 'author:id:1'],
        ['GET', 'author:id:2'],
        ['OBJECT', 'ENCODING', 'author:id:2'],
      ]);
      const before = await hitsOf(app);
      await send([['SCAN', 0, 'TYPE', 'string']]);
      scanned = (await hitsOf(app)) - before;
      await other.get('author:id:1');
    });
    other.disconnect();
    expect(counts.families).toMatchObject({ 'discours.author-id': { hits: 1, misses: 1 } });
    // SCAN … TYPE looked one key up (none on Valkey 8), OBJECT missed without a word, and the other database missed.
    expect(counts.notAttributed).toEqual({ hits: scanned, misses: 2 });
    const kinds = counts.reasons.map(({ kind, hits, misses }) => [kind, hits, misses]);
    expect(kinds).toEqual(
      expect.arrayContaining([
        ['other-database', 0, 1],
        ['scan-type', null, null],
        ['silent-miss', null, null],
        ['unexplained', scanned, 1],
      ]),
    );
  });

  it.skipIf(IS_REDIS_6)(
    'attributes calls of scripts: ours, of functions, read-only, in a transaction',
    async () => {
      await send([
        ['SET', 'author:id:1', '{"id":1}'],
        ['SET', 'topic:id:1', '{"id":1}'],
        [
          'FUNCTION',
          'LOAD',
          "#!lua name=l\nredis.register_function('f', function(k) return redis.call('GET', k[1]) end)",
        ],
      ]);
      const key = Buffer.from('author:id:1');
      const ours = () =>
        readScript(test.handle, 'json-fields', [key, Buffer.from('author:id:2')], [1000, 'id']);
      expect(await ours()).not.toBeNull();
      const get = "return redis.call('GET', KEYS[1])";
      const counts = await around(async () => {
        await ours();
        await send([
          ['FCALL', 'f', 1, 'topic:id:1'],
          ['EVAL_RO', get, 1, 'topic:id:2'],
          ['MULTI'],
          ['EVAL', get, 1, 'topic:id:1'],
          ['EXEC'],
        ]);
        await ours();
      });
      expect(counts.total).toEqual({ hits: 2, misses: 1 });
      // Our own scripts name the keys they missed: nobody else looked into that family.
      expect(counts.families).toEqual({ 'discours.topic-id': { hits: 2, misses: 1 } });
      expect(counts.notAttributed).toEqual({ hits: 0, misses: 0 });
      const kinds = counts.reasons.map(({ kind, count }) => [kind, count]);
      expect(kinds).toEqual([
        ['function', 1],
        ['script', 2],
      ]);
    },
  );

  it.skipIf(IS_REDIS_6)(
    'leaves families out when our own misses are unnamed or their reply is lost',
    { tags: ['long'] },
    async () => {
      await send([['SET', 'author:id:1', '{"id":1}']]);
      const topics = Array.from({ length: 2500 }, (_, i) => Buffer.from(`topic:id:${i}`));
      const ours = () => readScript(test.handle, 'json-fields', topics, [1000, 'id']);
      const theirs = () =>
        send([
          ['GET', 'author:id:1'],
          ['GET', 'topic:id:1'],
          ['GET', 'topic:id:2'],
          ['SMEMBERS', 'user_sessions:1'],
        ]);
      const counts = await around(async () => {
        await ours();
        await theirs();
      });
      // Without misses its hits are certain.
      expect(counts.families).toEqual({ 'discours.author-id': { hits: 1, misses: 0 } });
      expect(counts.total).toEqual({ hits: 1, misses: 3 });
      expect(counts.notAttributed).toEqual({ hits: 0, misses: 3 });
      expect(counts.reasons).toEqual([
        { kind: 'own-script-misses', count: 3, hits: 0, misses: 3, commands: [] },
      ]);
      const lost = await around(async () => {
        await test.handle.own.track(() => Promise.reject(new Error('lost'))).catch(() => undefined);
        await theirs();
      });
      expect(lost.families).toEqual({ 'discours.author-id': { hits: 1, misses: 0 } });
      expect(lost.reasons[0]).toMatchObject({ kind: 'own-script-misses', count: 3 });
    },
  );

  it.skipIf(IS_REDIS_6)(
    'leaves a family out when another process of the console may have missed there',
    async () => {
      await send([
        ['SET', 'author:id:1', '{}'],
        ['SET', 'topic:id:1', '{}'],
      ]);
      const key = (text: string) => Buffer.from(text);
      const another = openConnection(test.handle.config);
      await another.reader.read(['TYPE', key('author:id:1')]);
      const counts = await around(async () => {
        await another.reader.readMany([
          ['TYPE', key('user_sessions:1')],
          ['TYPE', key('topic:id:1')],
          ['TYPE', key('author:id:2')],
        ]);
        // Its other connections come into being only now.
        await readScript(another, 'json-fields', [key('topic_shouts_1')], [1000, 'id'], 'scan');
        await send([
          ['GET', 'topic:id:1'],
          ['GET', 'author:id:1'],
          ['GET', 'author:id:3'],
        ]);
      });
      another.topology.close();
      // Where both looked and somebody missed nobody can say who.
      expect(counts.families).toEqual({ 'discours.topic-id': { hits: 1, misses: 0 } });
      expect(counts.total).toEqual({ hits: 3, misses: 4 });
      expect(counts.notAttributed).toEqual({ hits: 2, misses: 4 });
      expect(counts.reasons).toEqual([{ kind: 'other-console', count: 6, hits: 2, misses: 4, commands: [] }]);
    },
  );

  it('excludes what the console reads over a new connection', async () => {
    const fresh = openConnection(test.handle.config);
    const look = () => readScript(fresh, 'json-fields', [Buffer.from('author:id:1')], [1000, 'id'], 'scan');
    const counts = await around(look, { ...test, handle: fresh });
    fresh.topology.close();
    expect(counts).toMatchObject({ families: {}, total: { hits: 0, misses: 0 }, reasons: [] });
  });

  it('adds up while a load goes on over both fences', { tags: 'long' }, async () => {
    let going = true;
    let rounds = 0;
    const load = (async () => {
      for (let i = 0; going; i++, rounds++)
        await send(
          Array.from({ length: 500 }, (_, j) => [
            ['GET', `author:id:${i * 500 + j}`],
            ['SET', `author:id:${i * 500 + j + 250}`, 'x'],
            ['EVAL', "return redis.call('EXISTS', KEYS[1])", 1, `author:id:${j}`],
          ]).flat(),
        );
    })();
    const counts = await around(() => {
      const before = rounds;
      return vi.waitUntil(() => rounds > before + 12, { timeout: 20_000, interval: 5 });
    });
    going = false;
    await load;
    const author = counts.families['discours.author-id']!;
    expect(author.hits + author.misses).toBeGreaterThan(2000);
    expect(author).toEqual(counts.total);
    expect(counts.notAttributed).toEqual({ hits: 0, misses: 0 });
  });

  it('names the command that the server does not permit', async () => {
    const { handle, ctx } = test;
    const taker = { handle, store: ctx.store, catalog: ctx.catalog, consent: null };
    await test.redis.call('ACL', 'SETUSER', 'default', '-monitor');
    try {
      await expect(takeWindow(taker, { ms: 10 })).rejects.toThrow(
        'The server does not permit a window: its user may not use MONITOR.',
      );
    } finally {
      await test.redis.call('ACL', 'SETUSER', 'default', '+monitor');
    }
  });

  it('includes what the console reads where its connections cannot be distinguished', {
    tags: ['long'],
  }, async () => {
    const socket = join(mkdtempSync(join(tmpdir(), 'keyward-socket-')), 'redis.sock');
    const bySocket = await testContext({
      apps: ['discours'],
      redisArgs: ['--notify-keyspace-events', 'Em', '--unixsocket', socket],
    });
    const handle = openConnection({ ...bySocket.handle.config, url: `redis+unix://${socket}` });
    await handle.reader.read(['TYPE', Buffer.from('author:id:1')]);
    const counts = await around(() => handle.reader.readMany([['TYPE', Buffer.from('author:id:1')]]), {
      ...bySocket,
      handle,
    });
    expect(counts.families).toEqual({ 'discours.author-id': { hits: 0, misses: 1 } });
    expect(counts.notAttributed).toEqual({ hits: 0, misses: 0 });
    expect(counts.reasons).toMatchObject([{ kind: 'own-included', count: 1 }]);
    handle.topology.close();
    await bySocket.close();
  });

  it('subtracts the console’s misses in the right database', async () => {
    const { config, own } = test.handle;
    const beside = openConnection(
      { ...config, url: new URL('/1', config.url!).href },
      { ...newShared(), own },
    );
    const keyOf = (id: number) => Buffer.from(`author:id:${id}`);
    await beside.reader.read(['TYPE', keyOf(0)]);
    await readScript(beside, 'json-fields', [keyOf(0)], [1000, 'id']);
    const counts = await around(async () => {
      await send([1, 2, 3, 4, 5].map((id) => ['GET', keyOf(id)]));
      await beside.reader.readMany([1, 2].map((id) => ['TYPE', keyOf(id)]));
      await readScript(beside, 'json-fields', [keyOf(3)], [1000, 'id']);
    });
    own.nodes.delete(beside.topology.primaries()[0]!);
    beside.topology.close();
    expect(counts.families).toEqual({ 'discours.author-id': { hits: 0, misses: 5 } });
    expect(counts.total).toEqual({ hits: 0, misses: 5 });
    expect(counts.reasons).toEqual([]);
  });

  it('fails when the counters were reset or the server closed the connection', {
    tags: ['long'],
  }, async () => {
    await expect(around(() => test.redis.config('RESETSTAT'))).rejects.toThrow('counters were reset');
    const hangUp = () => test.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await expect(around(hangUp)).rejects.toThrow('closed the connection');
  });

  it('ends early when latency rises', { tags: ['long'] }, async () => {
    let calls = 0;
    const [node] = test.handle.topology.primaries();
    const count = new WindowCounter(test.ctx.catalog, 0, {
      own: new Set(),
      others: new Set(),
      canIdentifyOwn: true,
    });
    const measure = async () => exactly(++calls > 15 ? 1.3 : 0.2);
    const window = await openFencedWindow(node!, count, {
      ms: 60_000,
      maxAddedLatencyMs: 1,
      measure,
    });
    // Five medians of fifteen in a row.
    expect(calls).toBe(15 + 15 + 4);
    expect(window.cutShort).toEqual({ why: 'late', text: expect.stringContaining('1.1 ms') });
    const clients = () => test.redis.call('CLIENT', 'LIST');
    await expect.poll(clients).not.toContain('keyward-window');
  });
});
