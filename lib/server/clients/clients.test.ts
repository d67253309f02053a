import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { startRedis } from '@/scripts/redis-server.mjs';
import { allPages } from '@/scripts/testing/all-pages';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { aclRules, IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { killClient } from './kill';
import { forgetClients, isTooMany, listClients } from './list';
import { clientContracts, type ServerClient } from './schema';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg';
const SCRIPT = '<script>alert(1)</script>';

type Redis = TestContext['redis'];

let test: TestContext;
let opened: Redis[] = [];
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(() => test.empty());
afterEach(() => {
  for (const redis of opened) redis.disconnect();
  opened = [];
});
afterAll(() => test.close());

/** A client of an application; it does not connect again once it is killed. */
const connect = async (name: string): Promise<Redis> => {
  const redis = test.redis.duplicate({ connectionName: name, retryStrategy: () => null, lazyConnect: true });
  redis.on('error', () => undefined);
  opened.push(redis);
  await redis.connect();
  return redis;
};

const { input, result } = clientContracts.list;
const list = async (raw: object = {}, ctx = test.ctx) => {
  forgetClients();
  return result.parse(await listClients(ctx, input.parse(raw)));
};
const clientNamed = async (name: string): Promise<ServerClient> => {
  const found = (await list({ q: name })).items[0];
  return found ?? expect.fail(`${name} is not listed`);
};

type Role = Parameters<typeof testActor>[0];
const kill = (raw: object, role: Role = 'admin', connection = test.handle) =>
  runCommand(killClient, { actor: testActor(role), requestId: 'request', connection, raw });
const problemOfKill = (raw: object, ...more: [Role?, TestContext['handle']?]) =>
  problemOf(kill(raw, ...more));
const asked = ({ id, address }: ServerClient) => ({ id, address });
const isConnected = async (id: string) => (await test.redis.call('CLIENT', 'LIST', 'ID', id)) !== '';

describe('clients are listed', () => {
  it('with what they are and what they last ran', async () => {
    const app = await connect('checkout');
    await app.get('author:id:1');
    const client = await clientNamed('checkout');
    expect(client).toMatchObject({
      name: 'checkout',
      user: 'default',
      command: 'GET',
      kind: 'normal',
      db: 0,
    });
    expect(client).toMatchObject({ own: false, queued: null, subscriptions: 0 });
    expect(client.address).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(client.memoryBytes).toBeGreaterThan(0);
  });

  it('by kind, with subscriptions and an open transaction', async () => {
    const subscriber = await connect('subscriber');
    await subscriber.subscribe('a', 'b');
    await subscriber.psubscribe('c*');
    const worker = await connect('worker');
    worker.blpop('nothing', 0).catch(() => undefined);
    const writer = await connect('transaction');
    await writer.call('MULTI');
    await writer.call('SET', 'a', 'hunter2');
    expect(await clientNamed('subscriber')).toMatchObject({ kind: 'pubsub', subscriptions: 3 });
    await expect.poll(() => clientNamed('worker')).toMatchObject({ kind: 'blocked', command: 'BLPOP' });
    expect(await clientNamed('transaction')).toMatchObject({ queued: 1 });
    // A subscription of the file before may be closing still.
    const subscribed = async () => (await list()).byKind.find(({ value }) => value === 'pubsub')?.clients;
    await expect.poll(subscribed).toBe(1);
    expect((await list({ kind: 'pubsub' })).items).toHaveLength(1);
    expect((await list({ type: 'pubsub' })).items.map(({ name }) => name)).toEqual(['subscriber']);
  });

  it('with names that are scripts as text, and those like tokens masked', async () => {
    await connect(SCRIPT);
    await connect(JWT);
    const answer = await list();
    expect(answer.items.map(({ name }) => name)).toContain(SCRIPT);
    expect(JSON.stringify(answer)).not.toContain(JWT.slice(0, 20));
  });

  it('page by page, sorted and filtered by the server, with Keyward’s own marked', async () => {
    for (let i = 0; i < 8; i++) await connect(`app-${i}`);
    const all = await list({ sort: 'age' });
    const paged = await allPages((page) => listClients(test.ctx, input.parse(page)), 3);
    expect(new Set(paged.map(({ id }) => id)).size).toBe(all.listed);
    const sizes = all.items.map(({ ageSeconds }) => ageSeconds!);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    const own = await list({ own: true });
    expect(own.items.length).toBeGreaterThan(0);
    expect(own.items.map(({ name }) => name)).toEqual(
      own.items.map(() => expect.stringMatching(/^keyward-/)),
    );
    expect((await list({ own: false })).total).toBe(all.listed! - own.total!);
    expect((await list({ minIdleSeconds: 1e6 })).items).toEqual([]);
  });
});

describe('pages of clients', () => {
  it('are of one reading: none is lost or repeated while clients come, go and grow', async () => {
    for (let i = 0; i < 9; i++) await connect(`app-${i}`);
    for (const sort of ['memory', 'idle', 'age', 'output'] as const) {
      forgetClients();
      const read = async (page: object) => result.parse(await listClients(test.ctx, input.parse(page)));
      const first = await read({ sort, limit: 5 });
      const seen = first.items.map(({ id }) => id);
      for (let { nextCursor: cursor } = first; cursor !== null; ) {
        // Each is the one that was active last, and the biggest.
        for (const redis of opened) await redis.get('x'.repeat(20_000));
        await list();
        const page = await read({ sort, limit: 5, cursor });
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      expect([seen.length, new Set(seen).size]).toEqual([first.listed, first.listed]);
    }
  });

  it('go on in another reading where theirs is not known, as in another process', async () => {
    for (let i = 0; i < 5; i++) await connect(`paged-${i}`);
    const sorted = { q: 'paged-', sort: 'age', limit: 2 };
    const first = await list(sorted);
    const seen = first.items.map(({ id }) => id);
    for (let { nextCursor: cursor } = first; cursor !== null; ) {
      for (let i = 0; i < 4; i++) await list();
      const page = await list({ ...sorted, cursor });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect([seen.length, new Set(seen).size]).toEqual([5, 5]);
  });
});

it.each([
  ['all', undefined, { connected_clients: '20000' }, false],
  ['all', undefined, { connected_clients: '20001' }, true],
  ['normal ones', 'normal', { connected_clients: '20001' }, true],
  ['subscribers', 'pubsub', { connected_clients: '20001', pubsub_clients: '5' }, false],
  ['subscribers', 'pubsub', { connected_clients: '20002', pubsub_clients: '20001' }, true],
  ['subscribers before Redis 7.4', 'pubsub', { connected_clients: '20001' }, true],
  ['replicas', 'replica', { connected_clients: '20001' }, false],
] as const)('a list of %s is too long by what INFO counts', (_, type, info, expected) => {
  expect(isTooMany(new Map(Object.entries(info)), type)).toBe(expected);
});

describe('a client is killed', () => {
  it('if it still has the address, and is gone afterwards; the audit log has what it was', async () => {
    const app = await connect(`checkout-${JWT}`);
    await app.get('a');
    const id = String(await app.client('ID'));
    const client = (await list()).items.find((each) => each.id === id)!;
    expect(await kill(asked(client))).toMatchObject({ killed: true, blocked: false });
    expect(await isConnected(client.id)).toBe(false);
    expect((await list()).items.map((each) => each.id)).not.toContain(client.id);
    const [entry] = (await listEntries(test.ctx.store, { limit: 1 })).items;
    expect(entry).toMatchObject({ action: 'clients.kill', outcome: 'succeeded' });
    expect(entry?.before).toMatchObject({ address: client.address, user: 'default', kind: 'normal' });
    expect(JSON.stringify(entry)).not.toContain(JWT.slice(0, 20));
    expect((await problemOfKill(asked(client))).code).toBe('not_found');
  });

  it('says which call and subscriptions ended', async () => {
    const worker = await connect('worker');
    worker.blpop('nothing', 0).catch(() => undefined);
    const subscriber = await connect('subscriber');
    await subscriber.subscribe('a', 'b');
    await expect.poll(() => clientNamed('worker')).toMatchObject({ kind: 'blocked' });
    expect(await kill(asked(await clientNamed('worker')))).toMatchObject({ blocked: true });
    expect(await kill(asked(await clientNamed('subscriber')))).toMatchObject({ subscriptions: 2 });
  });

  it('also one that runs MONITOR', async () => {
    const monitor = await connect('watcher');
    await monitor.call('MONITOR');
    const watcher = await clientNamed('watcher');
    expect(watcher.kind).toBe('monitor');
    expect(await kill(asked(watcher))).toMatchObject({ killed: true });
  });

  it('never with another address or kind than was shown', async () => {
    const app = await connect('checkout');
    const client = await clientNamed('checkout');
    const problem = await problemOfKill({ id: client.id, address: '127.0.0.1:1' });
    expect(problem.code).toBe('conflict');
    const type = 'pubsub';
    const { writer, connection } = test.ctx;
    const [node] = connection.topology.primaries();
    const address = Buffer.from(client.address);
    expect(await writer.killClient(node!, { id: client.id, address, type })).toBe(false);
    expect(await app.ping()).toBe('PONG');
  });

  it('that only names itself as Keyward does, because anybody may', async () => {
    await connect('keyward-impostor');
    const client = await clientNamed('keyward-impostor');
    expect(client).toMatchObject({ own: false, saysKeyward: true });
    expect((await list({ own: true })).items.map(({ id }) => id)).not.toContain(client.id);
    expect(await kill(asked(client))).toMatchObject({ killed: true });
  });

  it('never of this Keyward process', async () => {
    await test.ctx.reader.read(['TYPE', Buffer.from('a')]);
    for (const { id, address } of (await list({ own: true })).items) {
      const problem = await problemOfKill({ id, address });
      expect([problem.status, problem.extensions.errors]).toMatchObject([
        400,
        [{ path: 'id', message: expect.stringContaining('Keyward') }],
      ]);
      expect(await isConnected(id)).toBe(true);
    }
  });

  it('never a replica', async () => {
    const replica = await startRedis({ args: ['--replicaof', '127.0.0.1', String(test.redis.options.port)] });
    try {
      await expect
        .poll(() => list({ kind: 'replica' }), { timeout: 15_000, interval: 100 })
        .toMatchObject({ total: 1 });
      const [found] = (await list({ kind: 'replica' })).items;
      expect((await problemOfKill(asked(found!))).extensions.errors).toMatchObject([{ path: 'id' }]);
      expect(await isConnected(found!.id)).toBe(true);
    } finally {
      await replica.stop();
    }
  });

  it.each(['support', 'product', 'viewer'] as const)('not by %s', async (role) => {
    await connect('checkout');
    const client = await clientNamed('checkout');
    expect((await problemOfKill(asked(client), role)).status).toBe(403);
    expect(await isConnected(client.id)).toBe(true);
  });

  it('in production only with the connection’s id, and not on a read-only connection', async () => {
    await connect('checkout');
    const client = await clientNamed('checkout');
    const { handle } = test;
    const production = { ...handle, config: { ...handle.config, environment: 'production' as const } };
    expect((await problemOfKill(asked(client), 'admin', production)).code).toBe('confirmation_required');
    const readOnly = { ...handle, config: { ...handle.config, readOnly: true } };
    expect((await problemOfKill(asked(client), 'admin', readOnly)).code).toBe('read_only');
    const confirmed = { ...asked(client), confirm: handle.config.id };
    expect(await kill(confirmed, 'admin', production)).toMatchObject({ killed: true });
  });

  it.each([
    { id: '0', address: 'a' },
    { id: '1 2', address: 'a' },
    { id: '9'.repeat(19), address: 'a' },
    { id: '1' },
  ])('refuses %j', async (raw) => {
    expect((await problemOfKill(raw)).code).toBe('bad_input');
  });
});

describe('a Redis user with few permissions', () => {
  it.skipIf(IS_REDIS_6)(
    'that may not name its connections kills none of them, whatever they are for',
    { tags: ['long'] },
    async () => {
      const rights = 'limited on >pass ~* &* +@all -client|setname';
      const limited = await testContext({
        apps: ['discours'],
        user: 'limited:pass',
        redisArgs: ['--user', ...aclRules(...rights.split(' '))],
      });
      const monitor = limited.handle.topology.primaries()[0]!.dedicated('window-monitor');
      try {
        await monitor.ready();
        const unnamed = (await list({ q: 'limited' }, limited.ctx)).items;
        const id = monitor.connection()?.id;
        expect(unnamed.map((client) => client.id)).toContain(id);
        for (const client of unnamed) {
          expect(client).toMatchObject({ name: null, own: true });
          expect((await problemOfKill(asked(client), 'admin', limited.handle)).status).toBe(400);
        }
      } finally {
        monitor.close();
        await limited.close();
      }
    },
  );

  it.skipIf(IS_REDIS_6)(
    'that may not list clients gets the reason and the command, and kills none',
    { tags: ['long'] },
    async () => {
      const rights = 'limited on >pass ~* &* +@all -client|list';
      const limited = await testContext({
        apps: ['discours'],
        user: 'limited:pass',
        redisArgs: ['--user', ...aclRules(...rights.split(' '))],
      });
      try {
        const answer = await list({}, limited.ctx);
        expect(answer).toMatchObject({ state: 'unknown', items: [], listed: null, total: null });
        expect(answer.refused).toMatchObject({ missing: ['CLIENT LIST'] });
        expect(answer.connected).toBeGreaterThan(0);
        await limited.redis.call('ACL', 'SETUSER', 'limited', '-info', '+client|list');
        // How long the list would be is not known.
        expect(await list({}, limited.ctx)).toMatchObject({
          state: 'unknown',
          refused: { missing: ['INFO'] },
        });
        await limited.redis.call('ACL', 'SETUSER', 'limited', ...aclRules('-client|list'));
        const problem = await problemOfKill({ id: '1', address: '127.0.0.1:1' }, 'admin', limited.handle);
        expect(problem.code).toBe('not_permitted');
      } finally {
        await limited.close();
      }
    },
  );
});
