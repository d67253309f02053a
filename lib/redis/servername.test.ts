import { readFileSync, writeFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, createServer, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { readEnv } from '@/lib/configuration';
import { ask } from '@/scripts/ask-redis.mjs';
import { startCluster } from '@/scripts/cluster.mjs';
import { freePort, type RedisServer, startRedis } from '@/scripts/redis-server.mjs';
import { startSentinels } from '@/scripts/sentinels.mjs';
import { type Authority, certificates } from '@/scripts/testing/certificates';
import { type ConnectionHandle, openConnection } from './connections';
import { openStore, type Store } from './store';
import { readyClient } from './topology';

const made = certificates();
const hasIpv6 = Object.values(networkInterfaces()).some((each) =>
  each?.some(({ address }) => address === '::1'),
);
const ends: (() => unknown)[] = [];
let authority: Authority;
let pairs: Record<'localhost' | 'redis.example' | 'address', { cert: Buffer; key: Buffer }>;

beforeAll(() => {
  authority = made.authority();
  const pairOf = (names: string) => {
    const { cert, key } = authority.issue({ names });
    return { cert: readFileSync(cert), key: readFileSync(key) };
  };
  pairs = {
    localhost: pairOf('DNS:localhost'),
    'redis.example': pairOf('DNS:redis.example'),
    address: pairOf('IP:127.0.0.1,IP:::1'),
  };
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
afterAll(() => made.remove());

/** Speaks TLS before a server, chooses its certificate by name alone, and lists the names it was asked for. */
const proxyTo = async (port: number, at?: number) => {
  const names = new Set<string | false>();
  const proxy = createServer(
    {
      ...pairs.address,
      SNICallback: (name, done) => {
        const pair = pairs[name as keyof typeof pairs];
        done(pair ? null : new Error(`no certificate for ${name}`), pair && createSecureContext(pair));
      },
    },
    (socket: TLSSocket) => {
      names.add(socket.servername || false);
      const inner = connectPlain(port, '127.0.0.1');
      socket.pipe(inner).pipe(socket);
      for (const each of [socket, inner])
        each.on('error', () => [socket, inner].map((other) => other.destroy()));
    },
  );
  const own = at ?? (await freePort());
  await new Promise<void>((done) => proxy.listen(own, hasIpv6 ? '::' : '127.0.0.1', done));
  ends.push(() => proxy.close());
  return { port: own, names };
};

const open = (connection: object, tls: object = {}) => {
  const file = join(made.dir, 'connections.json');
  const entry = { id: 'main', tls: { ca: authority.ca, ...tls }, ...connection };
  writeFileSync(file, JSON.stringify({ connections: [entry] }));
  const [config] = readEnv({ KEYWARD_CONFIG: file }).connections;
  const handle = openConnection(config!);
  ends.push(() => handle.topology.close());
  return handle;
};

/** By every kind of client: reads, scans, writes, what ends with its connection (subscriptions, MONITOR), one by address. */
const reachAll = async ({ topology }: ConnectionHandle): Promise<void> => {
  await topology.known();
  const [node] = topology.primaries();
  for (const purpose of ['read', 'scan', 'write'] as const)
    expect(await (await readyClient('main', node!, purpose)).ping()).toBe('PONG');
  for (const client of [node!.dedicated('monitor'), topology.at(node!.id, 'own')]) {
    ends.push(() => client.close());
    await client.ready();
  }
};

const start = async (...args: string[]): Promise<RedisServer> => {
  const server = await startRedis({ args });
  ends.push(() => server.stop());
  return server;
};

const setOf = (name: string | false) => new Set([name]);

it('asks a server for its certificate by the name of its host, never by an address, or by the name that is set', {
  tags: 'long',
}, async () => {
  const { port } = await start();
  for (const [host, tls, asked] of [
    ['localhost', {}, 'localhost'],
    ['127.0.0.1', {}, false],
    ...(hasIpv6 ? [['[::1]', {}, false] as const] : []),
    ['127.0.0.1', { servername: 'redis.example' }, 'redis.example'],
    ['localhost', { servername: 'redis.example' }, 'redis.example'],
  ] as const) {
    const proxy = await proxyTo(port);
    await reachAll(open({ url: `rediss://${host}:${proxy.port}` }, tls));
    expect(proxy.names).toEqual(setOf(asked));
  }
});

it('does so at the nodes of a cluster, by what they announce or where natMap says', {
  tags: 'long',
}, async () => {
  const cluster = await startCluster({ primaries: 1, args: ['--cluster-announce-ip', '127.0.0.1'] });
  ends.push(() => cluster.stop());
  const { port } = cluster.servers[0]!;
  const proxy = await proxyTo(port);
  const natMap = { [`127.0.0.1:${port}`]: `localhost:${proxy.port}` };
  await reachAll(open({ cluster: { nodes: [`localhost:${proxy.port}`], natMap } }));
  expect(proxy.names).toEqual(setOf('localhost'));

  await ask(port, 'CONFIG', 'SET', 'cluster-announce-port', String(proxy.port));
  proxy.names.clear();
  await reachAll(open({ cluster: { nodes: [`127.0.0.1:${proxy.port}`] } }));
  expect(proxy.names).toEqual(setOf(false));

  proxy.names.clear();
  await reachAll(open({ cluster: { nodes: [`localhost:${proxy.port}`] } }, { servername: 'redis.example' }));
  expect(proxy.names).toEqual(setOf('redis.example'));

  const namesHosts = await ask(port, 'CONFIG', 'SET', 'cluster-announce-hostname', 'localhost').catch(
    () => null,
  );
  if (namesHosts !== 'OK') return;
  await ask(port, 'CONFIG', 'SET', 'cluster-preferred-endpoint-type', 'hostname');
  proxy.names.clear();
  await reachAll(open({ cluster: { nodes: [`localhost:${proxy.port}`] } }));
  expect(proxy.names).toEqual(setOf('localhost'));
});

it('does so at Sentinels and the server that they name, for connections and the store with its queue', {
  tags: 'long',
}, async () => {
  const watched = await startSentinels({ replicas: 0, sentinels: 1, quorum: 1 });
  ends.push(() => watched.stop());
  const server = await proxyTo(watched.servers[0]!.port);
  const guard = await proxyTo(watched.sentinels[0]!.port);
  const natMap = { [`127.0.0.1:${watched.servers[0]!.port}`]: `localhost:${server.port}` };
  const { name } = watched;
  await reachAll(
    open({
      sentinel: {
        name,
        nodes: [`127.0.0.1:${guard.port}`],
        natMap,
        tls: { ca: authority.ca, servername: 'redis.example' },
      },
    }),
  );
  expect([server.names, guard.names]).toEqual([setOf('localhost'), setOf('redis.example')]);

  for (const each of [server, guard]) each.names.clear();
  const { storeUrl, storeTls, storeSentinel } = readEnv({
    REDIS_URL: 'h:1',
    KEYWARD_STORE_URL: `rediss://${name}`,
    KEYWARD_STORE_TLS_CA: authority.ca,
    KEYWARD_STORE_TLS_SERVERNAME: 'redis.example',
    KEYWARD_STORE_SENTINEL_NODES: `localhost:${guard.port}`,
    KEYWARD_STORE_SENTINEL_NAT_MAP: Object.entries(natMap)[0]!.join('='),
    KEYWARD_STORE_SENTINEL_TLS_CA: authority.ca,
  });
  await reachStore(openStore(storeUrl!, { tls: storeTls, sentinel: storeSentinel }));
  expect([server.names, guard.names]).toEqual([setOf('redis.example'), setOf('localhost')]);
});

const reachStore = async (store: Store): Promise<void> => {
  const [queue, dedicated] = [store.queue('add'), store.dedicated('stream')];
  const copy = queue.duplicate();
  ends.push(() => [dedicated, store].map((each) => each.close()));
  ends.push(() => [queue, copy].map((each) => each.disconnect()));
  expect(await store.use((redis) => redis.ping())).toBe('PONG');
  await dedicated.ready();
  for (const each of [queue, copy]) await expect.poll(() => each.status, { timeout: 5000 }).toBe('ready');
};

it('does so at the store', { tags: ['long'] }, async () => {
  const proxy = await proxyTo((await start()).port);
  await reachStore(openStore(`rediss://localhost:${proxy.port}`, { tls: { ca: authority.ca } }));
  expect(proxy.names).toEqual(setOf('localhost'));
});

it('takes the name of a host in its variables, and no address', () => {
  const wrong = (servername: string) => () =>
    readEnv({ REDIS_URL: 'rediss://h', REDIS_TLS_SERVERNAME: servername });
  for (const address of ['10.0.0.1', '::1', 'a b', 'host:6379', 'rediss://host'])
    expect(wrong(address)).toThrow('REDIS_TLS_SERVERNAME');
  expect(readEnv({ REDIS_URL: 'rediss://h', REDIS_TLS_SERVERNAME: 'a.example' }).connections[0]!.tls).toEqual(
    {
      servername: 'a.example',
    },
  );
});
