import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { updateUser } from '@/lib/access/users';
import { findEntry, listEntries } from '@/lib/audit/reads';
import { keyIdOf } from '@/lib/command/key-ids';
import { runCommand } from '@/lib/command/run';
import { parseInput } from '@/lib/command/validate';
import { env } from '@/lib/configuration';
import { readHistoryEvents } from '@/lib/history/events';
import { cancelJob, setJobPace } from '@/lib/jobs/commands';
import { registerJob } from '@/lib/jobs/define';
import { closeQueue } from '@/lib/jobs/queue';
import { reconcileJobs } from '@/lib/jobs/reconcile';
import { readRecord } from '@/lib/jobs/record';
import { type Runner, startRunner } from '@/lib/jobs/runner';
import { keyId } from '@/lib/keyspace/display';
import { ScanBudget } from '@/lib/redis/budget';
import { type ConnectionHandle, closeConnections, connections } from '@/lib/redis/connections';
import { closeStore, store } from '@/lib/redis/store';
import { undoChange } from '@/lib/undo/commands';
import { registerUndoable } from '@/lib/undo/registry';
import { bundle } from '@/scripts/build.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { type UserOfEachRole, userOfEachRole } from '@/scripts/testing/user-of-each-role';
import { invalidate, setTtl } from './commands';
import { countTarget } from './count';
import { fitsParam } from './family-search';
import { invalidationJob } from './invalidation-job';
import { previewInvalidation } from './preview';
import { readRecovery } from './recovery';
import { resolveTarget } from './resolve-target';
import { restorationJob } from './restore-job';
import { familyContracts } from './schema';
import { ttlJob } from './ttl-job';

let test: TestContext;
let users: UserOfEachRole;
let runner: Runner | null = null;
let child: ChildProcess | null = null;

beforeAll(async () => {
  test = await testContext({ apps: ['discours', 'hawk', 'minidouyin', 'qianxun'] });
  for (const job of [invalidationJob, ttlJob, restorationJob]) registerJob(job);
  registerUndoable([invalidate]);
});
beforeEach(async () => {
  closeStore();
  await test.empty();
  users = await userOfEachRole();
});
afterEach(async () => {
  await runner?.close();
  runner = null;
  child?.kill('SIGKILL');
  child = null;
  await closeQueue();
  closeConnections();
});
afterAll(() => test.close());

type Role = 'admin' | 'product' | 'support' | 'viewer';

const run = (raw: object, role: Role = 'product', connection: ConnectionHandle = test.handle) =>
  runCommand(invalidate, { actor: users[role], requestId: 'r', connection, raw });

const cancel = (jobId: string, role: Role = 'product') =>
  runCommand(cancelJob, { actor: users[role], requestId: 'r', connection: null, raw: { jobId } });

const preview = async (raw: object, role: Role = 'product') =>
  familyContracts.preview.result.parse(
    await previewInvalidation(test.as({ actor: users[role] }), parseInput(familyContracts.preview, raw)),
  );

const record = async (jobId: string) => (await readRecord(store(), jobId))!;
const ended = async (jobId: string, wanted = 'done', timeout = 10_000) => {
  await expect.poll(async () => (await record(jobId)).state, { timeout }).toBe(wanted);
  return record(jobId);
};

const invalidated = async (raw: object, role: Role = 'product') => {
  runner ??= startRunner(store());
  const { jobId } = await run(raw, role);
  return (await ended(jobId)).result;
};

const JWT = `eyJ${'a'.repeat(30)}.${'b'.repeat(30)}.${'c'.repeat(30)}`;
const id = (key: string | Buffer) => keyId(Buffer.from(key));
const keysLeft = async () => (await test.redis.keys('*')).sort();

/** `count` keys of one family and half as many of others among them. */
const fill = (count: number) =>
  test.redis.eval(
    `for i = 1, tonumber(ARGV[1]) do
       redis.call('SET', 'topic:id:' .. i, '{}')
       if i % 2 == 0 then redis.call('SET', 'author:id:' .. i, '{}') end
     end`,
    0,
    count,
  );

