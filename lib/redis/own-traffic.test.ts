import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Problem } from '@/lib/errors';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { IS_REDIS_6, WITH_DEBUG } from '@/scripts/testing/this-redis';
import type { ReadCommand } from './commands';
import { parseInfo } from './info';
import { readScript } from './read-script';
import { scanByScript, scanKeys } from './scan';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ redisArgs: WITH_DEBUG });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const serverCounts = async () => {
  const fields = parseInfo(await test.redis.info('stats'));
  return { hits: Number(fields.get('keyspace_hits')), misses: Number(fields.get('keyspace_misses')) };
};

const ownCounts = () => {
  const { hits, misses } = test.handle.own.snapshot();
  return { hits, misses };
};

const difference = (a: { hits: number; misses: number }, b: { hits: number; misses: number }) => ({
  hits: b.hits - a.hits,
  misses: b.misses - a.misses,
});

/** What the server counted while `work` ran on it alone, and what we counted ourselves. */
const countedDuring = async (work: () => Promise<unknown>) => {
  const [server, own] = [await serverCounts(), ownCounts()];
  await work();
  return { server: difference(server, await serverCounts()), own: difference(own, ownCounts()) };
};

const key = (name: string) => Buffer.from(name);

/** One key of every type, and the states a read can meet. */
const fill = async () => {
  await test.redis.set('string', 'value');
  await test.redis.set('empty', '');
  await test.redis.hset('hash', { field: 'value', empty: '' });
  await test.redis.sadd('set', 'member');
  await test.redis.zadd('zset', 1, 'member');
  await test.redis.rpush('list', 'element');
  await test.redis.xadd('stream', '*', 'f', 'v');
  await test.redis.xgroup('CREATE', 'stream', 'group', '0').catch(() => undefined);
  // Left for the first read to expire, which counts as a miss: nobody else may notice it before.
  await test.redis.debug('SET-ACTIVE-EXPIRE', '0');
  await test.redis.set('expired', 'value', 'PX', 1);
  const written = await serverTime();
  while ((await serverTime()) - written < 3) await test.redis.ping();
};

const serverTime = async (): Promise<number> => {
  const [seconds, micros] = await test.redis.time();
  return Number(seconds) * 1000 + Number(micros) / 1000;
};

