import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { registerJob } from '@/lib/jobs/define';
import { closeQueue } from '@/lib/jobs/queue';
import { readRecord } from '@/lib/jobs/record';
import { runJob } from '@/lib/jobs/runner';
import { connections } from '@/lib/redis/connections';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { type SeededDamage, seedEveryDamage } from '@/scripts/testing/damage';
import { expectNoSecret, seedSession } from '@/scripts/testing/sessions';
import { type UserOfEachRole, userOfEachRole } from '@/scripts/testing/user-of-each-role';
import { repairJob, repairSessions } from './repair/commands';
import { revocationJob, revokeSessions } from './revocation/commands';
import { revocationContracts } from './revocation/schema';
import { sessionUserContracts } from './user/schema';
import { readUser } from './user/user';

let test: TestContext;
let users: UserOfEachRole;
let seeded: SeededDamage;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'], role: 'support' });
  registerJob(revocationJob);
  registerJob(repairJob);
});
beforeEach(async () => {
  await closeQueue();
  await test.empty();
  users = await userOfEachRole();
  seeded = await seedEveryDamage(test.redis);
});
afterAll(async () => {
  await closeQueue();
  await test.close();
});

const caller = (role: 'support' | 'product' | 'viewer' = 'support') => ({
  actor: users[role],
  requestId: randomUUID(),
  connection: test.handle,
});

const revoke = (raw: object) => runCommand(revokeSessions, { ...caller(), raw });

/** Runs the job as the runner would, and gives how it ended. */
const finish = async (accepted: object) => {
  if (!('jobId' in accepted)) throw new Error('it was done at once');
  const { jobId } = accepted as { jobId: string };
  await runJobOf(jobId);
  return (await readRecord(test.ctx.store, jobId))!;
};

const runJobOf = async (jobId: string) => {
  connections.replace(new Map([['main', test.handle]]));
  try {
    await runJob(test.ctx.store, jobId, new AbortController().signal);
  } finally {
    connections.forget();
  }
};

describe('by filter', () => {
  it('counts first, then ends what matchesFilter and nothing else', async () => {
    const keys = await test.redis.dbsize();
    const counted = await revoke({ filter: { username: 'alice', state: 'unindexed' }, dryRun: true });
    expect(counted).toMatchObject({ matched: 3, revoked: 0, remaining: 3, users: 2, exact: true });
    expect(await test.redis.dbsize()).toBe(keys);
    const done = await revoke({ filter: { username: 'alice', state: 'unindexed' }, reason: 'walk' });
    expect(done).toMatchObject({ matched: 3, revoked: 3, alreadyGone: 0, remaining: 0, users: 2 });
    expect(await test.redis.dbsize()).toBe(keys - 3);
    expectNoSecret(JSON.stringify([counted, done]), seeded.secrets);
  });

  it('revokes a legacy key with its session, and legacy keys by their state', async () => {
    const { anna } = seeded.named;
    expect(await revoke({ filter: { address: '203.0.113.7' } })).toMatchObject({ revoked: 1, remaining: 0 });
    expect(await test.redis.exists(anna!.key, `1-Анна-${anna!.token}`)).toBe(0);
    expect(await test.redis.sismember('user_sessions:1', anna!.token)).toBe(0);
    expect(await revoke({ filter: { state: 'legacy' } })).toMatchObject({ matched: 1, revoked: 1 });
  });

  it('ends the other tokens of those it reached', async () => {
    await test.redis.set('oauth_refresh:3:vk', 'x');
    await test.redis.set('oauth_refresh:4:vk', 'x');
    await test.redis.hset('verification:3:email_change:Zq7pXv2mLr9tKw1', 'user_id', '3');
    const input = { filter: { idleLongerThanSeconds: 10 * 86_400, state: 'live' } };
    expect(await revoke({ ...input, also: ['oauth', 'verification'] })).toMatchObject({
      matched: 2,
      revoked: 2,
      alsoRevoked: { oauth: 1, verification: 1 },
    });
    expect(await test.redis.exists('oauth_refresh:4:vk')).toBe(1);
  });

  it('is a job above 500, with the proof as its result', { tags: ['long'] }, async () => {
    for (let i = 0; i < 501; i++)
      await seedSession(test.redis, { userId: String(1000 + (i % 150)), username: 'robot' });
    const record = await finish(await revoke({ filter: { username: 'ROBOT' }, reason: 'robots' }));
    expect(record).toMatchObject({ state: 'done', done: 501, error: null });
    expect(
      revocationContracts.revoke.result.parse({ ...record.result, auditId: record.auditId }),
    ).toMatchObject({
      matched: 501,
      revoked: 501,
      alreadyGone: 0,
      remaining: 0,
      stillValidCut: true,
    });
    const { items } = await listEntries(test.ctx.store);
    expect(items).toMatchObject([
      { target: 'sessions with username=ROBOT', outcome: 'succeeded', reason: 'robots', undoUntil: null },
    ]);
    expect(await test.redis.exists(seeded.named.anna!.key)).toBe(1);
  });

  it('tells of sessions that come back as remaining', async () => {
    const { anna } = seeded.named;
    const writer = {
      ...test.ctx.writer,
      run: async (...call: Parameters<typeof test.ctx.writer.run>) => {
        const reply = await test.ctx.writer.run(...call);
        await test.redis.hset(anna!.key, 'last_activity', '1');
        return reply;
      },
    };
    const input = { filter: { address: '203.0.113.7' }, dryRun: false };
    const { result } = await revokeSessions.run({ ...test.ctx, writer }, input);
    expect(result).toMatchObject({ matched: 1, revoked: 1, remaining: 1 });
  });

  it.each([
    { filter: {} },
    { filter: { username: '' } },
    { filter: { state: 'staleIndex' } },
    { filter: { state: 'nonsense' } },
    { filter: { idleLongerThanSeconds: -1 } },
    { filter: { token: 'x' } },
    { filter: { username: 'x' }, userId: '1' },
  ])('refuses %j with 400', async (raw) => {
    await expect(revoke(raw)).rejects.toMatchObject({ status: 400 });
  });

  it.each(['product', 'viewer'] as const)('is refused to %s', async (role) => {
    const raw = { filter: { username: 'a' } };
    await expect(runCommand(revokeSessions, { ...caller(role), raw })).rejects.toMatchObject({ status: 403 });
    const repair = { kinds: ['ghost'] };
    await expect(runCommand(repairSessions, { ...caller(role), raw: repair })).rejects.toMatchObject({
      status: 403,
    });
  });
});