it('runs faster where a user asks for it', { tags: 'long' }, async () => {
  await fill(3000);
  // At its own pace it would take half a minute.
  const slow = new ScanBudget({ chunk: 100, pauseMs: 300, maxAddedLatencyMs: 1000 });
  connections().get('main')!.budget = slow;
  runner = startRunner(store());
  const { jobId } = await run({ family: 'discours.topic-id' });
  await expect.poll(async () => (await record(jobId)).done).toBeGreaterThan(0);
  const raw = { jobId, pace: 'faster' };
  await runCommand(setJobPace, { actor: users.product, requestId: 'r', connection: null, raw });
  const { result, pace } = await ended(jobId, 'done', 5000);
  expect(pace).toBe('faster');
  expect(result).toMatchObject({ matched: 3000, deleted: 3000, vanished: 0, changed: 0 });
  expect(await test.redis.dbsize()).toBe(1500);
});

describe('a family', () => {
  it('is deleted completely, and nothing else that its glob matches', { tags: ['long'] }, async () => {
    await test.redis.mset({
      'topic:id:1': '{}',
      'topic:id:22': '{}',
      'topic:id:x': 'not an id',
      'topic:id:1:invalidated': 'a marker',
      'topic:slug:a': '{}',
      'author:id:1': '{}',
    });
    expect(await preview({ family: 'discours.topic-id' })).toMatchObject({
      keys: 2,
      exact: true,
      error: null,
      byFamily: [{ family: 'discours.topic-id', keys: 2, sensitive: false }],
      needsSensitive: false,
    });
    const result = await invalidated({ family: 'discours.topic-id' });
    expect(result).toMatchObject({ matched: 2, deleted: 2, vanished: 0, undoUntil: expect.any(String) });
    expect(result?.memoryBytes).toBeGreaterThan(0);
    expect(await keysLeft()).toEqual(['author:id:1', 'topic:id:1:invalidated', 'topic:id:x', 'topic:slug:a']);
  });

  it('is narrowed by its parameters, exact or with a wildcard', async () => {
    const ids = ['1', '12', '123', '21', '2'];
    await test.redis.mset(Object.fromEntries(ids.map((n) => [`topic:id:${n}`, '{}'])));
    expect(await preview({ family: 'discours.topic-id', params: { id: '12' } })).toMatchObject({ keys: 1 });
    expect(await preview({ family: 'discours.topic-id', params: { id: '12*' } })).toMatchObject({ keys: 2 });
    expect(await preview({ family: 'discours.topic-id', params: { id: '*1' } })).toMatchObject({ keys: 2 });
    expect(await preview({ family: 'discours.topic-id', params: { id: '*' } })).toMatchObject({ keys: 5 });
    expect(await invalidated({ family: 'discours.topic-id', params: { id: '1*' } })).toMatchObject({
      deleted: 3,
    });
    expect(await keysLeft()).toEqual(['topic:id:2', 'topic:id:21']);
  });

  it('treats glob characters in parameters literally', async () => {
    await test.redis.mset({ 'search_cache:a[b]?': '1', 'search_cache:ab?': '2', 'search_cache:axb': '3' });
    const target = { family: 'discours.search-cache', params: { query: 'a[b]?' } };
    expect(await invalidated(target)).toMatchObject({ matched: 1, deleted: 1 });
    expect(await keysLeft()).toEqual(['search_cache:ab?', 'search_cache:axb']);
  });

  it('skips the console’s own keys in the same Redis', async () => {
    await test.redis.set('keyward:audit-entry:1', 'x');
    await test.redis.set('keyward:whatever-comes', 'x');
    await test.redis.set('keyward-9', 'x');
    for (const family of ['minidouyin.user', 'discours.legacy-session'])
      if (test.ctx.catalog.get(family)) await invalidated({ family }, 'admin');
    expect(await keysLeft()).toEqual(
      expect.arrayContaining(['keyward:audit-entry:1', 'keyward:whatever-comes']),
    );
  });

  it('of bare keys is determined by type and fields, never by name alone', async () => {
    const row = (id: number, name: string) => ({ ID: id, Username: name, Passwd: '123456' });
    await test.redis.hset('4', row(4, 'toni'));
    await test.redis.hset('toni123456', row(4, 'toni'));
    await test.redis.hset('video_bob123456', row(5, 'video_bob'));
    await test.redis.set('12345', 'somebody else’s');
    await test.redis.hset('77', { clicks: '1' });
    await test.redis.sadd('users-online', '4');
    expect(await preview({ family: 'minidouyin.user' })).toMatchObject({
      keys: 1,
      byFamily: [{ family: 'minidouyin.user', keys: 1 }],
      sample: [{ key: '4', family: 'minidouyin.user' }],
    });
    expect(await preview({ family: 'minidouyin.user-token' }, 'admin')).toMatchObject({
      keys: 2,
      sample: [
        { key: '•••', keyId: null },
        { key: '•••', keyId: null },
      ],
    });
    expect(await invalidated({ family: 'minidouyin.user' })).toMatchObject({ matched: 1, deleted: 1 });
    expect(await invalidated({ family: 'minidouyin.user-token' }, 'admin')).toMatchObject({ deleted: 2 });
    expect(await keysLeft()).toEqual(['12345', '77', 'users-online']);
    // Nobody can say that it is a cache: its name alone does not.
    expect(await preview({ pattern: '1234*' }, 'admin')).toMatchObject({ keys: 1, needsSensitive: true });
  });

  it('is marked on the charts, with the audit entry it belongs to', async () => {
    await fill(10);
    runner = startRunner(store());
    const { jobId, auditId } = await run({ family: 'discours.topic-id' });
    await ended(jobId);
    const [event] = await readHistoryEvents(store(), 'main', 0, Date.now() + 1000);
    expect(event).toMatchObject({ kind: 'invalidation', auditId, text: expect.stringContaining('10 keys') });
    await expect
      .poll(() => findEntry(store(), auditId))
      .toMatchObject({ outcome: 'succeeded', target: 'discours.topic-id', after: { deleted: 10 } });
  });
});

