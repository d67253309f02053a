import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { type RedisServer, startRedis } from '../redis-server.mjs';
import { IS_REDIS_6 } from './this-redis';

/** A server used by one test context only. */
interface TestServer {
  readonly url: string;
  /** Restarts as another process, with its data, on its port. */
  restart(): Promise<void>;
  release(): Promise<void>;
}

interface Kept {
  server: RedisServer;
  /** What a test may have changed permanently, in its initial state. */
  state: string;
}

/** Unused servers of this worker, by their arguments. They end with the worker. */
const idle = new Map<string, Kept[]>();
const folders: string[] = [];

const removeFolders = () => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
};
process.once('exit', removeFolders);
// How vitest ends a worker.
process.once('SIGTERM', () => {
  removeFolders();
  process.kill(process.pid, 'SIGTERM');
});

const asking = async <T>({ url }: RedisServer, work: (redis: Redis) => Promise<T>): Promise<T> => {
  const redis = new Redis(url, { retryStrategy: null });
  redis.on('error', () => undefined);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
};

const stateOf = async (redis: Redis): Promise<string> => {
  const [settings, users, role] = await Promise.all([
    redis.config('GET', '*'),
    redis.acl('LIST'),
    redis.role(),
  ]);
  // The settings have no fixed order.
  const list = settings as string[];
  const pairs = list.flatMap((name, i) => (i % 2 ? [] : [`${name} ${list[i + 1]}`]));
  return JSON.stringify([pairs.sort(), users, role[0]]);
};

const FORGET = [
  ['CLIENT', 'UNPAUSE'],
  ...['normal', 'pubsub', 'replica'].map((type) => ['CLIENT', 'KILL', 'TYPE', type]),
  ['FLUSHALL'],
  ['SCRIPT', 'FLUSH'],
  ...(IS_REDIS_6 ? [] : [['FUNCTION', 'FLUSH']]),
  ['SLOWLOG', 'RESET'],
  ['LATENCY', 'RESET'],
  ['ACL', 'LOG', 'RESET'],
  ['CONFIG', 'RESETSTAT'],
];

/** Whether a server is in its initial state, except for its process. A server that answers otherwise is not. */
const isClean = ({ server, state }: Kept): Promise<boolean> =>
  asking(server, async (redis) => {
    await Promise.all(FORGET.map(([name, ...args]) => redis.call(name!, ...args)));
    return (await stateOf(redis)) === state;
  }).catch(() => false);

/** An empty server with these arguments: a clean one from an earlier context, or a new one. */
export const takeServer = async (args: string[] = []): Promise<TestServer> => {
  const name = args.join(' ');
  let kept = idle.get(name)?.pop();
  if (!kept) {
    const dir = mkdtempSync(join(tmpdir(), 'keyward-redis-'));
    folders.push(dir);
    const server = await startRedis({ args, dir });
    kept = { server, state: await asking(server, stateOf).catch(() => '') };
  }
  const own = kept;
  return {
    url: own.server.url,
    restart: async () => {
      await asking(own.server, (redis) => redis.save());
      await own.server.stop();
      own.server = await startRedis({ args, dir: own.server.dir, port: own.server.port });
    },
    release: async () => {
      if (await isClean(own)) idle.set(name, [...(idle.get(name) ?? []), own]);
      else await own.server.stop();
    },
  };
};
