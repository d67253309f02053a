import { afterAll, beforeEach, expect, test } from 'vitest';
import { catalogOf } from '@/lib/command/context';
import type { Command } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import type { Contract } from '@/lib/contract';
import { DAY, iso, MINUTE } from '@/lib/time';
import { testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { aclRules } from '@/scripts/testing/this-redis';
import { walkCollector } from '@/scripts/testing/walk-collector';
import { checkConventions, saveCheck } from './check';
import { ConventionsCollector } from './collector';
import { unwaive, waive } from './commands';
import { policyFromFile } from './policy/policy';
import { listHistory, readReport } from './reads';
import type { ConventionsReport, RuleId } from './schema';

const context = await testContext({ apps: ['discours', 'hawk', 'minidouyin', 'qianxun'] });
afterAll(() => context.close());
beforeEach(() => context.empty());

const { ctx, redis, handle } = context;

const cost = {
  startedAt: iso(0),
  finishedAt: iso(0),
  parts: ['conventions' as const],
  keys: 0,
  vanished: 0,
  calls: 0,
  serverMs: 0,
  byScript: true,
  reason: null,
};

const check = async (now = Date.now()): Promise<ConventionsReport> => {
  const collector = new ConventionsCollector(handle);
  await walkCollector(handle, collector);
  return saveCheck(ctx.store, handle, collector, { cost, now, wasRequested: true });
};

const ruleOf = (report: ConventionsReport, id: RuleId) => report.rules.find((rule) => rule.id === id)!;
const countIn = (report: ConventionsReport, id: RuleId) => ruleOf(report, id).count;

const write = async (type: string, key: Buffer): Promise<unknown> => {
  if (type === 'hash')
    return redis.hset(key, 'ID', '1', 'Name', 'x', 'Title', 'x', 'Passwd', 'p', 'Token', 't');
  if (type === 'set') return redis.sadd(key, 'x');
  if (type === 'zset') return redis.zadd(key, 1, 'x');
  return type === 'list' ? redis.rpush(key, 'x') : redis.set(key, 'x');
};

test('every count about names is the truth of the examples of the four applications', {
  tags: ['long'],
}, async () => {
  const catalog = catalogOf(handle);
  const families = catalog.families.filter(
    ({ app, type, identifyingFields }) =>
      !identifyingFields && !['channel', 'timeseries', 'stream'].includes(type) && app !== 'console',
  );
  const names = new Map(
    families.flatMap((family) =>
      (family.examples ?? [])
        .filter((name) => catalog.classify(Buffer.from(name)).family === family)
        .map((name) => [name, family] as const),
    ),
  );
  for (const [name, family] of names) await write(family.type, Buffer.from(name));
  const report = await check();
  const all = [...names.keys()];
  const of = (matches: (name: string) => boolean) => all.filter(matches).length;
  expect(report).toMatchObject({ keys: all.length, complete: true });
  expect(all.length).toBeGreaterThan(50);
  expect(countIn(report, 'name-format')).toBe(of((name) => !name.includes(':')));
  expect(countIn(report, 'name-empty-part')).toBe(of((name) => name.split(':').includes('')));
  expect(countIn(report, 'name-length')).toBe(of((name) => Array.from(name).length > 128));
  expect(countIn(report, 'name-known-prefix')).toBe(0);
  expect(countIn(report, 'type-by-use')).toBe(0);
  // Nothing has a TTL yet.
  const mustExpire = [...names.values()].filter(({ ttl }) => ttl !== 'persistent').length;
  expect(ruleOf(report, 'ttl-required')).toMatchObject({
    count: mustExpire,
    of: mustExpire,
    state: 'failed',
  });
  const locks = [...names.values()].filter(({ role }) => role === 'lock').length;
  expect(ruleOf(report, 'lock-ttl')).toMatchObject({ count: locks, of: locks });
  expect(report.checklist.find(({ id }) => id === 'naming')).toMatchObject({ state: 'failed' });
  for (const rule of report.rules) {
    const sum = rule.families.reduce((total, { count }) => total + count, 0);
    expect([rule.id, rule.count]).toEqual([rule.id, rule.state === 'unknown' ? null : sum]);
    expect(rule.sample.length).toBeLessThanOrEqual(20);
  }
});

test('a rule fails, and passes once its keys are right', async () => {
  await redis.set('lock:task:1', '1');
  await redis.set('cache:user:1', 'NULL', 'EX', 3600);
  await redis.hset('queue:mail:new', 'a', 'b');
  const before = await check();
  for (const id of ['lock-ttl', 'lock-owner', 'null-marker-ttl', 'type-by-use'] as const)
    expect([id, countIn(before, id)]).toEqual([id, 1]);
  await redis.set('lock:task:1', 'd1f0a6c2-owner', 'EX', 30);
  await redis.expire('cache:user:1', 200);
  await redis.del('queue:mail:new');
  const after = await check(Date.now() + 1000);
  for (const id of ['lock-ttl', 'lock-owner', 'null-marker-ttl', 'type-by-use'] as const)
    expect([id, countIn(after, id)]).toEqual([id, 0]);
  expect(after.score!).toBeGreaterThan(before.score!);
});

test('keys of a family that expire within one second are found, spread ones are not', async () => {
  const at = Math.floor(Date.now() / 1000) + 3600;
  for (let i = 0; i < 40; i++) {
    await redis.call('SET', `search:together${i}`, 'x', 'EXAT', String(at));
    await redis.call('SET', `stats:spread${i}:day`, 'x', 'EXAT', String(at + 10 * i));
  }
  const rule = ruleOf(await check(), 'ttl-jitter');
  expect(rule.families).toMatchObject([{ family: 'discours.search', count: 40, waived: false }]);
  expect(rule.families).toHaveLength(1);
  expect(rule.sample[0]!.detail).toContain('40 of 40 keys (100 %)');
});

test('an index is abandoned when none of its sessions is stored', async () => {
  await redis.sadd('user_sessions:1', 'gone1', 'gone2');
  await redis.sadd('user_sessions:2', 'gone3', 'alive');
  await redis.hset('session:2:alive', 'user_id', '2');
  await redis.hset('state:import:1', 'a', 'b');
  const rule = ruleOf(await check(), 'abandoned-keys');
  expect(rule.sample.map(({ key }) => key).sort()).toEqual(['state:import:1', 'user_sessions:1']);
});

const SECRETS = [
  's3cr3t-Passw0rd',
  'q7Zt0LwVx9Pk2RmA4sYd8NbC',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
];

test('secrets in the clear are found, and no character of one is stored', async () => {
  const [password, token, jwt] = SECRETS as [string, string, string];
  await redis.hset('user:1', 'password', password, 'salt', '0cc175b9c0f1b6a831c399e269772661');
  await redis.hset(`session:1:${token}`, 'user_id', '1');
  await redis.set('notes:1', `see ${jwt}`);
  await redis.set(`misc:token:${token}`, 'x');
  const report = await check();
  expect(countIn(report, 'secrets-in-clear')).toBe(4);
  expect(
    ruleOf(report, 'secrets-in-clear')
      .sample.map(({ detail }) => detail)
      .sort(),
  ).toEqual([
    'field password',
    'name: part 3 follows a secret word',
    'name: part 3 looks like a token',
    'value: a JWT',
  ]);
  const stored = await context.storeRedis.get('keyward:convention-check:main');
  for (const text of [stored!, JSON.stringify(report)]) {
    for (const secret of SECRETS) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(secret.slice(0, 6));
      expect(text).not.toContain(Buffer.from(secret).toString('base64url').slice(0, 12));
    }
  }
});