describe('exact keys', () => {
  it('are deleted whatever their bytes are, and missing ones are counted separately', async () => {
    const odd = Buffer.concat([Buffer.from('topic:slug:'), Buffer.from([0xff, 0x00, 0xfe])]);
    await test.redis.set(odd, 'x');
    await test.redis.set('topic:id:7', 'x');
    await test.redis.set('topic:id:8', 'x');
    const keyIds = [id(odd), id('topic:id:7'), id('topic:id:99'), id('topic:id:7')];
    expect(await preview({ keyIds }, 'admin')).toMatchObject({ keys: 2, exact: true });
    expect(await invalidated({ keyIds }, 'admin')).toMatchObject({ matched: 3, deleted: 2, vanished: 1 });
    expect(await keysLeft()).toEqual(['topic:id:8']);
    const sealed = keyIdOf(test.ctx, Buffer.from('verification_token:Zq7pXv2mLr9tKw2'));
    expect(sealed).toMatch(/^s\./);
    await test.redis.set('verification_token:Zq7pXv2mLr9tKw2', '1');
    expect(await preview({ keyIds: [sealed] }, 'admin')).toMatchObject({ keys: 1, needsSensitive: true });
  });

  it('are all counted by family, and only guarded ones as sensitive', async () => {
    const keys = Array.from({ length: 120 }, (_, i) => (i % 2 ? `topic:id:${i}` : `author:id:${i}`));
    await test.redis.mset(Object.fromEntries(keys.map((key) => [key, '{}'])));
    const { byFamily, needsSensitive, keys: count } = await preview({ keyIds: keys.map(id) });
    expect(count).toBe(120);
    expect(needsSensitive).toBe(false);
    expect(byFamily.map(({ family, keys: n, sensitive }) => [family, n, sensitive]).sort()).toEqual([
      ['discours.author-id', 60, false],
      ['discours.topic-id', 60, false],
    ]);
  });
});

