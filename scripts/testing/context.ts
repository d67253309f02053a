import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, Redis } from 'ioredis';
import type { Actor } from '@/lib/actor';
import { catalogOf, type WriteContext } from '@/lib/command/context';
import { type ConnectionConfig, forgetEnv, type HawkSettings, readEnv } from '@/lib/configuration';
import { type ConnectionHandle, closeConnections, openConnection } from '@/lib/redis/connections';
import { closeStore, store } from '@/lib/redis/store';
import { makeWriter } from '@/lib/redis/writer';
import { takeServer } from './servers';

export interface TestContextOptions extends Partial<Omit<ConnectionConfig, 'hawk' | 'url'>> {
  role?: 'admin' | 'support' | 'product' | 'viewer';
  hawk?: Partial<HawkSettings>;
  /** Further arguments of the application's redis-server. */
  redisArgs?: string[];
  /** A folder of rate limits, as in HAWK_LIMITS_DIR. */
  limitsDir?: string;
  /** A cluster instead of a separate redis-server, `host:port` of its nodes: the caller stops it. */
  nodes?: readonly string[];
  /** `name:password` of the console's Redis user; by default the default user. */
  user?: string | undefined;
}

export interface TestContext {
  ctx: WriteContext;
  handle: ConnectionHandle;
  /** Raw clients: of the application's Redis, like the application's own, and of the console's store. */
  redis: Redis;
  storeRedis: Redis;
  /** Empties both servers. */
  empty(): Promise<void>;
  /**
   * Restarts the application's server with its data on its port, as another process; resolves when all clients are
   * connected.
   */
  restart(): Promise<void>;
  /** Another context of the same connection, for another change or user. */
  as(change: Partial<Pick<WriteContext, 'actor' | 'auditId' | 'reason' | 'now'>>): WriteContext;
  close(): Promise<void>;
}

/** A fixed key, so that digests are equal in every run. */
const SECRET_KEY = Buffer.alloc(32, 'keyward-test').toString('base64');

export const testActor = (role: TestContextOptions['role'] = 'admin'): Actor => ({
  kind: 'user',
  id: `user-${role}`,
  email: `${role}@example.org`,
  name: `Test ${role}`,
  role,
});

/** Two servers, empty as if just started, and a context like `runCommand`'s. Sets this process's environment. */
export const testContext = async (options: TestContextOptions = {}): Promise<TestContext> => {
  const { role, hawk, redisArgs = [], limitsDir = '', user, nodes, ...overrides } = options;
  const [server, storeServer] = await Promise.all([takeServer(redisArgs), takeServer()]);
  Object.assign(process.env, {
    KEYWARD_SECRET_KEY: SECRET_KEY,
    KEYWARD_STORE_URL: storeServer.url,
    REDIS_URL: user ? server.url.replace('//', `//${user}@`) : server.url,
    HAWK_LIMITS_DIR: limitsDir,
  });
  forgetEnv();
  closeConnections();
  closeStore();
  const [main] = readEnv().connections;
  if (!main) throw new Error('REDIS_URL made no connection');
  const place = nodes ? { url: null, cluster: { nodes: [...nodes], natMap: null } } : {};
  const config = { ...main, ...overrides, ...place, hawk: { ...main.hawk, ...hawk } };
  const handle = openConnection(config);
  await handle.topology.known();
  const cluster = nodes ? new Cluster(nodes.map((node) => `redis://${node}`)) : null;
  // It has the methods of a single server's client, except those that need one server.
  const redis = cluster ? (cluster as unknown as Redis) : new Redis(server.url);
  // Without a listener ioredis logs the lost connection during a restart.
  redis.on('error', () => undefined);
  const storeRedis = new Redis(storeServer.url);
  const as: TestContext['as'] = (change) => ({
    actor: testActor(role),
    requestId: randomUUID(),
    store: store(),
    now: Date.now,
    connection: handle,
    catalog: catalogOf(handle),
    reader: handle.reader,
    writer: makeWriter(handle),
    auditId: randomUUID(),
    reason: null,
    ...change,
  });
  return {
    ctx: as({}),
    handle,
    redis,
    storeRedis,
    empty: async () => {
      const servers = cluster?.nodes('master') ?? [redis];
      await Promise.all([...servers, storeRedis].map((client) => client.flushall()));
    },
    restart: async () => {
      await server.restart();
      const clients = handle.topology.primaries().flatMap((node) => node.clients());
      const isBack = () => redis.status === 'ready' && clients.every((client) => client.state() === 'ready');
      while (!isBack()) await sleep(5);
    },
    as,
    close: async () => {
      redis.disconnect();
      storeRedis.disconnect();
      handle.topology.close();
      closeConnections();
      closeStore();
      await Promise.all([server.release(), storeServer.release()]);
    },
  };
};
