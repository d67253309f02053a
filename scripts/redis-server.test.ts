import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { findRedis, freePort, type RedisServer, runningServer, startRedis } from './redis-server.mjs';

const started: RedisServer[] = [];
const start = async (options?: Parameters<typeof startRedis>[0]): Promise<RedisServer> => {
  const server = await startRedis(options);
  started.push(server);
  return server;
};

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()));
});

const send = async (port: number, command: string): Promise<string> => {
  const socket = connect({ host: '127.0.0.1', port });
  socket.write(`${command}\r\n`);
  const [reply] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return reply.toString();
};

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

it('answers when started and leaves neither process nor folder', async () => {
  const server = await start();
  expect(await send(server.port, 'PING')).toBe('+PONG\r\n');
  await server.stop();
  expect(alive(server.pid)).toBe(false);
  expect(existsSync(server.dir)).toBe(false);
});

it('starts the program of KEYWARD_TEST_REDIS, and nothing in its place', async () => {
  const onPath = findRedis()!;
  const dir = mkdtempSync(join(tmpdir(), 'keyward-test-'));
  try {
    const given = join(dir, 'another-version');
    vi.stubEnv('KEYWARD_TEST_REDIS', given);
    await expect(startRedis()).rejects.toThrow(`KEYWARD_TEST_REDIS is not a program: ${given}`);
    symlinkSync(onPath, given);
    expect(findRedis()).toBe(given);
    const server = await start();
    expect(server.process.spawnfile).toBe(given);
  } finally {
    vi.unstubAllEnvs();
    rmSync(dir, { recursive: true });
  }
});

it('keeps data in its own folder with appendOnly, and refuses the folder while it is in use', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'keyward-test-'));
  try {
    const first = await start({ dir, appendOnly: true });
    expect(await runningServer(dir)).toBe(first.url);
    await send(first.port, 'SET kept 1');
    await expect(startRedis({ dir, appendOnly: true })).rejects.toThrow(
      /in use by the Redis with process id/,
    );
    await first.stop();
    expect(await runningServer(dir)).toBeNull();
    const second = await start({ dir, appendOnly: true });
    expect(await send(second.port, 'GET kept')).toBe('$1\r\n1\r\n');
    await second.stop();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

it('tells why a server did not come up', async () => {
  const port = await freePort();
  await start({ port });
  await expect(startRedis({ port })).rejects.toThrow(new RegExp(`on port ${port} ended with`));
  await expect(startRedis({ args: ['--no-such-option', 'x'] })).rejects.toThrow(/no-such-option/);
});

it('counts a server that asks for a password as ready', async () => {
  const server = await start({ args: ['--requirepass', 'open sesame'] });
  expect(await send(server.port, 'PING')).toMatch(/^-NOAUTH/);
});

it('ends the server when the process that started it is killed', async () => {
  const script = `import('${new URL('./redis-server.mjs', import.meta.url)}').then(async (m) => console.log((await m.startRedis()).pid))`;
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  expect(alive(pid)).toBe(true);
  parent.kill('SIGKILL');
  await expect.poll(() => alive(pid), { timeout: 10_000 }).toBe(false);
});
