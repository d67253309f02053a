import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCluster } from './cluster.mjs';
import type { Finding } from './doctor-finding';
import { checkMemory, checkState } from './doctor-machine';
import { freePort, type RedisServer, startRedis } from './redis-server.mjs';
import { certificates } from './testing/certificates';
import { runScript } from './testing/run-script';

const folder = mkdtempSync(join(tmpdir(), 'keyward-doctor-'));
const ends: (() => unknown)[] = [];
let app: RedisServer;
let store: RedisServer;

const start = async (...args: string[]): Promise<RedisServer> => {
  const server = await startRedis({ args });
  ends.push(server.stop);
  return server;
};
const serve = async (answer: RequestListener): Promise<number> => {
  const http: Server = createServer(answer);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  ends.push(() => http.close());
  return (http.address() as { port: number }).port;
};
const redisOf = async <T>({ url }: RedisServer, work: (redis: Redis) => Promise<T>): Promise<T> => {
  const redis = new Redis(url);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
};

beforeAll(async () => {
  [app, store] = await Promise.all([start(), start('--appendonly', 'yes', '--requirepass', 'sesame')]);
});
afterAll(async () => {
  for (const end of ends) await end();
  rmSync(folder, { recursive: true, force: true });
});

let number = 0;
const storeUrl = () => store.url.replace('//', '//:sesame@');

/** What `npm run doctor` finds in an installation that is sound except for these variables. */
const examine = async (
  variables: Record<string, string>,
): Promise<{ status: number | null; found: string[] }> => {
  const { status, out, err } = await runScript('doctor.mjs', ['--json'], {
    REDIS_URL: app.url,
    KEYWARD_STORE_URL: storeUrl(),
    KEYWARD_STATE_DIR: join(folder, `state-${++number}`),
    PORT: String(await freePort()),
    ...variables,
  });
  if (!out) throw new Error(err);
  const findings = (JSON.parse(out) as Finding[]).filter(({ state }) => state !== 'ok');
  expect(out).not.toMatch(/sesame|hunter2/);
  return {
    status,
    found: findings.map(({ state, about, text, remedy }) => `${state} ${about}: ${text} | ${remedy}`),
  };
};

const CHECK_STORE = 'Check KEYWARD_STORE_URL: address, password, TLS, and whether it runs.';
const CHECK_REDIS = 'Check its address, user, password and TLS.';

it('finds nothing wrong with an installation that is right', async () => {
  expect(await examine({})).toEqual({ status: 0, found: [] });
});

/** Each installation has exactly one fault. */
const FAULTS: [
  what: string,
  variables: () => Promise<Record<string, string>>,
  status: number,
  says: RegExp,
][] = [
  [
    'a store that refuses the password',
    async () => ({ KEYWARD_STORE_URL: store.url.replace('//', '//:hunter2@') }),
    1,
    /^failed store: Keyward's own store is unavailable: it refused the user name or password\. \| Check KEYWARD_STORE_URL/,
  ],
  [
    'a store that needs a password',
    async () => ({ KEYWARD_STORE_URL: store.url }),
    1,
    /^failed store: Keyward's own store is unavailable: it refused the user name or password\. \| Check KEYWARD_STORE_URL/,
  ],
  [
    'a Redis user without a command',
    async () => {
      const limited = await start();
      await redisOf(limited, (redis) => redis.acl('SETUSER', 'default', '-slowlog'));
      return { REDIS_URL: limited.url };
    },
    0,
    /^warning connection main: \d+ of \d+ features do not work: .*Slow log.* \| ACL SETUSER of its user: .*\+slowlog/,
  ],
  [
    'TLS where the server has none',
    async () => ({ REDIS_URL: app.url.replace('redis:', 'rediss:') }),
    1,
    new RegExp(`^failed connection main: .*it does not speak TLS on this port\\. \\| ${CHECK_REDIS}`),
  ],
  [
    'no TLS where the server needs it',
    async () => {
      const made = certificates();
      ends.push(made.remove);
      const { ca, issue } = made.authority();
      return tlsStore({ ca, ...issue() });
    },
    1,
    new RegExp(
      `^failed store: .*it closed the connection before it answered, as a port for TLS does\\. \\| ${CHECK_STORE}`,
    ),
  ],
  [
    'a store that evicts',
    async () => {
      const evicting = ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'];
      return guarded(await start(...evicting, '--appendonly', 'yes', '--requirepass', 'sesame'));
    },
    0,
    /^warning store: Keyward's store may evict users, audit and undo records \(maxmemory-policy allkeys-lru\) \| Set maxmemory-policy to noeviction/,
  ],
  [
    'a store that is nearly full',
    async () => {
      const near = await start('--appendonly', 'yes', '--requirepass', 'sesame');
      const { KEYWARD_STORE_URL: url = '' } = guarded(near);
      // Enough that the memory of connections makes no difference.
      await redisOf({ ...near, url }, (redis) => redis.set('x', 'x'.repeat(40_000_000)));
      await redisOf({ ...near, url }, async (redis) => {
        const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))![1]);
        await redis.config('SET', 'maxmemory', Math.round(used * 1.06));
      });
      return { KEYWARD_STORE_URL: url };
    },
    0,
    /^warning store: it uses 9\d % of its maxmemory \| Raise maxmemory/,
  ],
  [
    'a store whose memory is full',
    async () => {
      const full = await start('--appendonly', 'yes', '--requirepass', 'sesame', '--maxmemory', '1');
      return guarded(full);
    },
    1,
    /^failed store: Keyward's own store takes no changes: its memory limit is reached\. \| Make room there/,
  ],
  [
    'a store whose disk is full',
    async () => {
      const dir = join(folder, 'rdb');
      const server = await startRedis({
        dir,
        appendOnly: true,
        args: ['--save', '3600 1', '--requirepass', 'sesame'],
      });
      ends.push(server.stop);
      mkdirSync(join(dir, 'dump.rdb/x'), { recursive: true });
      const made = guarded(server);
      await redisOf({ ...server, url: made.KEYWARD_STORE_URL! }, async (redis) => {
        await redis.set('x', 1);
        await redis.bgsave();
        await expect.poll(() => redis.info('persistence')).toContain('rdb_last_bgsave_status:err');
      });
      return made;
    },
    1,
    /^failed store: Keyward's own store takes no changes: it refuses changes because it cannot save to disk\. \| Make room there/,
  ],
  [
    'a store that is a cluster',
    async () => {
      const cluster = await startCluster({ primaries: 1, replicas: 0 });
      ends.push(cluster.stop);
      return { KEYWARD_STORE_URL: `redis://${cluster.nodes[0]}` };
    },
    1,
    /^failed store: KEYWARD_STORE_URL: .*it is a node of a Redis Cluster.* \| Use a Redis that is not a cluster/,
  ],
  [
    'a store of a newer console',
    async () => {
      const newer = await start('--appendonly', 'yes', '--requirepass', 'sesame');
      const made = guarded(newer);
      await redisOf({ ...newer, url: made.KEYWARD_STORE_URL! }, (redis) =>
        redis.hset('keyward:schema', { version: '9', writtenBy: '4.0.0' }),
      );
      return made;
    },
    1,
    /^failed store: Keyward's store has schema 9 by Keyward 4\.0\.0; this is Keyward \S+, which knows schema \d+\. Nothing is changed: use Keyward 4\.0\.0 or newer\. \| Start that version/,
  ],
  [
    'a port that another program has',
    async () => ({ PORT: String(await serve((_, response) => response.end('no'))) }),
    1,
    /^failed port: another program listens on \d+ \| Choose another with PORT/,
  ],
  [
    'a folder of backups that cannot be written to',
    async () => {
      writeFileSync(join(folder, 'file'), '');
      return { KEYWARD_BACKUP_DIR: join(folder, 'file/backups') };
    },
    1,
    /^failed backup: \S+file\/backups cannot be written to, so no upgrade of the store begins \| Set KEYWARD_BACKUP_DIR/,
  ],
  [
    'secrets that others may read',
    async () => {
      const state = join(folder, 'open');
      mkdirSync(state, { mode: 0o755 });
      return { KEYWARD_STATE_DIR: state };
    },
    1,
    /^failed secrets: \S+open is accessible to other users of this machine \| chmod 700/,
  ],
  [
    'a proxy that does not pass the host on',
    async () => ({
      NEXTAUTH_URL: `http://127.0.0.1:${await serve((_, response) => response.writeHead(400).end())}`,
    }),
    1,
    /^failed address: http:\/\/127\.0\.0\.1:\d+ answers 400 \| The proxy must pass the Host header on\./,
  ],
];