const COMMANDS: Record<ReadCommand[0], (at: Buffer) => readonly ReadCommand[]> = {
  TYPE: (at) => [['TYPE', at]],
  PTTL: (at) => [['PTTL', at]],
  PEXPIRETIME: (at) => [['PEXPIRETIME', at]],
  HPTTL: (at) => [
    ['HPTTL', at, 'FIELDS', 1, 'none'],
    ['HPTTL', at, 'FIELDS', 2, 'none', 'field'],
  ],
  EXISTS: (at) => [['EXISTS', at]],
  DUMP: (at) => [['DUMP', at]],
  STRLEN: (at) => [['STRLEN', at]],
  GETRANGE: (at) => [
    ['GETRANGE', at, 0, 10],
    ['GETRANGE', at, 100, 200],
  ],
  HLEN: (at) => [['HLEN', at]],
  HSTRLEN: (at) => [
    ['HSTRLEN', at, 'field'],
    ['HSTRLEN', at, 'empty'],
    ['HSTRLEN', at, 'none'],
  ],
  HGET: (at) => [
    ['HGET', at, 'field'],
    ['HGET', at, 'empty'],
    ['HGET', at, 'none'],
  ],
  HMGET: (at) => [
    ['HMGET', at, 'field', 'none'],
    ['HMGET', at, 'none', 'neither'],
  ],
  SCARD: (at) => [['SCARD', at]],
  SISMEMBER: (at) => [
    ['SISMEMBER', at, 'member'],
    ['SISMEMBER', at, 'none'],
  ],
  SMISMEMBER: (at) => [
    ['SMISMEMBER', at, 'none', 'member'],
    ['SMISMEMBER', at, 'none', 'neither'],
  ],
  ZCARD: (at) => [['ZCARD', at]],
  ZSCORE: (at) => [
    ['ZSCORE', at, 'member'],
    ['ZSCORE', at, 'none'],
  ],
  LPOS: (at) => [
    ['LPOS', at, 'element', 'MAXLEN', 10],
    ['LPOS', at, 'none', 'MAXLEN', 10],
  ],
  ZCOUNT: (at) => [
    ['ZCOUNT', at, '-inf', '+inf'],
    ['ZCOUNT', at, '(5', '+inf'],
  ],
  ZRANK: (at) => [
    ['ZRANK', at, 'member'],
    ['ZRANK', at, 'none'],
  ],
  ZREVRANK: (at) => [
    ['ZREVRANK', at, 'member'],
    ['ZREVRANK', at, 'none'],
  ],
  LLEN: (at) => [['LLEN', at]],
  XLEN: (at) => [['XLEN', at]],
  XRANGE: (at) => [
    ['XRANGE', at, '-', '+', 'COUNT', 10],
    ['XRANGE', at, '1-1', '1-1', 'COUNT', 10],
  ],
  XREVRANGE: (at) => [
    ['XREVRANGE', at, '+', '-', 'COUNT', 10],
    ['XREVRANGE', at, '1-1', '1-1', 'COUNT', 10],
  ],
  VCARD: (at) => [['VCARD', at]],
  VINFO: (at) => [['VINFO', at]],
  VRANDMEMBER: (at) => [['VRANDMEMBER', at, 10]],
  VGETATTR: (at) => [['VGETATTR', at, key('element')]],
  VEMB: (at) => [['VEMB', at, key('element')]],
  'XINFO GROUPS': (at) => [['XINFO GROUPS', at]],
  'XINFO CONSUMERS': (at) => [
    ['XINFO CONSUMERS', at, key('group')],
    ['XINFO CONSUMERS', at, key('none')],
  ],
  XPENDING: (at) => [
    ['XPENDING', at, key('group'), '-', '+', 1],
    ['XPENDING', at, key('none'), '-', '+', 1],
  ],
  BITCOUNT: (at) => [
    ['BITCOUNT', at],
    ['BITCOUNT', at, 0, 9],
  ],
  BITPOS: (at) => [
    ['BITPOS', at, 1, 0, 9],
    ['BITPOS', at, 1, 100, 200],
  ],
  'OBJECT IDLETIME': (at) => [['OBJECT IDLETIME', at]],
  'OBJECT REFCOUNT': (at) => [['OBJECT REFCOUNT', at]],
  'OBJECT FREQ': (at) => [['OBJECT FREQ', at]],
  'OBJECT ENCODING': (at) => [['OBJECT ENCODING', at]],
  'MEMORY USAGE': (at) => [
    ['MEMORY USAGE', at],
    ['MEMORY USAGE', at, 'SAMPLES', 0],
  ],
  // A server without the module refuses it before it looks anything up.
  'TS.RANGE': (at) => [['TS.RANGE', at, 0, 1, 'COUNT', 1, 'AGGREGATION', 'SUM', 1]],
};

/** The server has not got the command: it is of a module, or newer. */
const withoutCommand = async (error: Problem): Promise<unknown[]> => {
  expect(error).toMatchObject({ code: 'not_permitted', extensions: { command: expect.any(String) } });
  expect(await test.redis.call('COMMAND', 'INFO', String(error.extensions.command))).toEqual([null]);
  return [];
};

const KEYS = ['string', 'empty', 'hash', 'set', 'zset', 'list', 'stream', 'expired', 'missing'];

