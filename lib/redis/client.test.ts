import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ConnectionConfig, readEnv } from '@/lib/configuration';
import { freePort, type RedisServer, startRedis } from '@/scripts/redis-server.mjs';
import { problemOf } from '@/scripts/testing/problem-of';
import { type ConnectionHandle, openConnection } from './connections';
import { scanKeys } from './scan';
import { openStore } from './store';
import { makeWriter } from './writer';

const opened: { close(): unknown }[] = [];
const written: unknown[][] = [];
const warnings: Error[] = [];
const onWarning = (warning: Error) => warnings.push(warning);

beforeEach(() => {
  written.length = 0;
  warnings.length = 0;
  for (const level of ['error', 'warn', 'log'] as const)
    vi.spyOn(console, level).mockImplementation((...args) => void written.push(args));
  process.on('warning', onWarning);
});

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  process.off('warning', onWarning);
  vi.restoreAllMocks();
  expect(written).toEqual([]);
  expect(warnings).toEqual([]);
});

const server = async (options: Parameters<typeof startRedis>[0] = {}): Promise<RedisServer> => {
  const started = await startRedis(options);
  opened.push({ close: () => started.stop() });
  return started;
};

const connect = (url: string, change: Partial<ConnectionConfig> = {}): ConnectionHandle => {
  const [config] = readEnv({ REDIS_URL: url, REDIS_PASSWORD: change.password ?? undefined }).connections;
  const handle = openConnection({ ...config!, id: 'shop', ...change });
  opened.unshift({ close: () => handle.topology.close() });
  return handle;
};

const key = Buffer.from('key');
/** Every way there is to ask something of a connection. */
const everyWay = (handle: ConnectionHandle): Promise<unknown>[] => [
  handle.reader.read(['TYPE', key]),
  handle.reader.getString(key),
  handle.reader.scanCollection('SSCAN', key, '0'),
  handle.background.size(),
  scanKeys(handle).next(),
  makeWriter(handle).write(['UNLINK', key]),
  makeWriter(handle).compareAndSet(key, null, null),
];

describe('a server that is not there', () => {
  it('is a 503 that names the connection, at once, however many ask', async () => {
    const handle = connect(`redis://127.0.0.1:${await freePort()}`);
    const started = performance.now();
    const asked = Array.from({ length: 10 }, () => everyWay(handle)).flat();
    for (const problem of await Promise.all(asked.map(problemOf))) {
      expect(problem).toMatchObject({ status: 503, code: 'unreachable' });
      expect(problem.extensions).toMatchObject({ connection: 'shop' });
      expect(problem.message).toContain('nothing is listening');
    }
    expect(performance.now() - started).toBeLessThan(2000);
    expect(handle.status()).toEqual({ state: 'unreachable', reason: 'nothing is listening at its address' });
  });

  it('is used within 5 s once it is there', async () => {
    const port = await freePort();
    const handle = connect(`redis://127.0.0.1:${port}`);
    await problemOf(handle.reader.size());
    await server({ port });
    await expect.poll(() => handle.reader.size().catch(() => null), { timeout: 5000 }).toBe(0);
    expect(handle.status()).toEqual({ state: 'ready', reason: null });
  });

  it('is noticed when it goes and when it comes back', { tags: 'long' }, async () => {
    const first = await server();
    const handle = connect(first.url);
    const writer = makeWriter(handle);
    expect(await handle.reader.size()).toBe(0);
    expect(await writer.compareAndSet(key, null, key)).toEqual({ ok: true });
    await first.stop();
    await problemOf(handle.reader.size());
    await expect.poll(() => handle.status().state, { timeout: 3000 }).toBe('unreachable');
    for (const problem of await Promise.all(everyWay(handle).map(problemOf)))
      expect(problem.status).toBe(503);
    await server({ port: first.port });
    await expect.poll(() => handle.reader.size().catch(() => null), { timeout: 5000 }).toBe(0);
    // Each purpose has a client of its own, which comes back by itself.
    await expect
      .poll(() => writer.compareAndSet(key, null, key).catch(() => null), { timeout: 5000 })
      .toEqual({ ok: true });
  });

  it('is distinguished from one that is up and does not answer', { tags: 'long' }, async () => {
    const frozen = await server();
    const handle = connect(frozen.url);
    expect(await handle.reader.size()).toBe(0);
    process.kill(frozen.pid, 'SIGSTOP');
    try {
      const started = performance.now();
      const problem = await problemOf(handle.reader.size());
      expect(problem.message).toContain('did not answer in time');
      expect(performance.now() - started).toBeLessThan(6000);
      await expect.poll(() => handle.status().state, { timeout: 3000 }).toBe('unreachable');
      const again = performance.now();
      await problemOf(handle.reader.size());
      expect(performance.now() - again).toBeLessThan(2500);
    } finally {
      process.kill(frozen.pid, 'SIGCONT');
    }
    await expect.poll(() => handle.reader.size().catch(() => null), { timeout: 5000 }).toBe(0);
  });

  it('is a 503 of the store too, and heals', async () => {
    const port = await freePort();
    const store = openStore(`redis://127.0.0.1:${port}`);
    opened.unshift(store);
    const problem = await problemOf(store.use((redis) => redis.ping()));
    expect(problem).toMatchObject({ status: 503, code: 'store_unavailable' });
    expect(store.state().state).toBe('unreachable');
    const first = await server({ port });
    const ping = () => store.use((redis) => redis.ping()).catch(() => null);
    await expect.poll(ping, { timeout: 5000 }).toBe('PONG');
    await first.stop();
    // Until then a pipeline is sent, and answers with its commands' errors.
    await expect.poll(() => store.state().state).not.toBe('ready');
    for (const work of [
      store.use((redis) => redis.ping()),
      store.use((redis) => redis.multi().set('a', 1).exec()),
      store.use((redis) => redis.pipeline().set('a', 1).exec()),
      store.run('lease', ['lease'], ['me', 1000]),
    ])
      expect((await problemOf(work)).code).toBe('store_unavailable');
  });
});

