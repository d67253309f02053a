import type { EventEmitter } from 'node:events';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { readEnv } from '@/lib/configuration';
import { freePort, type RedisServer, startRedis } from '@/scripts/redis-server.mjs';
import { type Authority, certificates, type Pair } from '@/scripts/testing/certificates';
import type { Client } from './client';
import { connectTo } from './client';
import { openStore } from './store';

const made = certificates();
let ours: Authority;
let others: Authority;
let client: Pair;
const open: { close(): void }[] = [];
const servers: RedisServer[] = [];

/** A server that speaks TLS on `port`; `stop` it to renew its certificate. */
const startTls = async (pair: Pair, ca: string, ...args: string[]) => {
  const port = await freePort();
  const tls = ['--tls-port', port, '--tls-cert-file', pair.cert, '--tls-key-file', pair.key];
  const server = await startRedis({ args: [...tls.map(String), '--tls-ca-cert-file', ca, ...args] });
  servers.push(server);
  return { server, url: `rediss://127.0.0.1:${port}` };
};

beforeAll(() => {
  [ours, others] = [made.authority(), made.authority()];
  client = ours.issue();
});
afterEach(async () => {
  for (const each of open.splice(0)) each.close();
  for (const server of servers.splice(0)) await server.stop();
});
afterAll(() => made.remove());

const connect = (url: string, files: { ca?: string; cert?: string; key?: string }): Client => {
  const named = Object.entries(files).map(([file, path]) => [`REDIS_TLS_${file.toUpperCase()}`, path]);
  const { connections } = readEnv({ REDIS_URL: url, ...Object.fromEntries(named) });
  const opened = connectTo(connections[0]!, 'read');
  open.push(opened);
  return opened;
};

const reasonOf = async (opened: Client): Promise<string | null> => {
  await expect
    .poll(() =>
      opened.ready().then(
        () => 'ready',
        () => opened.reason(),
      ),
    )
    .not.toBe('connecting');
  return opened.reason();
};

it('connects with a private authority and a client certificate', { tags: ['long'] }, async () => {
  const { url } = await startTls(ours.issue(), ours.ca);
  expect(await reasonOf(connect(url, { ca: ours.ca, ...client }))).toBeNull();
});

const CLIENT =
  /it ended the TLS handshake: it requires a client certificate|our client certificate|requires a client certificate/;

it('keeps the store behind TLS, with the queue’s clients', { tags: ['long'] }, async () => {
  const { url } = await startTls(ours.issue(), ours.ca);
  const store = openStore(url, { tls: { ca: ours.ca, ...client } });
  const queue = store.queue('add');
  open.push(store, { close: () => queue.disconnect() });
  expect(await store.use((redis) => redis.set('a', '1'))).toBe('OK');
  await expect.poll(() => queue.status).toBe('ready');
  expect(await queue.get('a')).toBe('1');
});

it('gives each fault its own reason', { tags: 'long' }, async () => {
  const { url, server } = await startTls(ours.issue(), ours.ca);
  const expired = await startTls(ours.issue({ isExpired: true }), ours.ca, '--tls-auth-clients', 'no');
  const elsewhere = await startTls(ours.issue({ names: 'DNS:redis.example' }), ours.ca);
  const reasons = async (cases: [string, Parameters<typeof connect>[1], string | RegExp][]) => {
    for (const [at, files, reason] of cases) expect(await reasonOf(connect(at, files))).toMatch(reason);
  };
  const trusted = { ca: ours.ca, ...client };
  await reasons([
    [url, { ca: others.ca, ...client }, 'its certificate is not signed by an authority that is trusted here'],
    [expired.url, { ca: ours.ca }, 'its certificate has expired'],
    [elsewhere.url, trusted, 'its certificate is for another name'],
    [`rediss://127.0.0.1:${server.port}`, trusted, 'it does not speak TLS on this port'],
    [
      url.replace('rediss:', 'redis:'),
      {},
      'it closed the connection before it answered, as a port for TLS does',
    ],
    // Whether the server's alert arrives is chance.
    [url, { ca: ours.ca }, CLIENT],
    [url, { ca: ours.ca, ...others.issue() }, CLIENT],
    [url, { ca: ours.ca, ...ours.issue({ isExpired: true }) }, CLIENT],
    [`redis+unix://${join(made.dir, 'none.sock')}`, {}, 'its socket does not exist'],
  ]);
});

it('outlives an alert that a server sends after its certificate was refused', async () => {
  const { url } = await startTls(ours.issue({ names: 'DNS:redis.example' }), ours.ca);
  const opened = connect(url, { ca: ours.ca, ...client });
  const queue = openStore(url, { tls: { ca: ours.ca, ...client } }).queue('add');
  open.push({ close: () => queue.disconnect() });
  expect(await reasonOf(opened)).toBe('its certificate is for another name');
  await expect.poll(() => queue.status).toBe('reconnecting');
  // Whether it arrives is chance.
  for (const { stream } of [opened.redis, queue] as unknown as { stream: EventEmitter }[])
    for (const _ of [1, 2]) expect(() => stream.emit('error', new Error('alert'))).not.toThrow();
});

it('reads files again at each connection, and keeps the last good ones while one is broken', {
  tags: 'long',
}, async () => {
  const { server, url } = await startTls(ours.issue(), ours.ca);
  const files = {
    ca: join(made.dir, 'trusted.pem'),
    cert: join(made.dir, 'own.pem'),
    key: join(made.dir, 'own.key'),
  };
  const put = (ca: string, pair: Pair) => {
    copyFileSync(ca, files.ca);
    copyFileSync(pair.cert, files.cert);
    copyFileSync(pair.key, files.key);
  };
  put(ours.ca, client);
  const opened = connect(url, files);
  expect(await reasonOf(opened)).toBeNull();
  // A new authority for everything: the server is started again with it, on its port.
  const { port } = new URL(url);
  await server.stop();
  const pair = others.issue();
  const tls = ['--tls-port', port, '--tls-cert-file', pair.cert, '--tls-key-file', pair.key];
  servers.push(await startRedis({ args: [...tls, '--tls-ca-cert-file', others.ca] }));
  await expect
    .poll(
      () =>
        opened.ready().then(
          () => null,
          () => opened.reason(),
        ),
      { timeout: 5000 },
    )
    .toMatch('not signed by');
  writeFileSync(files.cert, 'half-written');
  await expect
    .poll(
      () =>
        opened.ready().then(
          () => null,
          () => opened.reason(),
        ),
      { timeout: 5000 },
    )
    .toMatch('not signed by');
  put(others.ca, others.issue());
  await expect.poll(() => reasonOf(opened), { timeout: 10_000 }).toBeNull();
  rmSync(files.cert);
  opened.redis.disconnect(true);
  await expect.poll(() => reasonOf(opened), { timeout: 10_000 }).toBeNull();
});
