import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ScanBudget } from '@/lib/redis/budget';
import { revokeVerificationTokens } from '@/lib/tokens/commands';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { type SeededDamage, seedEveryDamage } from '@/scripts/testing/damage';
import { withRepeatedElements } from '@/scripts/testing/repeated-elements';
import { expectNoSecret } from '@/scripts/testing/sessions';
import { BOTH_WAYS } from '@/scripts/testing/without-scripts';
import { repair } from './repair/repair';
import { REPAIRS, type RepairKind } from './repair/schema';
import { revokeSessions } from './revocation/commands';
import { SESSION_STATES, type Session, sessionContracts } from './schema';
import { listSessions, searchSessions } from './search';
import { readStats } from './stats';
import { sessionUserContracts } from './user/schema';
import { readUser } from './user/user';

describe.each(BOTH_WAYS)('every state, %s', (_, redisArgs) => {
  let test: TestContext;
  let seeded: SeededDamage;
  beforeAll(async () => {
    test = await testContext({ apps: ['discours'], role: 'support', redisArgs });
  });
  beforeEach(async () => {
    await test.empty();
    seeded = await seedEveryDamage(test.redis);
  });
  afterAll(() => test.close());

  const listAll = async (raw: object): Promise<Session[]> => {
    const sessions: Session[] = [];
    let cursor: string | null | undefined;
    do {
      const input = sessionContracts.list.input.parse({ ...raw, ...(cursor ? { cursor } : {}) });
      const page = sessionContracts.list.result.parse(await listSessions(test.ctx, input));
      sessions.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return sessions;
  };

  const search = async (raw: object) => {
    const events: [string, unknown][] = [];
    await searchSessions(test.ctx, sessionContracts.search.input.parse(raw), {
      send: (event, data) => events.push([event, data]),
      drained: async () => undefined,
      signal: new AbortController().signal,
    });
    const matches = events.filter(([event]) => event === 'match').map(([, data]) => data as Session);
    return { events, matches };
  };

  const counters = async () => {
    const info = await test.redis.info('stats');
    return ['hits', 'misses'].map((name) => Number(new RegExp(`keyspace_${name}:(\\d+)`).exec(info)?.[1]));
  };

  it('is counted exactly', async () => {
    const stats = sessionContracts.stats.result.parse(await readStats(test.ctx));
    expect(stats).toMatchObject({
      sessions: seeded.sessions,
      users: seeded.users,
      byState: seeded.byState,
      counting: false,
    });
  });

  it('is counted once, though the server gives it twice', { tags: ['long'] }, async () => {
    const { budget } = test.handle;
    test.handle.budget = new ScanBudget({ ...budget.limits, chunk: 10 });
    const { userId } = seeded.named.anna!;
    await test.redis.hset(`verification:${userId}:email_change:Zq7pXv2mLr9tKw1`, 'user_id', userId);
    const user = sessionUserContracts.user.input.parse({ userId: seeded.named.unindexed0!.userId });
    const found = async () => ({
      stats: { ...(await readStats(test.ctx)), countedAt: null },
      matches: (await search({})).matches.map(({ fingerprint }) => fingerprint).sort(),
      stale: (await search({ state: 'staleIndex' })).matches.length,
      listed: (await listAll({ limit: 3 })).length,
      live: (await listAll({ limit: 3, state: 'live' })).length,
      idle: (await search({ idleLongerThanSeconds: 10 * 86_400 })).matches.length,
      all: await revokeSessions.preview!(test.ctx, { userId, dryRun: true }),
      user: { ...(await readUser(test.ctx, user)), sessions: null },
      preview: await revokeSessions.preview!(test.ctx, { filter: { state: 'live' }, dryRun: true }),
      verifications: await revokeVerificationTokens.preview!(test.ctx, {
        filter: { expiringWithinSeconds: 86_400 },
        dryRun: true,
      }),
      dryRun: await run(REPAIRS, true),
    });
    // Time goes on meanwhile.
    const timeless = async () =>
      JSON.stringify(
        await found(),
        (name, value) => (/^(ttlSeconds|expiresAt)$/.test(name) ? null : value),
        1,
      );
    const first = await timeless();
    await withRepeatedElements(test, async () => expect(await timeless()).toEqual(first));
    test.handle.budget = budget;
  });

  it.each(SESSION_STATES)('is listed and found: %s', async (state) => {
    const listed = await listAll({ state, limit: 3 });
    expect(listed).toHaveLength(seeded.byState[state]!);
    expect(listed.every(({ states }) => states.includes(state))).toBe(true);
    const { matches, events } = await search({ state });
    expect(matches.map(({ fingerprint }) => fingerprint).sort()).toEqual(
      listed.map(({ fingerprint }) => fingerprint).sort(),
    );
    expect(events[events.length - 1]).toEqual(['end', { reason: 'complete' }]);
    expectNoSecret(JSON.stringify([listed, events]), seeded.secrets);
  });

  it.each<[object, number]>([
    [{ username: 'анна' }, 1],
    [{ username: 'АНН' }, 1],
    [{ username: 'Bob*[x]\\' }, 1],
    [{ username: '*' }, 1],
    [{ username: '[' }, 1],
    [{ username: 'b?b' }, 0],
    [{ username: '%a' }, 0],
    [{ username: '.' }, 0],
    [{ username: '£.' }, 0],
    [{ device: 'firefox 143' }, 1],
    [{ device: 'macos' }, 1],
    [{ device: 'Gecko/' }, 1],
    [{ address: '203.0.113' }, 1],
    [{ address: '2001:DB8' }, 1],
    [{ address: '*' }, 0],
    [{ idleLongerThanSeconds: 10 * 86_400 }, 2],
    [{ idleLongerThanSeconds: 0, state: 'ghost' }, 2],
    [{ username: 'alice', state: 'live' }, 4],
    [{ username: 'alice', state: 'unindexed', device: 'x' }, 0],
    [{ username: 'Анна', state: 'legacy' }, 1],
  ])('filter %j finds %i', async (filter, count) => {
    const { matches } = await search(filter);
    expect(matches).toHaveLength(count);
    expect((await listAll(filter)).map(({ handle }) => handle).sort()).toEqual(
      matches.map(({ handle }) => handle).sort(),
    );
  });

  it('leaves the hit rate as it was', async () => {
    const [before, own] = [await counters(), test.handle.own.snapshot()];
    await readStats(test.ctx);
    for (const state of SESSION_STATES) await listAll({ state });
    await search({ username: 'анна', device: 'fire', address: '203', idleLongerThanSeconds: 1 });
    const hooks = { before: async () => undefined };
    await repair(test.ctx, { kinds: REPAIRS, dryRun: false }, hooks);
    const [after, now] = [await counters(), test.handle.own.snapshot()];
    expect([after[0]! - before[0]!, after[1]! - before[1]!]).toEqual([
      now.hits - own.hits,
      now.misses - own.misses,
    ]);
  });

  const run = (kinds: readonly RepairKind[], dryRun = false) =>
    repair(test.ctx, { kinds, dryRun }, { before: async () => undefined });

  it('is repaired, and counted before and after', async () => {
    const before = { staleIndex: 4, unindexed: 3, ghost: 2, legacy: 2, noTtl: 2 };
    const keys = await test.redis.dbsize();
    expect(await run(REPAIRS, true)).toMatchObject({
      dryRun: true,
      before,
      after: before,
      ended: 1,
      left: 0,
    });
    expect(await test.redis.dbsize()).toBe(keys);
    const done = await run(REPAIRS);
    expect(done).toEqual({
      dryRun: false,
      found: 13,
      before,
      repaired: before,
      after: { staleIndex: 0, unindexed: 0, ghost: 0, legacy: 0, noTtl: 0 },
      remaining: 0,
      ended: 1,
      left: 0,
    });
    const { byState } = await readStats(test.ctx);
    expect(byState).toEqual({
      live: 9,
      // Malformed ones, which are left to people.
      unindexed: 4,
      ghost: 0,
      noTtl: 3,
      legacy: 0,
      malformed: 6,
      staleIndex: 0,
    });
    const { redis } = test;
    const { unindexed1, unindexed2, noTtl, old } = seeded.named;
    expect(await redis.ttl('user_sessions:4')).toBeGreaterThan(1990);
    expect(await redis.ttl('user_sessions:4')).toBeLessThanOrEqual(2000);
    expect(await redis.sismember('user_sessions:5', unindexed2!.token)).toBe(1);
    expect(await redis.ttl(unindexed1!.key)).toBeLessThanOrEqual(2000);
    const left = await redis.ttl(noTtl!.key);
    expect(left).toBeGreaterThan(29 * 86_400 - 60);
    expect(left).toBeLessThanOrEqual(29 * 86_400);
    expect(await redis.exists(old!.key)).toBe(0);
    expect(await redis.smembers('user_sessions:6')).toEqual([noTtl!.token]);
    expect(await redis.exists('user_sessions:7', 'user_sessions:8')).toBe(0);
    expectNoSecret(JSON.stringify(done), seeded.secrets);
  });

  it('is repaired one kind at a time', async () => {
    for (const kind of REPAIRS) {
      const { before, after } = await run([kind]);
      expect(Object.keys(before)).toEqual([kind]);
      expect(after).toEqual({ [kind]: 0 });
    }
  });

  it('without a readable creation time is left as it is', async () => {
    await test.redis.hset(seeded.named.noTtl!.key, 'created_at', 'yesterday');
    expect(await run(['noTtl'], true)).toMatchObject({ ended: 1, left: 1 });
    expect(await run(['noTtl'])).toMatchObject({ before: { noTtl: 2 }, repaired: { noTtl: 1 }, left: 1 });
    expect(await test.redis.ttl(seeded.named.noTtl!.key)).toBe(-1);
  });

  it('keeps an index for ever that has a member without TTL', async () => {
    await test.redis.persist(seeded.named.unindexed0!.key);
    await run(['unindexed']);
    expect(await test.redis.ttl('user_sessions:4')).toBe(-1);
  });
});
