import { Redis } from 'ioredis';
import { afterEach, expect, it } from 'vitest';
import { type ConnectionConfig, readEnv } from '@/lib/configuration';
import { type RedisServer, startRedis } from '@/scripts/redis-server.mjs';
import { problemOf } from '@/scripts/testing/problem-of';
import { type ConnectionHandle, openConnection, readOnlyReason, refreshRole } from './connections';
import { parseInfo } from './info';
import { scanKeys } from './scan';
import { makeWriter } from './writer';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/** Who may not ask for INFO. */
const BLIND = ['--user', 'blind', 'on', '>pass', '~*', '&*', '+@all', '-info'];

const server = async (...args: string[]): Promise<RedisServer> => {
  const started = await startRedis({ args: [...BLIND, ...args] });
  opened.push({ close: () => started.stop() });
  return started;
};

const connect = (url: string, change: Partial<ConnectionConfig> = {}): ConnectionHandle => {
  const [config] = readEnv({ REDIS_URL: url }).connections;
  const handle = openConnection({ ...config!, id: 'shop', ...change });
  opened.unshift({ close: () => handle.topology.close() });
  return handle;
};

const raw = ({ url }: RedisServer): Redis => {
  const redis = new Redis(url);
  opened.unshift({ close: () => redis.disconnect() });
  return redis;
};

const asBlind = (url: string) => url.replace('//', '//blind:pass@');
const AS = [
  ['with INFO', (url: string) => url],
  ['without INFO', asBlind],
] as const;

const key = Buffer.from('key');

it.each(AS)(
  'one node of a cluster is refused with the way out, and nothing is read of it, %s',
  { tags: 'long' },
  async (_, as) => {
    const node = await server('--cluster-enabled', 'yes');
    const redis = raw(node);
    await redis.call('CLUSTER', 'ADDSLOTS', ...Array(16_384).keys());
    await expect.poll(() => redis.set('key', 'x').catch(() => null), { timeout: 10_000 }).toBe('OK');
    const handle = connect(as(node.url));
    const asked = [
      () => handle.reader.getString(key),
      () => handle.background.size(),
      () => scanKeys(handle).next(),
      () => makeWriter(handle).write(['UNLINK', key]),
    ];
    for (const ask of asked) {
      const problem = await problemOf(ask());
      expect(problem).toMatchObject({ status: 503, code: 'moved' });
      expect(problem.message).toContain('one node of a Redis Cluster');
      expect(problem.message).toContain('Write its nodes under "cluster" in the configuration');
    }
    expect(handle.status()).toMatchObject({
      state: 'unreachable',
      reason: expect.stringContaining('one node of a Redis Cluster'),
    });
    const sent = parseInfo(await redis.info('commandstats'));
    for (const command of ['scan', 'unlink', 'dbsize', 'getrange'])
      expect(sent.has(`cmdstat_${command}`)).toBe(false);
  },
);

it('a server that is no part of a cluster any more is used', { tags: ['long'] }, async () => {
  const node = await server('--cluster-enabled', 'yes');
  const handle = connect(node.url);
  await problemOf(handle.reader.size());
  await node.stop();
  const plain = await startRedis({ port: node.port });
  opened.push({ close: () => plain.stop() });
  await expect.poll(() => handle.reader.size().catch(() => null), { timeout: 5000 }).toBe(0);
  expect(handle.status()).toEqual({ state: 'ready', reason: null });
});

it.each(AS)('a replica is known as one, when it becomes one and no longer is as well, %s', async (_, as) => {
  const primary = await server();
  const replica = await server('--replicaof', '127.0.0.1', String(primary.port));
  const handle = connect(as(replica.url));
  await handle.reader.size();
  expect(handle.role()).toBe('replica');
  expect(await readOnlyReason(handle)).toBe('replica');
  const redis = raw(replica);
  await redis.call('REPLICAOF', 'NO', 'ONE');
  expect(await readOnlyReason(handle)).toBeNull();
  expect(handle.role()).toBe('primary');
  const before = (await redis.info('clients')).match(/connected_clients:\d+/)![0];
  await redis.call('REPLICAOF', '127.0.0.1', String(primary.port));
  // Our clients are not notified, and their connections stay.
  expect((await redis.info('clients')).match(/connected_clients:\d+/)![0]).toBe(before);
  expect(await refreshRole(handle)).toBe('replica');
});

it('a connection that is read-only is so whatever its server is', async () => {
  const handle = connect((await server()).url, { readOnly: true });
  expect(await readOnlyReason(handle)).toBe('configured');
});

it('a role that nobody tells is unknown, and forbids nothing', async () => {
  const { url } = await server();
  const handle = connect(url);
  expect(handle.role()).toBe('unknown');
  opened[0]!.close();
  expect(await readOnlyReason(handle)).toBeNull();
});
