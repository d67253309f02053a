import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderSource } from '@/lib/rate-limits/folder';
import { resolveLimit } from '@/lib/rate-limits/levels';
import { readWindow, stateOf } from '@/lib/rate-limits/window';
import { type RedisServer, startRedis } from '../redis-server.mjs';
import { QUIET, quietProject, writeLimits } from './limits';
import { seed } from './seed';
import { createWorld } from './world';

const NOBODY = { limit: 7, periodSeconds: 7 };

it('writes what the pretended collector goes by, from every level', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-limits-'));
  const world = createWorld({ seed: 3, levels: true });
  writeLimits(folder, world.projects);
  const source = folderSource(folder);
  await source.refresh();
  expect(source.status()).toMatchObject({ status: 'ok', problems: [] });
  const sources = new Set<string>();
  for (const project of [...world.projects, ...QUIET.map((_, n) => quietProject(n))]) {
    const limit = resolveLimit(source.levels(), project, NOBODY);
    expect(limit).toMatchObject(world.limitOf(project));
    sources.add(limit.limitSource);
  }
  expect([...sources].sort()).toEqual(['none', 'plan', 'project', 'workspace']);
  rmSync(folder, { recursive: true });
});

it('seeds a window in every state', { tags: 'long' }, async () => {
  const server: RedisServer = await startRedis();
  const { Redis } = await import('ioredis');
  const redis = new Redis(server.url);
  const world = await seed(redis, { levels: true });
  for (const [n, state] of QUIET.entries()) {
    const value = await redis.hget('rate_limits', quietProject(n));
    expect(stateOf(readWindow(value ?? ''), world.limitOf(quietProject(n)), world.now())).toBe(state);
  }
  redis.disconnect();
  await server.stop();
});
