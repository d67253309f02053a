import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '@/lib/redis/client';
import { store } from '@/lib/redis/store';
import { type RedisServer, startRedis } from '@/scripts/redis-server.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { type Primaries, primariesAt } from '@/scripts/testing/two-primaries';
import { restoreLeftFlags, withFlags } from './flags';
import { type Consent, readSampling, saveChangedFlags } from './state';

let test: TestContext;
let servers: RedisServer[];
let clients: Client[];
let primaries: Primaries;

beforeAll(async () => {
  test = await testContext();
  servers = await Promise.all([startRedis(), startRedis()]);
  primaries = primariesAt(test.handle.config, [servers[0]!.url]);
  clients = servers.map((_, i) => primaries.handle.topology.at(place(i), 'test'));
  await Promise.all(clients.map((client) => client.ready()));
});
afterAll(async () => {
  primaries.close();
  for (const client of clients) client.close();
  await Promise.all(servers.map((server) => server.stop()));
  await test.close();
});

const place = (i: number) => `127.0.0.1:${servers[i]!.port}`;
const flags = () =>
  Promise.all(
    clients.map(async ({ redis }) => ((await redis.config('GET', 'notify-keyspace-events')) as string[])[1]),
  );
const toRestore = async () => (await readSampling(store(), 'main')).toRestore;

it('restores the flags on the server where a window set them, also when another is the primary by then', async () => {
  const { handle, nodes } = primaries;
  const consent: Consent = { by: 'x', at: 0, auditId: 'x', presents: { [place(0)]: '' } };
  let during: unknown;
  const window = withFlags({ handle, store: store(), consent }, nodes[0]!, async () => {
    during = await flags();
    primaries.move(nodes[0]!, servers[1]!.url);
    await nodes[0]!.client('read').ready();
  });
  await expect(window).rejects.toMatchObject({ message: expect.stringContaining('Another server') });
  expect(during).toEqual(['Em', '']);
  expect([await flags(), await toRestore()]).toEqual([['', ''], []]);
  // Nobody agreed to changing the new primary.
  const again = withFlags({ handle, store: store(), consent }, nodes[0]!, async () => expect.fail());
  await expect(again).rejects.toMatchObject({ status: 409, extensions: { present: '', proposed: 'Em' } });
});

it('keeps what is left on a server that does not answer, and restores it on the others', async () => {
  const left = { before: '', during: 'Em', since: 0 };
  await clients[0]!.redis.config('SET', 'notify-keyspace-events', 'Em');
  await saveChangedFlags(store(), 'main', { ...left, node: '127.0.0.1:1' });
  await saveChangedFlags(store(), 'main', { ...left, node: place(0) });
  await restoreLeftFlags(primaries.handle, store());
  expect([await flags(), await toRestore()]).toEqual([['', ''], [{ ...left, node: '127.0.0.1:1' }]]);
});
