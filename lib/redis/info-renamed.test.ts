import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { readEnv } from '@/lib/configuration';
import { freePort } from '@/scripts/redis-server.mjs';
import { openConnection } from './connections';

it('is ready on a server that has no INFO, and knows its role by HELLO', async () => {
  const port = await freePort();
  const args = ['--port', String(port), '--save', '', '--bind', '127.0.0.1', '--rename-command', 'INFO', ''];
  const server = spawn(process.env.KEYWARD_TEST_REDIS ?? 'redis-server', args);
  const config = readEnv({ REDIS_URL: `redis://127.0.0.1:${port}` }).connections[0]!;
  const handle = openConnection(config);
  try {
    await expect.poll(() => handle.status().state, { timeout: 8000 }).toBe('ready');
    expect(handle.role()).toBe('primary');
  } finally {
    handle.topology.close();
    server.kill();
  }
});
