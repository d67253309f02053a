import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { type Client, connectToStore } from './client';
import { clientFields } from './client-line';
import { ownAddresses, ownClients } from './own-clients';

let test: TestContext;
let opened: Client[] = [];
beforeAll(async () => {
  // Of these arguments no other file has a server: a subscriber that outlives its file would connect to it again.
  test = await testContext({ redisArgs: ['--maxclients', '500'] });
});
afterEach(() => {
  for (const client of opened) client.close();
  opened = [];
});
afterAll(() => test.close());

const at = (server: string) => ({ url: `redis://${server}`, tls: null, sentinel: null });
const node = () => test.handle.topology.primaries()[0]!;
const ready = async (client: Client): Promise<Client> => {
  opened.push(client);
  await client.ready();
  return client;
};

/** Names of the clients that the server lists, by whether they are ours. */
const listed = async (own: boolean, { redis, handle } = test): Promise<string[]> => {
  const ours = ownClients(handle.topology.primaries()[0]!);
  return String(await redis.call('CLIENT', 'LIST'))
    .trim()
    .split('\n')
    .map((line) => clientFields(line))
    .filter((fields) => ours.has(fields.get('id') ?? '', fields.get('addr') ?? '') === own)
    .map((fields) => fields.get('name') ?? '')
    .sort();
};

it('are those of every purpose, and no other client whatever its name', async () => {
  await Promise.all([node().client('read').ready(), node().client('write').ready()]);
  await ready(node().dedicated('window-monitor'));
  const stranger = test.redis.duplicate({ connectionName: 'keyward-read' });
  await stranger.ping();
  expect(await listed(true)).toEqual(['keyward-read', 'keyward-window-monitor', 'keyward-write']);
  expect(await listed(false)).toEqual(['', 'keyward-read']);
  stranger.disconnect();
});

it('have a new id after they connected again, and the old address was theirs only then', async () => {
  const read = node().client('read');
  await read.ready();
  const before = { ...read.connection()! };
  await test.redis.call('CLIENT', 'KILL', 'ID', before.id!);
  await expect.poll(() => read.state() === 'ready' && read.connection()?.id !== before.id).toBe(true);
  const ours = ownClients(node());
  const [address] = before.addresses;
  expect(ownAddresses(node())).toContain(read.connection()!.addresses[0]);
  expect([ours.has(before.id!, address!), ours.has(read.connection()!.id!, '')]).toEqual([false, true]);
  expect(ownAddresses(node())).not.toContain(address);
  expect([ours.ran(address!, before.from), ours.ran(address!, Date.now() + 60_000)]).toEqual([true, false]);
});

it('are also those of the store, where it is on the same server under another name', async () => {
  await node().client('read').ready();
  await ready(connectToStore(at(`localhost:${test.redis.options.port}`), 'store'));
  expect(await listed(true)).toContain('keyward-store');
  // A client of another server may have the same id.
  const other = await ready(connectToStore(at(`127.0.0.1:${test.storeRedis.options.port}`), 'elsewhere'));
  expect(ownAddresses(node())).not.toContain(other.connection()?.addresses[0]);
});

it('are known by their sockets where the server does not tell their ids', async () => {
  const rights = 'limited on >pass ~* &* +@all -client +client|list';
  const limited = await testContext({
    user: 'limited:pass',
    redisArgs: ['--user', ...rights.split(' ')],
  });
  try {
    await limited.handle.topology.primaries()[0]!.client('read').ready();
    const [own, others] = [await listed(true, limited), await listed(false, limited)];
    expect([own, others]).toEqual([[''], ['']]);
  } finally {
    await limited.close();
  }
});