test('forbidden commands are counted with when they were first seen', async () => {
  await redis.keys('nothing*');
  const first = await check();
  const rule = ruleOf(first, 'forbidden-commands');
  expect(rule.sample.map(({ key }) => key)).toEqual(expect.arrayContaining(['KEYS', 'FLUSHALL']));
  await redis.keys('nothing*');
  const detailOf = (report: ConventionsReport) =>
    ruleOf(report, 'forbidden-commands').sample.find(({ key }) => key === 'KEYS')!.detail;
  const second = detailOf(await check());
  const seen = (text: string) => /first seen (.+? UTC)/.exec(text)![1];
  expect(seen(second)).toBe(seen(detailOf(first)));
  expect(ruleOf(first, 'maxmemory')).toMatchObject({ state: 'failed', count: 1, of: null });
});

test('a rule whose values may not be read is unknown, and the others are checked', async () => {
  await redis.set('cache:user:1', 'NULL', 'EX', 3600);
  await redis.set('lock:task:1', '1', 'EX', 30);
  await redis.sadd('user_sessions:1', 'gone1');
  await redis.call('ACL', 'SETUSER', 'default', '-getrange', '-sscan');
  try {
    const report = await check();
    for (const id of ['lock-owner', 'null-marker-ttl', 'secrets-in-clear', 'abandoned-keys'] as const)
      expect(ruleOf(report, id)).toMatchObject({ state: 'unknown', count: null });
    expect(ruleOf(report, 'lock-owner').reason).toContain('GETRANGE');
    expect(ruleOf(report, 'ttl-required')).toMatchObject({ state: 'failed', count: 1 });
  } finally {
    await redis.call('ACL', 'SETUSER', 'default', '+@all');
  }
});

