import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { catalogOf } from '@/lib/command/context';
import { type ConnectionHandle, openConnection } from '@/lib/redis/connections';
import { testContext } from '@/scripts/testing/context';
import { aclRules } from '@/scripts/testing/this-redis';
import { checkConventions } from './check';
import { danglingAmong } from './dangling';
import { Looks, type SeenKey } from './looks';
import { policyFile } from './policy/definition';
import { NO_POLICY } from './policy/load';
import { policyFor } from './policy/policy';
import type { ConventionsReport, RuleId } from './schema';
import { readServerStates } from './server-state';

const folder = mkdtempSync(join(tmpdir(), 'keyward-seen-'));
const CATALOG = join(folder, 'tasks.yaml');
writeFileSync(
  CATALOG,
  "app: tasks\nfamilies:\n  - { id: held, pattern: 'held:{id}', type: hash, ttl: 30s, role: lock, parts: { owner: { field: owner } } }\n",
);
const context = await testContext({ apps: ['discours'], catalogs: [CATALOG] });
const opened: ConnectionHandle[] = [];
afterAll(() => {
  for (const handle of opened.splice(0)) handle.topology.close();
  rmSync(folder, { recursive: true, force: true });
  return context.close();
});
beforeEach(() => context.empty());

const { redis } = context;

/** The same Redis as a user with other permissions sees it. */
const as = async (...rules: string[]): Promise<ConnectionHandle> => {
  const name = `user${opened.length}`;
  await redis.call('ACL', 'SETUSER', name, 'on', '>secret', '~*', '&*', '+@all', ...aclRules(...rules));
  const url = context.handle.config.url!.replace('//', `//${name}:secret@`);
  const handle = openConnection({ ...context.handle.config, url });
  opened.push(handle);
  return handle;
};

const check = (handle = context.handle, policy: unknown = {}): Promise<ConventionsReport> => {
  const inForce = { policy: policyFor(catalogOf(handle), policyFile.parse(policy)), source: NO_POLICY };
  const signal = new AbortController().signal;
  return checkConventions(handle, { ...inForce, problems: [] }, { signal });
};

const ruleOf = (report: ConventionsReport, id: RuleId) => report.rules.find((rule) => rule.id === id)!;

test.each([[[]], [['-eval_ro']]])(
  'keys that may not be read are neither right nor wrong (%j)',
  async (rules) => {
    for (let i = 0; i < 30; i++) await redis.set(`search:word${i}`, 'x', 'EX', 5000);
    await redis.set('lock:task:1', 'a-token-of-its-owner');
    await redis.set('cache:user:1', '{}', 'EX', 5000);
    const report = await check(await as('resetkeys', '~cache:*', ...rules));
    expect(report.keys).toBe(32);
    for (const id of ['ttl-required', 'ttl-band', 'ttl-jitter', 'type-by-use', 'value-size'] as const) {
      expect(ruleOf(report, id)).toMatchObject({ state: 'unknown', count: null, sample: [] });
      expect(ruleOf(report, id).reason).toMatch(/^3[01] keys could not be checked\. .*may not use/u);
    }
    for (const id of ['lock-ttl', 'lock-owner'] as const)
      expect(ruleOf(report, id).reason).toMatch(/^1 key could not be checked\. /u);
    expect(ruleOf(report, 'ttl-required').of).toBe(1);
    expect(ruleOf(report, 'name-format')).toMatchObject({ state: 'passed', of: 32 });
    expect(report.checklist.find(({ id }) => id === 'ttl')).toMatchObject({ state: 'unknown' });
  },
);

test('sizes that may not be read are unknown, and those that may be are judged', async () => {
  await redis.hset('cache:user:1', 'name', 'x');
  await redis.set('cache:user:2', 'x'.repeat(3000));
  const noMemory = await check(await as('-memory|usage'));
  expect(ruleOf(noMemory, 'value-size')).toMatchObject({ state: 'unknown', of: 1 });
  const noLengths = await check(await as('-strlen', '-hlen'), { limits: { elements: 10 } });
  expect(ruleOf(noLengths, 'collection-length')).toMatchObject({ state: 'unknown', of: 0 });
  expect(ruleOf(noLengths, 'null-marker-ttl').reason).toMatch(/^1 key could not be checked/u);
  // The memory of a string bounds its length.
  expect(ruleOf(noLengths, 'value-size')).toMatchObject({ state: 'passed', of: 2 });
  const large = await check(await as('-memory|usage'), { limits: { valueBytes: 2000 } });
  expect(ruleOf(large, 'value-size')).toMatchObject({ state: 'failed', count: 1 });
});

test('every large collection is found, whatever else takes part in the walk', {
  tags: ['long'],
}, async () => {
  const pipeline = redis.pipeline();
  for (let i = 0; i < 130; i++) pipeline.hset(`cache:report:r${i}`, 'body', 'x'.repeat(i < 100 ? 4000 : 10));
  await pipeline.exec();
  const rule = ruleOf(await check(context.handle, { limits: { valueBytes: 3000 } }), 'value-size');
  expect(rule).toMatchObject({ count: 100, of: 130 });
});

const seen = (name: string, given: Partial<SeenKey>): SeenKey => {
  const key = Buffer.from(name);
  const { family, malformedOf } = context.ctx.catalog.locate(key);
  return {
    key,
    found: { family, malformedOf, type: null, isSettled: true },
    type: 'string',
    ttlMs: 20_000,
    memoryBytes: 100,
    length: 5,
    idleSeconds: null,
    ...given,
  };
};

