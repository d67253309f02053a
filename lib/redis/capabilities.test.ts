import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { startRedis } from '@/scripts/redis-server.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { askCapabilities, readObstacle } from './capabilities';
import { type ConnectionHandle, openConnection } from './connections';
import { readyClient } from './topology';

/** RPUSH would be executed by an EXEC that is sent, and HSET behind it. */
const COMMANDS = [
  'UNLINK',
  'SADD',
  'CONFIG SET',
  'MONITOR',
  'INFO',
  'EVAL',
  'SCAN',
  'SUBSCRIBE',
  'RPUSH',
  'MULTI',
  'EXEC',
  'HSET',
];
const KEYS = ['session:*', 'BlacklistIPsSet'];

let test: TestContext;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  test = await testContext();
});
beforeEach(() => test.empty());
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => test.close());

const open = (url: string): ConnectionHandle => {
  const handle = openConnection({ ...test.handle.config, url });
  closing.push(() => handle.topology.close());
  return handle;
};

const as = async (...rules: string[]): Promise<ConnectionHandle> => {
  await test.redis.call('ACL', 'SETUSER', 'limited', 'reset', 'on', '>pw', ...rules);
  return open(test.handle.config.url!.replace('//', '//limited:pw@'));
};

const ask = (handle: ConnectionHandle) =>
  askCapabilities('main', handle.topology.primaries()[0]!, { commands: COMMANDS, keys: KEYS });

const all = Object.fromEntries(COMMANDS.map((name) => [name, 'yes']));
const permissions = async (handle: ConnectionHandle) => {
  const { commands } = await ask(handle);
  return Object.fromEntries(COMMANDS.map((name) => [name, commands.get(name)]));
};

it('finds that the default user may do everything, on any key', async () => {
  const found = await ask(test.handle);
  expect(found).toMatchObject({ role: 'primary', user: 'default' });
  expect(found.noReadScripts === null).toBe(!IS_REDIS_6);
  expect(await permissions(test.handle)).toEqual(all);
  expect([...found.keys]).toEqual(KEYS.map((key) => [key, { read: true, write: true }]));
});

const WAYS: [way: string, rules: string[]][] = [
  ['by ACL DRYRUN', []],
  ['in a transaction', ['-acl']],
  ['by trying', ['-acl', '-multi']],
];

it.each(WAYS)('tells what a user may not do, %s, and changes nothing', async (_way, rules) => {
  await test.redis.sadd('BlacklistIPsSet', '192.0.2.1');
  await test.redis.set('session:*', 'a key of that name');
  const before = await test.redis.call('CONFIG', 'GET', 'notify-keyspace-events');
  const handle = await as(
    '~*',
    '&*',
    '+@all',
    '-unlink',
    '-srem',
    '-sadd',
    '-config',
    '-monitor',
    '-slowlog',
    ...rules,
  );
  expect(await permissions(handle)).toEqual({
    ...all,
    UNLINK: 'acl',
    SADD: 'acl',
    'CONFIG SET': 'acl',
    MONITOR: 'acl',
    ...(rules.includes('-multi') && { MULTI: 'acl' }),
  });
  expect(await test.redis.smembers('BlacklistIPsSet')).toEqual(['192.0.2.1']);
  expect(await test.redis.dbsize()).toBe(2);
  expect(await test.redis.call('CONFIG', 'GET', 'notify-keyspace-events')).toEqual(before);
});

it('tells which keys a user may not reach at all', async () => {
  const handle = await as('~session:1:*', '&*', '+@all');
  expect([...(await ask(handle)).keys]).toEqual([
    ['session:*', { read: true, write: true }],
    ['BlacklistIPsSet', { read: false, write: false }],
  ]);
});

it('does not judge keys where the user may not ask for its own rules', async () => {
  const handle = await as('~session:*', '&*', '+@all', '-acl');
  expect((await ask(handle)).keys.get('BlacklistIPsSet')).toEqual({ read: true, write: true });
});

it('counts what it tries as own traffic', async () => {
  const handle = await as('~*', '&*', '+@all', '-acl', '-multi');
  await handle.reader.size();
  const misses = async () => Number(/keyspace_misses:(\d+)/.exec(await test.redis.info('stats'))?.[1]);
  const [before, own] = [await misses(), handle.own.misses];
  await ask(handle);
  expect(handle.own.misses - own).toBe((await misses()) - before);
});

it('tells commands that a server does not have from those that a user may not use', async () => {
  const args = ['CONFIG', 'MONITOR'].flatMap((name) => ['--rename-command', name, '']);
  const server = await startRedis({ args });
  closing.push(() => server.stop());
  expect(await permissions(open(server.url))).toEqual({
    ...all,
    'CONFIG SET': 'absent',
    MONITOR: 'absent',
  });
});

it('sees that a server has no memory left', async () => {
  const node = test.handle.topology.primaries()[0]!;
  expect(await readObstacle('main', node)).toBeNull();
  await test.redis.config('SET', 'maxmemory', '1');
  expect(await readObstacle('main', node)).toMatchObject({ code: 'full', isOfGrowth: true });
  await test.redis.config('SET', 'maxmemory', '0');
  expect(await readObstacle('main', node)).toBeNull();
});

it('sees that without transactions, where nothing may be evicted', async () => {
  const handle = await as('~*', '&*', '+@all', '-multi');
  const node = handle.topology.primaries()[0]!;
  await test.redis.config('SET', 'maxmemory', '1');
  try {
    expect(await readObstacle('main', node)).toMatchObject({ code: 'full', isOfGrowth: true });
    await test.redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await readObstacle('main', node)).toBeNull();
  } finally {
    await test.redis.config('SET', 'maxmemory', '0');
    await test.redis.config('SET', 'maxmemory-policy', 'noeviction');
  }
});

it('sees that a server takes no change: it could not save to disk', { tags: 'long' }, async () => {
  const server = await startRedis({ args: ['--dbfilename', 'taken', '--save', '3600 1'] });
  closing.push(() => server.stop());
  const node = open(server.url).topology.primaries()[0]!;
  const redis = await readyClient('main', node, 'write');
  await mkdir(join(server.dir, 'taken'));
  await redis.set('a', '1');
  await redis.bgsave();
  const unsaved = {
    code: 'full',
    text: 'it refuses changes because it cannot save to disk',
    isOfGrowth: false,
  };
  await expect.poll(() => readObstacle('main', node)).toEqual(unsaved);
});
