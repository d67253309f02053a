import { createServer, type Server } from 'node:http';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Env, readEnv } from '@/lib/configuration';
import { startCluster } from './cluster.mjs';
import { checkAddress, checkConnections, checkProvider, checkStore } from './doctor-checks';
import type { Finding } from './doctor-finding';
import { freePort, type RedisServer, startRedis } from './redis-server.mjs';

const servers: RedisServer[] = [];
const start = async (...args: string[]): Promise<RedisServer> => {
  const server = await startRedis({ args });
  servers.push(server);
  return server;
};
let plain: RedisServer;
beforeAll(async () => {
  plain = await start();
});
afterAll(() => Promise.all(servers.map(({ stop }) => stop())));

const envOf = (variables: Record<string, string>): Env =>
  readEnv({ REDIS_URL: plain.url, KEYWARD_STORE_URL: plain.url, ...variables });
const storeAt = (url: string, now?: () => number) => checkStore(envOf({ KEYWARD_STORE_URL: url }), url, now);
const connectionAt = (url: string, now?: () => number) => checkConnections(envOf({ REDIS_URL: url }), now);
const sayings = (findings: readonly Finding[]) => findings.map(({ state, text }) => `${state}: ${text}`);
const withPassword = (url: string, password: string) => url.replace('//', `//:${password}@`);

it('finds nothing wrong with a store that persists and has a password', async () => {
  const server = await start('--appendonly', 'yes', '--requirepass', 'secret');
  const findings = await storeAt(withPassword(server.url, 'secret'));
  expect(findings).toEqual([
    { state: 'ok', about: 'store', text: expect.stringMatching(/^redis [\d.]+, persistent$/), remedy: null },
  ]);
});

it.each<[string, string[], RegExp]>([
  ['asks for a password', ['--requirepass', 'secret'], /^failed: .*password/i],
  ['evicts', ['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru'], /^warning: .*may evict/],
  ['does not persist', [], /^warning: .*no append-only file/],
  ['has no password', ['--appendonly', 'yes'], /^warning: .*no password/],
  ['is a replica', ['--replicaof', '127.0.0.1', '1'], /^failed: (it is a read-only replica|.*)$/],
])('names a store that %s', async (_, args, saying) => {
  const server = await start(...args);
  const findings = await storeAt(server.url);
  expect(sayings(findings)).toContainEqual(expect.stringMatching(saying));
  expect(findings.every(({ remedy }) => remedy)).toBe(true);
});

it('names a store that is not there, and one that is a cluster', { tags: ['long'] }, async () => {
  const gone = await storeAt(`redis://127.0.0.1:${await freePort()}`);
  expect(gone).toMatchObject([{ state: 'failed', text: expect.stringContaining('unavailable') }]);
  const cluster = await startCluster({ primaries: 1, replicas: 0 });
  try {
    const findings = await storeAt(`redis://${cluster.nodes[0]}`);
    expect(findings).toMatchObject([{ state: 'failed', remedy: expect.stringContaining('not a cluster') }]);
  } finally {
    await cluster.stop();
  }
});

it('names a clock that is ten minutes off, on either side', { tags: ['long'] }, async () => {
  const ahead = await connectionAt(plain.url, () => Date.now() - 600_000);
  expect(sayings(ahead)).toEqual(['failed: its clock is 600 s ahead of the clock of this machine']);
  const behind = await storeAt(plain.url, () => Date.now() + 600_000);
  expect(sayings(behind)).toContain('failed: its clock is 600 s behind the clock of this machine');
});

it('names what the Redis user may not do, with the rules that allow it', async () => {
  const server = await start();
  const redis = new Redis(server.url);
  await redis.acl('SETUSER', 'default', '-slowlog');
  redis.disconnect();
  const [finding, ...others] = await connectionAt(server.url);
  expect(others).toEqual([]);
  expect(finding).toMatchObject({
    state: 'warning',
    about: 'connection main',
    text: expect.stringMatching(/^\d+ of \d+ features do not work: .*Slow log/),
    remedy: expect.stringMatching(/^ACL SETUSER of its user: .*\+slowlog/),
  });
});

it.each([
  ['is not there', async () => `redis://127.0.0.1:${await freePort()}`],
  ['refuses the password', async () => withPassword((await start('--requirepass', 'secret')).url, 'wrong')],
  ['asks for a password', async () => (await start('--requirepass', 'secret')).url],
])('names a Redis that %s, without its password', async (_, urlOf) => {
  const findings = await connectionAt(await urlOf());
  expect(findings).toMatchObject([{ state: 'failed', about: 'connection main' }]);
  expect(JSON.stringify(findings)).not.toMatch(/wrong|secret/);
});

it('names an address that reaches nothing, or something else, or a console that wants its Host', {
  tags: ['long'],
}, async () => {
  const answers = [200, 502, 400];
  const http: Server = createServer((_, response) => response.writeHead(answers.shift()!).end());
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as { port: number };
  const check = (url: string) => checkAddress(envOf({ NEXTAUTH_URL: url }));
  try {
    const here = `http://127.0.0.1:${port}`;
    expect(sayings(await check(here))).toEqual([`ok: ${here} reaches the console`]);
    expect(sayings(await check(here))).toEqual([`failed: ${here} answers 502`]);
    expect((await check(here))[0]?.remedy).toContain('Host');
    const closed = `http://127.0.0.1:${await freePort()}`;
    expect(sayings(await check(closed))).toEqual([`failed: ${closed} is not reached (ECONNREFUSED)`]);
    expect(sayings(await check('http://keyward.invalid'))).toEqual([
      expect.stringMatching(/^warning: .*not encrypted/),
      expect.stringMatching(/^warning: no proxy is trusted/),
      expect.stringMatching(/^failed: .*is not reached/),
    ]);
  } finally {
    http.close();
  }
});

it('names a provider that is not reached, or calls itself otherwise', async () => {
  let document: object = {};
  const http: Server = createServer((_, response) => response.end(JSON.stringify(document)));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as { port: number };
  const issuer = `http://127.0.0.1:${port}`;
  const check = (at: string) =>
    checkProvider(
      envOf({
        KEYWARD_OIDC_ISSUER: at,
        KEYWARD_OIDC_CLIENT_ID: 'keyward',
        KEYWARD_OIDC_CLIENT_SECRET: 'secret',
        KEYWARD_OIDC_DEFAULT_ROLE: 'viewer',
      }),
    );
  try {
    document = { issuer };
    expect(sayings(await check(issuer))).toEqual([`ok: ${issuer} answers`]);
    document = { issuer: `${issuer}/` };
    expect(sayings(await check(issuer))).toEqual([expect.stringMatching(/^failed: it calls itself/)]);
    const closed = `http://127.0.0.1:${await freePort()}`;
    expect(sayings(await check(closed))).toEqual([
      `failed: ${closed}/.well-known/openid-configuration is not reached (ECONNREFUSED)`,
    ]);
  } finally {
    http.close();
  }
});