describe('a server that refuses us', () => {
  it('is named with the reason, without the password', async () => {
    const { port } = await server({ args: ['--requirepass', 'right-password'] });
    for (const url of [
      `redis://:wrong-s3cret@127.0.0.1:${port}`,
      `redis://bob:wrong-s3cret@127.0.0.1:${port}`,
    ]) {
      const handle = connect(url);
      for (const problem of await Promise.all(everyWay(handle).map(problemOf))) {
        expect(problem).toMatchObject({ status: 503 });
        expect(problem.message).toContain('refused the user name or password');
        const document = JSON.stringify([problem.toDocument('r'), String(problem), handle.status()]);
        expect(document).not.toMatch(/wrong-s3cret|right-password/);
      }
      expect(handle.status().reason).toContain('refused the user name or password');
    }
    const without = connect(`redis://127.0.0.1:${port}`);
    expect((await problemOf(without.reader.size())).message).toContain('refused the user name or password');
    const right = connect(`redis://:wrong-s3cret@127.0.0.1:${port}`, { password: 'right-password' });
    expect(await right.reader.size()).toBe(0);
  });

  it('is named when its ACL forbids a command', async () => {
    const acl = ['--user', 'ops', 'on', '>pw', '~*', '-@all', '+info', '+dbsize', '+client'];
    const { port } = await server({ args: acl });
    const handle = connect(`redis://ops:pw@127.0.0.1:${port}`);
    expect(await handle.reader.size()).toBe(0);
    const problem = await problemOf(handle.reader.read(['TYPE', key]));
    expect(problem.message).toContain('its user may not use TYPE');
    expect(problem).toMatchObject({ code: 'not_permitted', extensions: { command: 'TYPE' } });
  });
});

describe('the database of a URL', () => {
  it('is the one that is used, by every client of the connection, also after reconnecting', {
    tags: ['long'],
  }, async () => {
    const first = await server();
    const three = connect(`${first.url}/3`);
    const none = connect(first.url);
    await makeWriter(three).compareAndSet(key, null, key);
    expect([await three.reader.size(), await three.background.size(), await none.reader.size()]).toEqual([
      1, 1, 0,
    ]);
    expect((await scanKeys(three).next()).value).toMatchObject({ keys: [key], cursor: null, share: 1 });
    await first.stop();
    await problemOf(three.reader.size());
    await server({ port: first.port });
    await expect.poll(() => three.reader.size().catch(() => null), { timeout: 5000 }).toBe(0);
    // Its client for changes connects again by itself.
    await expect
      .poll(
        () =>
          makeWriter(three)
            .compareAndSet(key, null, key)
            .catch(() => null),
        { timeout: 5000 },
      )
      .not.toBeNull();
    expect([await three.reader.size(), await none.reader.size()]).toEqual([1, 0]);
  });

  it('is never silently another one, where the server has no such database', async () => {
    const { url } = await server({ args: ['--databases', '4'] });
    const handle = connect(`${url}/9`);
    for (const problem of await Promise.all(everyWay(handle).map(problemOf)))
      expect(problem).toMatchObject({ status: 503, code: 'unreachable' });
    expect(handle.status()).toMatchObject({
      state: 'unreachable',
      reason: expect.stringContaining('database'),
    });
  });
});