const look = async (...keys: SeenKey[]) => {
  const policy = policyFor(context.ctx.catalog, policyFile.parse({}));
  const facts = await new Looks(context.handle, context.ctx.catalog, policy).addTo(keys);
  return facts.map(({ look: one }) => one?.text?.toString() ?? null);
};

test('a lock that expired meanwhile is no lock without an owner', async () => {
  const held = { type: 'hash', length: 1 };
  expect(await look(seen('lock:gone:1', {}), seen('held:gone', held))).toEqual([null, null]);
  await redis.set('lock:empty:1', '');
  await redis.hset('held:none', 'since', '1');
  expect(await look(seen('lock:empty:1', { length: 0 }), seen('held:none', held))).toEqual(['', '']);
});

test('an owner in a field is judged as one in a string', async () => {
  await redis.hset('held:a', 'owner', 'node-1');
  await redis.hset('held:b', 'owner', '1');
  await redis.hset('held:c', 'owner', 'x'.repeat(300));
  const rule = ruleOf(await check(), 'lock-owner');
  expect(rule).toMatchObject({ count: 1, of: 3 });
  expect(rule.sample.map(({ key }) => key)).toEqual(['held:b']);
});

test('long fields are not read to find that they are secrets, and usual names are looked at', async () => {
  await redis.hset('user:1', 'password', 'x'.repeat(2 ** 20), 'name', 'a');
  await redis.hset(
    'user:2',
    'password',
    '$2b$12$abcdefghijklmnopqrstuv',
    'api_key',
    '0cc175b9c0f1b6a831c399e269772661',
  );
  await redis.hset('user:3', 'api_key', 'short');
  await redis.set('user:4', '{"id": 7, "dbPassword": "hunter2"}');
  await redis.set('user:5', '{"id": 7, "password": null, "token": ""}');
  await redis.set('user:6', 'q7Zt0LwVx9Pk2RmA4sYd8NbC');
  await redis.set('user:7', '65f0c0ffee0123456789abcd');
  await redis.call('CONFIG', 'RESETSTAT');
  const rule = ruleOf(await check(), 'secrets-in-clear');
  expect(Object.fromEntries(rule.sample.map(({ key, detail }) => [key, detail]))).toEqual({
    'user:1': 'field password',
    'user:3': 'field api_key',
    'user:4': 'value: a password or token by its name',
    'user:6': 'value: looks like a token',
  });
  expect(await redis.info('commandstats')).not.toContain('cmdstat_hmget');
  expect(/cmdstat_hget:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]).toBe('3');
});

test('small collections are searched for secrets, and nothing is read of large ones', async () => {
  const token = 'q7Zt0LwVx9Pk2RmA4sYd8NbC';
  await redis.rpush('jobs:list', 'a', `{"api_key": "${token}"}`);
  await redis.sadd('jobs:set', 'a', token);
  await redis.zadd('jobs:zset', 1, 'redis://u:hunter22@host');
  await redis.xadd('jobs:stream', '*', 'id', '7', 'password', 'hunter22');
  await redis.rpush('jobs:words', 'username', 'password', 'email');
  await redis.rpush('jobs:large', token, 'x'.repeat(100_000));
  const rule = ruleOf(await check(), 'secrets-in-clear');
  expect(Object.fromEntries(rule.sample.map(({ key, detail }) => [key, detail]))).toEqual({
    'jobs:list': 'element: a password or token by its name',
    'jobs:set': 'element: looks like a token',
    'jobs:stream': 'element: a password or token by its name',
    'jobs:zset': 'element: a password or token by its name',
  });
});

test("the console's own prefix is left out, as in fixes", async () => {
  await redis.set('keyward:left:1', 'x');
  await redis.set('plain', 'x');
  expect((await check()).keys).toBe(1);
});

test('a name that is too long to be remembered has no link', async () => {
  await redis.set(`cache:${'x'.repeat(5000)}`, 'x', 'EX', 5000);
  const [one] = ruleOf(await check(), 'name-length').sample;
  expect(one).toMatchObject({ keyId: null, detail: 'more than 128 characters, 5006 bytes' });
});

test('indexes are read several at a time', async () => {
  const pipeline = redis.pipeline();
  for (let i = 0; i < 25; i++) pipeline.sadd(`user_sessions:${i}`, 'gone');
  pipeline.hset('session:7:gone', 'user_id', '7');
  await pipeline.exec();
  const { background } = context.handle;
  const original = background.scanCollection.bind(background);
  let [now, most] = [0, 0];
  const spy = vi.spyOn(background, 'scanCollection').mockImplementation(async (...args) => {
    now += 1;
    most = Math.max(most, now);
    const page = await original(...args);
    now -= 1;
    return page;
  });
  const keys = Array.from({ length: 25 }, (_, i) => Buffer.from(`user_sessions:${i}`));
  const found = await danglingAmong(context.handle, context.ctx.catalog, keys);
  expect(found).toEqual(keys.map((_, i) => i !== 7));
  expect(spy).toHaveBeenCalledTimes(25);
  expect(most).toBe(10);
});

test('a server that is lost while it is asked is unavailable, and no error of ours', async () => {
  const { redis: client } = context.handle.topology.primaries()[0]!.client('read');
  vi.spyOn(client, 'info').mockRejectedValueOnce(new Error('Connection is closed.'));
  await expect(readServerStates(context.handle)).rejects.toMatchObject({ code: 'unreachable' });
});