describe('what is refused', () => {
  it('refuses a target that is empty, a catch-all or ambiguous', async () => {
    for (const raw of [
      {},
      { keyIds: [] },
      { keyIds: [''] },
      { keyIds: ['not base64!'] },
      { keyIds: ['AB'] },
      { keyIds: ['s.AAAA'] },
      { keyIds: [keyIdOf(test.ctx, Buffer.alloc(5000, 'x'))] },
      { keyIds: Array.from({ length: 1001 }, () => 'AAAA') },
      { family: 'discours.topic-id', keyIds: [id('topic:id:1')] },
      { keyIds: [id('topic:id:1')], params: { id: '1' } },
      { family: '' },
      { family: '*' },
      { family: 'no.such-family' },
      { family: 'discours.topic-id', params: { nope: '1' } },
      { family: 'discours.topic-id', params: { id: 'x' } },
      { family: 'discours.topic-id', params: { id: '' } },
      { family: 'discours.topic-id', params: JSON.parse('{"__proto__":"1"}') },
      { family: 'discours.topic-id', params: { constructor: '1' } },
      { family: 'discours.topic-id', pattern: '*' },
    ]) {
      expect([raw, (await problemOf(run(raw, 'admin'))).status]).toEqual([raw, 400]);
      expect([raw, (await problemOf(preview(raw, 'admin'))).status]).toEqual([raw, 400]);
    }
    expect((await listEntries(store())).items).toEqual([]);
  });

  it('is the console’s own, for admins too', async () => {
    const own = ['keyward:audit', 'keyward:user:1', 'keyward:no-such-thing', 'keyward:'];
    for (const raw of [{ family: 'console.audit' }, ...own.map((key) => ({ keyIds: [id(key)] }))])
      expect([raw, (await problemOf(run(raw, 'admin'))).status]).toEqual([raw, 400]);
  });

  it('is what reaches sessions, tokens, variables or locks, without the permission for that', async () => {
    const guarded = [
      { family: 'discours.session' },
      { family: 'discours.env-vars' },
      { family: 'discours.lock' },
      { keyIds: [id('topic:id:1'), id('env_vars:JWT_SECRET')] },
      { keyIds: [id('lock:x:1')] },
      { keyIds: [id('what is this')] },
    ];
    for (const raw of guarded) {
      expect([raw, (await problemOf(run(raw))).status]).toEqual([raw, 403]);
      expect([raw, (await problemOf(preview(raw))).status]).toEqual([raw, 403]);
      expect((await preview(raw, 'admin')).needsSensitive).toBe(true);
    }
    for (const role of ['viewer', 'support'] as const)
      expect((await problemOf(run({ family: 'discours.topic-id' }, role))).status).toBe(403);
    const refused = (await listEntries(store())).items;
    expect(new Set(refused.map((entry) => `${entry.action} ${entry.outcome}`))).toEqual(
      new Set(['families.preview failed', 'families.invalidate failed']),
    );
  });

  it('is a flag where two people change flags: refused by name, left alone by a search', async () => {
    const two: ConnectionHandle = {
      ...test.handle,
      config: { ...test.handle.config, flags: { approval: 'two-person' } },
    };
    const [flag, variable] = ['env_vars:FEATURE_PAY', 'env_vars:FOOTER'];
    await test.redis.mset(flag, 'on', variable, 'x');
    for (const raw of [{ keyIds: [id(flag)] }, { keyIds: [id('topic:id:1'), id(flag)] }]) {
      expect(await problemOf(run(raw, 'admin', two))).toMatchObject({ code: 'approval_required' });
      const ttl = { actor: users.admin, requestId: 'r', connection: two };
      const shortened = runCommand(setTtl, { ...ttl, raw: { ...raw, ttlSeconds: 1, jitterSeconds: 0 } });
      expect(await problemOf(shortened)).toMatchObject({ code: 'approval_required' });
    }
    connections().set('main', two);
    runner = startRunner(store());
    for (const raw of [{ pattern: 'env_vars:F*' }, { family: 'discours.env-vars' }]) {
      await test.redis.set(variable, 'x');
      const { jobId } = await run({ ...raw, withoutUndo: true }, 'admin', two);
      expect((await ended(jobId)).result).toMatchObject({ deleted: 1, guarded: 1 });
    }
    expect(await test.redis.keys('*')).toEqual([flag]);
  });

  it('is everything on production without its name, and on a read-only connection with it', async () => {
    await test.redis.set('topic:id:1', 'x');
    const on = (change: Partial<ConnectionHandle['config']>) => ({
      ...test.handle,
      config: { ...test.handle.config, ...change },
    });
    const target = { keyIds: [id('topic:id:1')] };
    const production = on({ environment: 'production' });
    expect(await problemOf(run(target, 'admin', production))).toMatchObject({
      status: 400,
      code: 'confirmation_required',
    });
    const closed = on({ readOnly: true });
    expect((await problemOf(run({ ...target, confirm: 'main' }, 'admin', closed))).status).toBe(423);
    await run({ ...target, confirm: 'main' }, 'admin', production);
    expect((await problemOf(run({ ...target, confirm: 'main' }, 'admin', production))).status).toBe(409);
  });
});

