import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { runScript, script } from './scripts';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
afterAll(() => test.close());

it('puts what scripts share in the place of the line that names it', () => {
  const { lua, sha } = script('stale-entries');
  expect(lua).toContain('local function countEmpty(key)');
  expect(lua).not.toContain('@include');
  expect(sha).toBe(createHash('sha1').update(lua).digest('hex'));
});

it('makes scripts that a server takes, of every file', async () => {
  const names = readdirSync('lib/redis/scripts').flatMap((file) => file.match(/^(.+)\.lua$/)?.[1] ?? []);
  expect(names.length).toBeGreaterThan(20);
  for (const name of names)
    expect(await test.redis.script('LOAD', script(name).lua), name).toBe(script(name).sha);
});

it('runs a script that the server has not seen', async () => {
  await test.redis.script('FLUSH');
  const args = ['0', 10, 'session:1:'];
  for (const _ of [1, 2])
    expect(await runScript(test.redis, script('stale-entries'), ['index'], args)).toEqual([
      0,
      [0, Buffer.from('index'), 2],
      Buffer.from('0'),
      0,
    ]);
});