test('who ran a forbidden command is named in part, and only to those who may see clients', async () => {
  const caller = redis.duplicate();
  await caller.client('SETNAME', 'importer');
  await caller.keys('nothing*');
  await check();
  const detailFor = async (role: 'support' | 'viewer') => {
    const report = await readReport({ ...ctx, actor: testActor(role) });
    return ruleOf(report, 'forbidden-commands').sample.find(({ key }) => key === 'KEYS')!.detail;
  };
  expect(await detailFor('support')).toMatch(/; last command of user default at \S*••• called importer$/u);
  expect(await detailFor('viewer')).toMatch(/first seen \S+ \S+ UTC$/u);
  caller.disconnect();
});

test('what may not be read is unknown, with the reason', async () => {
  await redis.call('ACL', 'SETUSER', 'default', '-info', '-config', ...aclRules('-client|list'));
  try {
    const report = await check();
    const rule = ruleOf(report, 'forbidden-commands');
    expect(rule).toMatchObject({ state: 'unknown', count: null });
    expect(rule.reason).toBe('The Redis user may not run INFO.');
    expect(report.checklist.find(({ id }) => id === 'connections')).toMatchObject({
      state: 'unknown',
      reason: 'The Redis user may not run INFO.',
    });
  } finally {
    await redis.call('ACL', 'SETUSER', 'default', '+@all');
  }
});

const call = <C extends Contract>(
  command: Command<C>,
  raw: Record<string, unknown>,
  role = 'admin' as const,
) => runCommand(command, { actor: testActor(role), requestId: 'r', connection: handle, raw });

test('a waiver applies at once and until its date; ending it can be undone', async () => {
  await redis.set('plain', 'x', 'EX', 60);
  await check();
  const until = iso(Date.now() + MINUTE);
  const { id } = (await call(waive, { rule: 'name-format', why: 'being renamed', until })) as { id: string };
  const waived = await readReport(ctx);
  expect(ruleOf(waived, 'name-format')).toMatchObject({ state: 'waived', count: 0, waived: 1 });
  expect(waived.waivers).toMatchObject([{ id, who: 'Test admin', source: 'console', expired: false }]);
  const later = await readReport({ ...ctx, now: () => Date.now() + 2 * MINUTE });
  expect(later.waivers).toMatchObject([{ id, expired: true }]);
  expect(ruleOf(later, 'name-format')).toMatchObject({ state: 'failed', count: 1, waived: 0 });
  await call(unwaive, { id });
  expect(ruleOf(await readReport(ctx), 'name-format').state).toBe('failed');
  expect(await problemOf(call(unwaive, { id }))).toMatchObject({ code: 'not_found' });
  await unwaive.undo!(ctx, {
    id,
    waiver: { rule: 'name-format', family: null, who: 'x', why: 'y', until: Date.now() + MINUTE },
  });
  expect(ruleOf(await readReport(ctx), 'name-format').state).toBe('waived');
});

test('waivers in the past, of unknown families and by others are refused', async () => {
  const until = iso(Date.now() + MINUTE);
  const input = { rule: 'name-format', why: 'x', until };
  expect(await problemOf(call(waive, { ...input, until: iso(1) }))).toMatchObject({ code: 'bad_input' });
  expect(await problemOf(call(waive, { ...input, family: 'discours.nothing' }))).toMatchObject({
    code: 'bad_input',
  });
  expect(await problemOf(call(waive, input, 'product' as never))).toMatchObject({ code: 'forbidden' });
});

test('the history has each requested check, and what is new since yesterday', async () => {
  const now = Date.now();
  await redis.set('plain', 'x', 'EX', 60);
  await check(now - DAY - MINUTE);
  await redis.set('another', 'x', 'EX', 60);
  const report = await check(now);
  expect(ruleOf(report, 'name-format')).toMatchObject({ count: 2, newSinceYesterday: 1 });
  const first = await listHistory(ctx, { limit: 1 });
  expect(first.items).toMatchObject([{ at: iso(now), counts: { 'name-format': 2 } }]);
  const second = await listHistory(ctx, { limit: 1, cursor: first.nextCursor! });
  expect(second).toMatchObject({ items: [{ counts: { 'name-format': 1 } }], nextCursor: null });
});

test('before the first check everything is unknown', async () => {
  const report = await readReport(ctx);
  expect(report).toMatchObject({ at: null, score: null, keys: 0 });
  expect(new Set(report.rules.map(({ state }) => state))).toEqual(new Set(['unknown']));
});

test('a check without the store joins a walk and reports the same', async () => {
  await redis.set('plain', 'x', 'EX', 60);
  await redis.set('cache:user:1', 'NULL', 'EX', 3600);
  const options = { signal: new AbortController().signal };
  const report = await checkConventions(handle, policyFromFile(null, ctx.catalog), options);
  expect(report).toMatchObject({ keys: 2, complete: true, walk: { keys: 2 } });
  expect([countIn(report, 'name-format'), countIn(report, 'null-marker-ttl')]).toEqual([1, 1]);
  expect(ruleOf(report, 'name-format').sample[0]!.keyId).toBeNull();
});
