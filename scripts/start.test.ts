import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const run = (script: string, environment: Record<string, string>) => {
  const file = join(import.meta.dirname, script);
  const env = { ...process.env, KEYWARD_CONFIG: '', ...environment };
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
    env,
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { status, output: stdout + stderr };
};

it('does not start on a wrong configuration, and names every variable without its secrets', () => {
  const { status, output } = run('start.mjs', {
    REDIS_URL: 'redis://:hunter2@host/x',
    KEYWARD_API_TOKEN: 'hunter2',
    PORT: 'eighty',
  });
  expect(status).toBe(1);
  for (const variable of ['REDIS_URL', 'KEYWARD_API_TOKEN', 'PORT'])
    expect(output).toContain(`${variable}: found`);
  expect(output).not.toContain('hunter2');
  expect(output).not.toMatch(/^\s+at /m);
});

it('tells the three ways out when there is no Redis and none can be installed', () => {
  const nothing = mkdtempSync(join(tmpdir(), 'keyward-path-'));
  try {
    const { status, output } = run('demo.mjs', { PATH: nothing, REDIS_URL: '', KEYWARD_STORE_URL: '' });
    expect(status).toBe(1);
    expect(output).toContain('Three ways out');
    for (const way of ['Install it', 'REDIS_URL=', 'docker run']) expect(output).toContain(way);
  } finally {
    rmSync(nothing, { recursive: true, force: true });
  }
});