describe('a secret in a key', () => {
  const session = `session:5:${JWT}`;

  it('is in no preview, target, job, audit entry or queue', async () => {
    await test.redis.hset(session, { user_id: '5' });
    await test.redis.set('verification_token:abcdefghijklmnopqrstuvwxyz0123456789', '{}');
    const shown = await preview({ family: 'discours.session' }, 'admin');
    expect(shown.sample).toEqual([{ key: 'session:5:•••', keyId: null, family: 'discours.session' }]);
    const exact = await preview({ keyIds: [id(session)] }, 'admin');
    expect(exact.sample[0]).toMatchObject({ key: 'session:5:•••', keyId: null });
    await run({ keyIds: [id(session)] }, 'admin');
    const whole = { family: 'discours.session', params: { user_id: '5', token: JWT } };
    const { jobId } = await run(whole, 'admin');
    await cancel(jobId, 'admin');
    await run({ family: 'discours.session', params: { token: `${JWT.slice(0, 60)}*` } }, 'admin');
    const everything: string[] = [JSON.stringify(shown), JSON.stringify(exact)];
    await test.storeRedis.config('SET', 'rdbcompression', 'no');
    for (const key of await test.storeRedis.keysBuffer('*'))
      everything.push(key.toString('latin1'), (await test.storeRedis.dumpBuffer(key)).toString('latin1'));
    everything.push(JSON.stringify((await listEntries(store())).items));
    for (const part of [JWT, JWT.slice(0, 60), 'b'.repeat(30), id(session), id(session).slice(20, 60)])
      expect(everything.join('\n').includes(part)).toBe(false);
    const { items } = await listEntries(store());
    const targets = items.flatMap(({ action, target }) =>
      action === invalidate.contract.id ? [target] : [],
    );
    expect(targets).toEqual([
      'discours.session (token=•••)',
      'discours.session (user_id=5, token=•••)',
      'session:5:•••',
    ]);
  });

  it('does not make other work with the same name a duplicate', async () => {
    await run({ keyIds: [id(session)] }, 'admin');
    const other = `session:5:${JWT.replace('a', 'z')}`;
    await run({ keyIds: [id(other)] }, 'admin');
    expect((await problemOf(run({ keyIds: [id(session)] }, 'admin'))).status).toBe(409);
  });
});