describe('what a read adds to the counters of the server', () => {
  beforeEach(fill);

  for (const [name, commandsOn] of Object.entries(COMMANDS)) {
    it(`is counted exactly for ${name}`, async () => {
      for (const at of KEYS) {
        for (const command of commandsOn(key(at))) {
          const { server, own } = await countedDuring(() =>
            test.handle.reader.readMany([command]).catch(withoutCommand),
          );
          expect({ command: command.slice(0, 1), at, ...own }).toEqual({
            command: command.slice(0, 1),
            at,
            ...server,
          });
        }
      }
    });
  }

  it('is counted exactly for strings, whole and cut', async () => {
    for (const at of KEYS) {
      const { server, own } = await countedDuring(() => test.handle.reader.getStrings([key(at)], 3));
      expect({ at, ...own }).toEqual({ at, ...server });
    }
  });

  it('is counted exactly for pages of collections, also the empty ones', async () => {
    for (const command of ['HSCAN', 'SSCAN', 'ZSCAN'] as const) {
      for (const at of KEYS) {
        for (const match of [undefined, 'no-such-*']) {
          const { server, own } = await countedDuring(() =>
            test.handle.reader.scanCollection(command, key(at), '0', { match }).catch(() => undefined),
          );
          expect({ command, at, match, ...own }).toEqual({ command, at, match, ...server });
        }
      }
    }
  });

  it('is counted exactly for a large collection read to its end', async () => {
    const many = Array.from({ length: 3000 }, (_, i) => [`field-${i}`, 'v'.repeat(80)]).flat();
    await test.redis.hset('large', many);
    const { server, own } = await countedDuring(async () => {
      let cursor = '0';
      do ({ cursor } = await test.handle.reader.scanCollection('HSCAN', key('large'), cursor));
      while (cursor !== '0');
    });
    expect(own).toEqual(server);
    expect(own.hits).toBeGreaterThan(10);
  });

  it('is counted exactly for a batch of many, and is nothing for scans and sizes', {
    tags: ['long'],
  }, async () => {
    await test.redis.mset(Object.fromEntries(Array.from({ length: 2500 }, (_, i) => [`many:${i}`, 'x'])));
    const keys = Array.from({ length: 5000 }, (_, i) => key(`many:${i}`));
    const batch = await countedDuring(() => test.handle.reader.readMany(keys.map((at) => ['PTTL', at])));
    expect(batch.own).toEqual(batch.server);
    expect(batch.own).toEqual({ hits: 2500, misses: 2500 });
    const walk = await countedDuring(async () => {
      for await (const { keys: found } of scanKeys(test.handle, { match: 'many:*' }))
        expect(found).toBeDefined();
      await test.handle.reader.size();
    });
    expect(walk.server).toEqual({ hits: 0, misses: 0 });
    expect(walk.own).toEqual(walk.server);
  });
});

describe('what a change adds to the counters of the server', () => {
  beforeEach(fill);

  it('is counted exactly for every outcome of compare-and-set', { tags: ['long'] }, async () => {
    const { writer } = test.ctx;
    const value = Buffer.from('value');
    const other = Buffer.from('other');
    for (const at of KEYS) {
      for (const expected of [null, value, other]) {
        for (const next of [value, null]) {
          await test.empty();
          await fill();
          const { server, own } = await countedDuring(() => writer.compareAndSet(key(at), expected, next));
          expect({ at, expected, next, ...own }).toEqual({ at, expected, next, ...server });
        }
      }
    }
  });

  it('is nothing for the plain write commands, on keys that exist, are missing or of another type', async () => {
    const { writer } = test.ctx;
    for (const at of KEYS) {
      const { server, own } = await countedDuring(async () => {
        await writer.write(['SADD', key(at), 'm']).catch(() => undefined);
        await writer.write(['SREM', key(at), 'm']).catch(() => undefined);
        await writer.write(['HSET', key(at), 'f', 'v']).catch(() => undefined);
        await writer.write(['HDEL', key(at), 'f']).catch(() => undefined);
        await writer.write(['UNLINK', key(at)]);
      });
      expect({ at, ...own }).toEqual({ at, ...server });
      expect(server).toEqual({ hits: 0, misses: 0 });
    }
  });

  it('is counted exactly for the scripts on the applications’ Redis', async () => {
    const { writer } = test.ctx;
    for (const at of KEYS) {
      await test.empty();
      await fill();
      const { server, own } = await countedDuring(() =>
        writer.run('revoke-session', [key(at), key('set')], ['member']),
      );
      expect({ at, ...own }).toEqual({ at, ...server });
    }
  });
});