it('a user with more than 500 entries, and one in a large keyspace, is ended by a job', {
  tags: ['long'],
}, async () => {
  for (let i = 0; i < 501; i++) await seedSession(test.redis, { userId: '77' });
  const record = await finish(await revoke({ userId: '77' }));
  expect(record.result).toMatchObject({ matched: 501, revoked: 501, remaining: 0 });
  const reader = { ...test.ctx.reader, size: async () => 5_000_000 };
  const { result } = await revokeSessions.run({ ...test.ctx, reader }, { userId: '4', dryRun: false });
  expect('jobId' in result).toBe(true);
});

it('a repair is a job with its own audit entry, on a dry run too', async () => {
  const raw = { kinds: ['ghost', 'legacy'], dryRun: true };
  const dry = await finish(await runCommand(repairSessions, { ...caller(), raw }));
  expect(dry).toMatchObject({ state: 'done', result: { dryRun: true, before: { ghost: 2, legacy: 2 } } });
  const done = await finish(
    await runCommand(repairSessions, { ...caller(), raw: { ...raw, dryRun: false } }),
  );
  expect(done).toMatchObject({ state: 'done', result: { after: { ghost: 0, legacy: 0 } } });
  const { items } = await listEntries(test.ctx.store);
  expect(items.map(({ action, target, outcome }) => [action, target, outcome])).toEqual([
    ['sessions.repair', 'ghost, legacy', 'succeeded'],
    ['sessions.repair', 'ghost, legacy (dry run)', 'succeeded'],
  ]);
});

it('a user’s page has what was done about them, and their author’s cache entries', async () => {
  await revoke({ userId: '4', reason: 'lost phone' });
  const input = sessionUserContracts.user.input.parse({ userId: '4' });
  const { audit } = await readUser(test.ctx, input);
  expect(audit).toMatchObject([
    {
      action: 'sessions.revoke',
      actor: 'support@example.org',
      reason: 'lost phone',
      outcome: 'succeeded',
      proof: { alreadyGone: 0, remaining: 0 },
    },
  ]);
  expect(audit[0]!.proof!.revoked).toBeGreaterThan(0);
  const anna = await readUser(test.ctx, { ...input, userId: '1' });
  expect(anna.audit).toEqual([]);
  expect(anna.related[0]).toMatchObject({ family: 'discours.author-id', key: 'author:id:1', exists: true });
  expect(anna.related.filter(({ exists }) => exists)).toHaveLength(1);
  expect(anna.related.length).toBeGreaterThan(4);
  expectNoSecret(JSON.stringify([audit, anna]), seeded.secrets);
});

it.each(['lastActivity', 'created', 'expiry'] as const)(
  'a user’s sessions are sorted by %s',
  async (sort) => {
    const name = { lastActivity: 'lastActivity', created: 'createdAt', expiry: 'expiresAt' } as const;
    const times = async (order: 'asc' | 'desc') => {
      const input = sessionUserContracts.user.input.parse({ userId: '3', sort, order });
      const { sessions } = await readUser(test.ctx, input);
      return sessions.map((one) => one[name[sort]] ?? (sort === 'lastActivity' ? one.createdAt : null));
    };
    const [up, down] = [await times('asc'), await times('desc')];
    expect(up).toHaveLength(3);
    expect(up).toEqual([...up].sort());
    expect(down).toEqual([...down].sort().reverse());
  },
);
