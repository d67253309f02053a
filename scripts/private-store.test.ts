import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { addressOf, connectToStore } from '@/lib/redis/client';
import { problemOfStore } from './check-store';
import { closeFolder, startStore } from './private-store.mjs';
import { type RedisServer, runningServer, startRedis } from './redis-server.mjs';

let state: string;
const ends: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'keyward-state-'));
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  rmSync(state, { recursive: true, force: true });
});

const opened = async (folder = state) => {
  const store = await startStore(folder);
  ends.push(store.stop);
  return store;
};
const clientOf = (url: string): Redis => {
  const redis = new Redis({ ...addressOf(url), retryStrategy: () => 50, maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  ends.push(async () => redis.disconnect());
  return redis;
};
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const pidOf = async (redis: Redis): Promise<number> =>
  Number(/process_id:(\d+)/.exec(await redis.info('server'))![1]);

/** The answer that a stranger on this machine gets on a port; null if nothing listens. */
const asked = (port: number, command: string): Promise<string | null> =>
  new Promise((done) => {
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(`${command}\r\n`));
    socket.once('error', () => done(null));
    socket.once('data', (data) => {
      socket.destroy();
      done(data.toString());
    });
  });

/** How many TCP ports a process listens on. */
const tcpListeners = (pid: number): number => {
  const sockets = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  const rows = ['tcp', 'tcp6'].flatMap((name) =>
    readFileSync(`/proc/${pid}/net/${name}`, 'utf8').split('\n'),
  );
  const fields = rows.map((row) => row.trim().split(/\s+/));
  return fields.filter(
    ([, , , state, , , , , , inode]) => state === '0A' && sockets.includes(`socket:[${inode}]`),
  ).length;
};

/** Every process's command line that may be read. */
const commandLines = (): string =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      } catch {
        return '';
      }
    })
    .join('\n');

it('listens on a socket only, which nobody but its owner may open', async () => {
  const { url } = await opened();
  const path = join(state, 'store/redis.sock');
  expect(url).toBe(`redis+unix://${path}`);
  const redis = clientOf(url);
  expect(await redis.config('GET', 'port')).toEqual(['port', '0']);
  expect(tcpListeners(await pidOf(redis))).toBe(0);
  expect([modeOf(join(state, 'store')), modeOf(path)]).toEqual(['700', '700']);
  const client = connectToStore({ url, tls: null, sentinel: null }, 'test');
  await client.ready();
  expect(await client.redis.ping()).toBe('PONG');
  client.close();
});

it('has a password in files of its owner where the path is too long for a socket', async () => {
  const folder = join(state, 'x'.repeat(100));
  const { url } = await opened(folder);
  const { port, password } = new URL(url);
  expect(password).toMatch(/^[0-9a-f]{64}$/);
  for (const command of ['PING', 'KEYS *', 'INFO', 'SHUTDOWN NOSAVE', 'CONFIG GET requirepass'])
    expect(await asked(Number(port), command)).toMatch(/^-NOAUTH/);
  expect(modeOf(join(folder, 'store/redis.conf'))).toBe('600');
  const redis = clientOf(url);
  expect(tcpListeners(await pidOf(redis))).toBe(1);
  const lines = commandLines();
  expect(lines.includes(`127.0.0.1:${port}`)).toBe(true);
  expect(lines.includes(password)).toBe(false);
  await expect(opened(folder)).rejects.toThrow(/in use by the Redis with process id/);
});

it('has another password at each start, for one that crashed leaves its port to strangers', {
  tags: 'long',
}, async () => {
  const folder = join(state, 'x'.repeat(100));
  const first = await opened(folder);
  const { port, password } = new URL(first.url);
  await first.stop();
  writeFileSync(join(folder, 'store/keyward-server.json'), JSON.stringify({ pid: 1, port: Number(port) }));
  const heard: Buffer[] = [];
  const stranger = createServer((socket) => socket.on('data', (data) => heard.push(data)));
  await new Promise<void>((done) => stranger.listen(Number(port), '127.0.0.1', done));
  ends.push(async () => stranger.close());
  const second = new URL((await opened(folder)).url);
  expect(Buffer.concat(heard).toString()).toContain(password);
  expect(second.password).not.toBe(password);
});

it.each(['', 'x'.repeat(100)])(
  'comes back behind the same door when it dies, with what it held (%s)',
  async (name) => {
    const { url } = await opened(join(state, name));
    const redis = clientOf(url);
    await redis.config('SET', 'appendfsync', 'always');
    await redis.set('kept', '1');
    const pid = await pidOf(redis);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => pidOf(redis)).not.toBe(pid);
    expect(await redis.get('kept')).toBe('1');
  },
);

it('goes on with what a store on a port held, and leaves that alone while it is in use', async () => {
  const dir = join(state, 'store');
  const before: RedisServer = await startRedis({ dir, appendOnly: true });
  ends.push(before.stop);
  chmodSync(dir, 0o755);
  await clientOf(before.url).set('kept', '1');
  await expect(opened()).rejects.toThrow(/in use by the Redis with process id/);
  await before.stop();
  const { url } = await opened();
  expect(await clientOf(url).get('kept')).toBe('1');
  expect(modeOf(dir)).toBe('700');
  await expect(opened()).rejects.toThrow(/in use by the Redis with process id/);
});

it.each(['', 'x'.repeat(100)])('is found by what looks into it while it runs (%s)', async (name) => {
  const dir = join(state, name, 'store');
  expect(await runningServer(dir)).toBeNull();
  const { url, stop } = await opened(join(state, name));
  expect(await runningServer(dir)).toBe(url);
  await stop();
  expect(await runningServer(dir)).toBeNull();
});

it('is understood by the check of shared secrets', async () => {
  const { url } = await opened(join(state, 'a folder'));
  const mine = { NEXTAUTH_SECRET: 'a', KEYWARD_SECRET_KEY: 'b' };
  const problem = (storeUrl: string, secrets: typeof mine) =>
    problemOfStore({ storeUrl, storeTls: null, storeSentinel: null }, secrets, true, 'keyward accounts seal');
  expect(await problem(url, mine)).toBeNull();
  expect(await problem(url, { ...mine, KEYWARD_SECRET_KEY: 'c' })).toContain('share a store');
  expect(await problem(`${url}?db=1`, { ...mine, KEYWARD_SECRET_KEY: 'c' })).toBeNull();
});

it('closes the folder of its secrets where it is open, and says so', () => {
  const output = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const made = join(state, 'made');
  closeFolder(made);
  expect(modeOf(made)).toBe('700');
  expect(output).not.toHaveBeenCalled();
  const open = join(state, 'open');
  mkdirSync(open);
  chmodSync(open, 0o755);
  closeFolder(open);
  expect(modeOf(open)).toBe('700');
  expect(output).toHaveBeenCalledExactlyOnceWith(
    `${open} was accessible to other users of this machine: set to mode 700.\n`,
  );
  output.mockRestore();
});