const guarded = ({ url }: RedisServer): Record<string, string> => ({
  KEYWARD_STORE_URL: url.replace('//', '//:sesame@'),
});

/** A store that accepts only TLS, addressed without it. */
const tlsStore = async ({ ca, cert, key }: { ca: string; cert: string; key: string }) => {
  const port = await freePort();
  const files = ['--tls-ca-cert-file', ca, '--tls-cert-file', cert, '--tls-key-file', key];
  await start('--tls-port', String(port), '--tls-auth-clients', 'no', ...files);
  return { KEYWARD_STORE_URL: `redis://:sesame@127.0.0.1:${port}` };
};

it.each(FAULTS)('names %s, and what to do', async (_, variablesOf, status, says) => {
  const { status: ended, found } = await examine(await variablesOf());
  expect(found).toEqual([expect.stringMatching(says)]);
  expect(ended).toBe(status);
});

it('names a proxy that is not trusted, and an address without encryption', async () => {
  const { found } = await examine({ NEXTAUTH_URL: 'http://keyward.invalid' });
  expect(found).toEqual([
    expect.stringMatching(/^warning address: .*is not encrypted.* \| Use https in front of it\./),
    expect.stringMatching(/^warning address: no proxy is trusted.* \| Set KEYWARD_TRUSTED_PROXIES/),
    expect.stringMatching(/^failed address: .*is not reached \(E\w+\) \| Check NEXTAUTH_URL/),
  ]);
});

it('takes a console that answers on its port for the console', async () => {
  const port = await serve((_, response) => response.end('{"status":"ok"}'));
  expect(await examine({ PORT: String(port) })).toEqual({ status: 0, found: [] });
});

it('names a container or a disk without room, and a folder that is a file', () => {
  expect(checkMemory(undefined)).toEqual([]);
  expect(checkMemory(600 * 2 ** 20)).toEqual([]);
  expect(checkMemory(256 * 2 ** 20)).toMatchObject([
    { state: 'warning', text: 'this container may use 256 MiB' },
  ]);
  const state = join(folder, 'none/state');
  expect(checkState(state, 2 ** 40)).toEqual([]);
  expect(checkState(state, 20 * 2 ** 20)).toMatchObject([
    { state: 'warning', text: expect.stringContaining('has 20 MiB left') },
  ]);
  writeFileSync(join(folder, 'a-file'), '');
  expect(checkState(join(folder, 'a-file'))).toMatchObject([
    { state: 'failed', text: expect.stringContaining('cannot be written to') },
  ]);
});
