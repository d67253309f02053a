import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runScript } from './testing/run-script';

it('does not start on a wrong configuration, and names every variable without its secrets', async () => {
  const { status, output } = await runScript('start.mjs', [], {
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

it('does not start on a broken catalog, and names each problem by line and column', {
  tags: 'long',
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-config-'));
  try {
    const file = join(folder, 'connections.yaml');
    writeFileSync(
      file,
      'connections: [{ id: main, url: "redis://127.0.0.1:1", catalogs: [./catalog.yaml] }]\n',
    );
    const token = 'Zm9vYmFyQmF6cXV4MTIzNDU2Nzg5';
    const family = `{ id: cart, pattern: 'cart:{id}', type: hash, ttl: 1y, examples: ['c:${token}'] }`;
    writeFileSync(join(folder, 'catalog.yaml'), `app: shop\nfamilies:\n  - ${family}\n    extra: 1\n`);
    const syntax = await runScript('start.mjs', [], { KEYWARD_CONFIG: file });
    expect(syntax.status).toBe(1);
    expect(syntax.output).toMatch(/connections\[0\]\.catalogs \S+catalog\.yaml:4:\d+: found what YAML/);
    writeFileSync(join(folder, 'catalog.yaml'), `app: shop\nfamilies:\n  - ${family}\n`);
    const { status, output } = await runScript('start.mjs', [], { KEYWARD_CONFIG: file });
    expect(status).toBe(1);
    expect(output).toContain('catalog.yaml:3:56 families[0].ttl: found "1y", expected a duration');
    expect(output).not.toContain(token);
    expect(output).not.toMatch(/^\s+at /m);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('tells the three ways out when there is no Redis and none can be installed', async () => {
  const nothing = mkdtempSync(join(tmpdir(), 'keyward-path-'));
  try {
    const { status, output } = await runScript('demo.mjs', [], {
      PATH: nothing,
      REDIS_URL: '',
      KEYWARD_STORE_URL: '',
    });
    expect(status).toBe(1);
    expect(output).toContain('Three alternatives');
    for (const way of ['Install it', 'REDIS_URL=', 'docker run']) expect(output).toContain(way);
  } finally {
    rmSync(nothing, { recursive: true, force: true });
  }
});