describe('an estimate', () => {
  it('is within its error nearly always, and says when nothing was seen', { tags: 'long' }, async () => {
    const target = resolveTarget(test.ctx, { family: 'discours.topic-id' });
    let within = 0;
    const rounds = 30;
    for (let round = 0; round < rounds; round++) {
      await test.redis.flushall();
      const count = 500 + round * 100;
      await test.redis.eval(
        `for i = 1, tonumber(ARGV[1]) do redis.call('SET', 'topic:id:' .. ARGV[2] .. i, '') end
         for i = 1, 8000 do redis.call('SET', 'author:id:' .. ARGV[2] .. i, '') end`,
        0,
        count,
        round + 1,
      );
      const counted = await countTarget(test.ctx, target, { withinMs: 0 });
      expect(counted.exact).toBe(false);
      expect(counted.error).toBeGreaterThan(0);
      if (Math.abs(counted.keys - count) <= counted.error!) within += 1;
    }
    expect(within).toBeGreaterThanOrEqual(rounds * 0.8);
    const none = await countTarget(test.ctx, resolveTarget(test.ctx, { family: 'discours.lock' }), {
      withinMs: 0,
    });
    expect(none).toMatchObject({ keys: 0, exact: false });
    expect(none.error).toBeGreaterThan(0);
  });
});