it('is notified of every key that our scripts miss, like the server’s subscribers', async () => {
  await test.redis.config('SET', 'notify-keyspace-events', 'Em');
  await test.redis.set('there', '{}');
  const [there, gone, index] = [key('there'), key('gone'), key('no-index')];
  const session = key('session:1:token');
  const { handle, ctx } = test;
  const unlink = { name: 'unlink-unchanged', otherCalls: () => 0 };
  const everyScript = async () => {
    await readScript(handle, 'json-fields', [gone, there, gone], [1000, 'id']);
    await readScript(handle, 'read-sessions', [gone, index, session, index], [1, 'user_id', 10, 9, 11]);
    await readScript(handle, 'stale-entries', [key('user_sessions:2')], ['0', 10, 'session:2:']);
    await readScript(handle, 'heaviest-fields', [gone], ['0', 10, 1, -1]);
    await readScript(handle, 'queue-ends', [gone], [1000, 4096, 65_536, '1', 'first', '1', 'last']);
    await readScript(handle, 'read-elements', [gone], ['XREVRANGE', '', 10, 10, 10, '']);
    for (const state of IS_REDIS_6 ? [] : ['unindexed', 'ghost']) {
      const fields = ['username', 'device_info', 'last_activity'];
      const args = () => ['', '', 64, '0', '', 64, '', state, 'user_sessions:', 9, ':', ...fields, ''];
      for await (const { examined } of scanByScript(handle, 'find-sessions', args, { match: 'session:*' }))
        expect(examined).toBe(1);
    }
    await ctx.writer.compareAndSet(gone, Buffer.from('x'), null);
    for (const one of [gone, session]) await ctx.writer.run('index-session', [one, index], ['token']);
    await ctx.writer.run('remove-ghost', [gone, index], ['token']);
    await ctx.writer.run('unindex-stale', [gone, index], ['token']);
    await ctx.writer.run('set-session-ttl', [gone, index], ['token', '1', 1000]);
    await ctx.writer.run('take-window', [gone], ['field', '', 'any', '']);
    await ctx.writer.run('put-window', [gone], ['field', 'x', 'y']);
    await ctx.writer.applyAll([
      { key: gone, expected: null, change: 'keep' },
      { key: there, expected: null, change: 'keep' },
    ]);
    await ctx.writer.runNear({ ...unlink, name: 'reset-ttl' }, gone, [gone, 5, 5]);
    await ctx.writer.runNear({ ...unlink, name: 'shorten-ttl' }, gone, ['1', gone, 5, '']);
    await ctx.writer.runNear(unlink, gone, [gone, 'checksum', '-1', there, '', '5']);
    await ctx.writer.run('rename-verified', [gone, index], ['string', '1:digest']);
    await ctx.writer.runNear({ ...unlink, name: 'rename-back' }, gone, [gone, index, 'string', '1:digest']);
    await ctx.writer.run('trim-key', [gone], ['trim', 1, '', 1]);
  };
  await test.redis.hset('session:1:token', 'user_id', '1', 'username', 'alice');
  await test.redis.sadd('user_sessions:2', 'stale');
  const events = test.redis.duplicate();
  const received: string[] = [];
  events.on('pmessage', (_pattern, _channel, missed) => received.push(missed));
  await events.psubscribe('__keyevent@0__:keymiss');
  const heard: string[] = [];
  const hear = (_db: number, missed: Buffer) => heard.push(String(missed));
  handle.own.missed.add(hear);
  const { unnamed } = handle.own;
  const { server, own } = await countedDuring(everyScript);
  handle.own.missed.delete(hear);
  expect(own).toEqual(server);
  expect(heard.length).toBe(server.misses);
  await expect.poll(() => received.length).toBe(heard.length);
  events.disconnect();
  expect(heard.sort()).toEqual(received.sort());
  // Redis 6.2 does not run those that only read.
  const ofReads = IS_REDIS_6 ? [] : ['session:2:stale', 'user_sessions:1'];
  expect(new Set(heard)).toEqual(new Set(['gone', 'no-index', ...ofReads]));
  expect(handle.own.unnamed).toBe(unnamed);
});

it('counts the lookups inside a script as commands too, as the server does', async () => {
  const before = await test.redis.info('stats');
  const own = test.handle.own.snapshot();
  await test.ctx.writer.compareAndSet(Buffer.from('scripted'), null, Buffer.from('x'));
  await test.ctx.writer.compareAndSet(Buffer.from('scripted'), Buffer.from('y'), Buffer.from('z'));
  const after = await test.redis.info('stats');
  const commands = (text: string): number => Number(/total_commands_processed:(\d+)/.exec(text)![1]);
  const counted = test.handle.own.snapshot().commands - own.commands;
  // Writes inside a script and loading it are the server's alone: a handful, not one for each key.
  expect(commands(after) - commands(before) - counted).toBeLessThanOrEqual(5);
  expect(counted).toBeGreaterThanOrEqual(5);
});