describe('a family of many keys', () => {
  const MANY = 40_000;

  // How gently a scan goes on a busy machine is tested with the scans. There the preview only estimates how many keys it
  // is, and an estimate of exactly the limit may lie above it.
  beforeEach(() => {
    env().undo.maxKeys *= 2;
    Object.assign(connections().get('main')!.config.scan, { pauseMs: 0, maxAddedLatencyMs: 1000 });
  });

  afterEach(() => {
    env().undo.maxKeys /= 2;
  });

  it('is deleted completely, other keys are not touched, and vanished keys are counted separately', {
    tags: 'long',
    timeout: 120_000,
  }, async () => {
    await fill(MANY);
    const before = await test.redis.dbsize();
    runner = startRunner(store());
    const { jobId } = await run({ family: 'discours.topic-id' });
    await expect.poll(async () => (await record(jobId)).done, { timeout: 10_000 }).toBeGreaterThan(1000);
    // The application deletes some itself in the middle of it.
    for (let i = 1; i <= MANY; i += 1000) await test.redis.del(`topic:id:${i}`);
    const { result } = await ended(jobId, 'done', 100_000);
    const { matched, deleted, vanished } = result as Record<string, number>;
    expect(await test.redis.dbsize()).toBe(before - MANY);
    expect(matched! - deleted!).toBe(vanished);
    expect(deleted).toBeLessThanOrEqual(MANY);
    expect(deleted).toBeGreaterThanOrEqual(MANY - MANY / 1000);
    expect(await record(jobId)).toMatchObject({ done: deleted, pending: 0 });
  });

  it('stops when it is cancelled, with an exact count', { tags: ['long'], timeout: 120_000 }, async () => {
    await fill(MANY);
    const before = await test.redis.dbsize();
    runner = startRunner(store());
    const { jobId } = await run({ family: 'discours.topic-id' });
    await expect.poll(async () => (await record(jobId)).done, { timeout: 20_000 }).toBeGreaterThan(5000);
    const asked = performance.now();
    await cancel(jobId);
    const { done, result, pending } = await ended(jobId, 'cancelled');
    expect(performance.now() - asked).toBeLessThan(3000);
    expect(done).toBeLessThan(MANY);
    expect(pending).toBe(0);
    expect(result).toMatchObject({ deleted: done });
    expect(await test.redis.dbsize()).toBe(before - done);
  });

  it('stops when its user is disabled, and can be undone as far as it came', {
    tags: ['long'],
    timeout: 120_000,
  }, async () => {
    await fill(MANY);
    const before = await test.redis.dbsize();
    runner = startRunner(store(), { authoriseMs: 50 });
    const { jobId, auditId } = await run({ family: 'discours.topic-id' });
    await expect.poll(async () => (await record(jobId)).done, { timeout: 20_000 }).toBeGreaterThan(2000);
    await updateUser(store(), users.product.id, { disabled: true });
    const { done, total, result, pending, error } = await ended(jobId, 'failed');
    expect(error).toBe(
      `stopped: the user or API token that started it no longer has the permission; ${done} of ${total} done`,
    );
    expect(pending).toBe(0);
    expect(done).toBeLessThan(MANY);
    expect(result).toMatchObject({ deleted: done });
    expect(await test.redis.dbsize()).toBe(before - done);
    expect(await findEntry(store(), auditId)).toMatchObject({ outcome: 'failed', detail: error });
    const call = { actor: users.admin, requestId: 'r', connection: null, raw: { auditId } };
    await ended((await runCommand(undoChange, call)).jobId!, 'done', 60_000);
    expect(await test.redis.dbsize()).toBe(before);
  });

  it('is shown interrupted with what was done, when the process is killed half-way', {
    tags: 'long',
    timeout: 120_000,
  }, async () => {
    await fill(MANY);
    const before = await test.redis.dbsize();
    const { file } = await bundle('scripts/testing/job-runner.ts');
    child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'], env: process.env });
    await once(child.stdout!, 'data');
    const { jobId, auditId } = await run({ family: 'discours.topic-id' });
    await expect.poll(async () => (await record(jobId)).done, { timeout: 20_000 }).toBeGreaterThan(5000);
    expect(await reconcileJobs(store())).toBe(0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    // Alive for a moment longer, as far as others can tell; then not.
    expect((await record(jobId)).state).toBe('running');
    runner = startRunner(store(), { stalledMs: 100 });
    await expect.poll(() => reconcileJobs(store()), { timeout: 15_000 }).toBe(1);
    const { state, done, pending, error } = await record(jobId);
    expect(state).toBe('interrupted');
    expect(error).toMatch(/^interrupted: \d+ of \d+ done; \d+ more may have been done$/);
    const deleted = before - (await test.redis.dbsize());
    expect(deleted).toBeGreaterThanOrEqual(done);
    expect(deleted).toBeLessThanOrEqual(done + pending);
    expect(await findEntry(store(), auditId)).toMatchObject({ outcome: 'failed', after: { done, pending } });
    // The surge is explained on the charts, and followed.
    const events = await readHistoryEvents(store(), 'main', 0, Date.now() + 1000);
    expect(events).toMatchObject([
      { kind: 'invalidation', auditId, text: expect.stringContaining('interrupted') },
    ]);
    expect(await readRecovery(store(), 'main', auditId, Date.now())).toMatchObject({
      families: ['discours.topic-id'],
    });
    // Nobody begins it again.
    const next = await invalidated({ keyIds: [id('author:id:2')] });
    expect(next).toMatchObject({ deleted: 1 });
    expect(before - (await test.redis.dbsize())).toBe(deleted + 1);
    // Another process can restore what the dead one had stored.
    const call = { actor: users.product, requestId: 'r', connection: null, raw: { auditId } };
    const undone = await ended((await runCommand(undoChange, call)).jobId!, 'done', 60_000);
    expect(undone.result).toMatchObject({ restored: deleted, expired: 0, refused: 0 });
    expect(await test.redis.dbsize()).toBe(before - 1);
  });
});

it('matches wildcards without backtracking', () => {
  expect(fitsParam('12*', '123')).toBe(true);
  expect(fitsParam('*', '')).toBe(true);
  expect(fitsParam('a*a', 'a')).toBe(false);
  expect(fitsParam('a*b*c', 'a-b-b-c')).toBe(true);
  expect(fitsParam('a*b*c', 'a-c-b')).toBe(false);
  expect(fitsParam('ab', 'abc')).toBe(false);
  const started = performance.now();
  expect(fitsParam(`${'a*'.repeat(200)}b`, 'a'.repeat(100_000))).toBe(false);
  expect(performance.now() - started).toBeLessThan(500);
});
