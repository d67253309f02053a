import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommand } from '@/lib/command/run';
import { revokeOauthStates } from '@/lib/tokens/commands';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { restartDuring } from '@/scripts/testing/restart';
import { seedSession } from '@/scripts/testing/sessions';
import { BOTH_WAYS } from '@/scripts/testing/without-scripts';
import { repair } from './repair/repair';
import { revokeSessions } from './revocation/commands';
import { sessionContracts } from './schema';
import { listSessions, searchSessions } from './search';
import { countSessions } from './survey';
import { sessionUserContracts } from './user/schema';
import { readUser } from './user/user';

const SESSIONS = 227;
const LIMIT = 20;

/** Without INFO nobody tells which process answers. */
const WITHOUT_INFO = ['--user', 'blind', 'on', '>pass', '~*', '&*', '+@read', '+ping'];
const WAYS: [name: string, redisArgs: string[], user?: string][] = [
  ...BOTH_WAYS,
  ['without INFO and scripts', WITHOUT_INFO, 'blind:pass'],
];

describe.each(WAYS)('pages of a list across a restart, %s', (_, redisArgs, aclUser) => {
  let test: TestContext;
  beforeEach(async () => {
    // ioredis warns of each connection without INFO.
    vi.spyOn(console, 'warn').mockReturnValue();
    test = await testContext({ apps: ['discours'], redisArgs, user: aclUser });
    for (let i = 0; i < SESSIONS; i++) await seedSession(test.redis, { indexed: i % 2 === 0 });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    return test.close();
  });

  const list = (cursor?: string, raw: object = {}) =>
    listSessions(test.ctx, sessionContracts.list.input.parse({ limit: LIMIT, cursor, ...raw }));
  const user = (cursor?: string) =>
    readUser(
      test.ctx,
      sessionUserContracts.user.input.parse({ userId: '123', limit: LIMIT, complete: true, cursor }),
    );

  it.each<[string, object]>([
    ['all', {}],
    ['those that a filter finds', { username: 'alice' }],
  ])('go on in the process that gave the cursor, and nowhere else: %s', async (_what, filter) => {
    const first = await list(undefined, filter);
    await list(first.nextCursor!, filter);
    await test.restart();
    expect(await problemOf(list(first.nextCursor!, filter))).toMatchObject({
      status: 410,
      code: 'cursor_expired',
    });
    const found = new Set<string>();
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await list(cursor, filter);
      for (const { fingerprint } of page.items) found.add(fingerprint);
      cursor = page.nextCursor;
    }
    expect(found.size).toBe(SESSIONS);
  });

  it('of stale index entries are refused too', async () => {
    for (let i = 0; i < 600; i++) await test.redis.sadd(`user_sessions:${i % 5}`, `gone-${i}`);
    const { nextCursor } = await list(undefined, { state: 'staleIndex' });
    await test.restart();
    expect((await problemOf(list(nextCursor!, { state: 'staleIndex' }))).code).toBe('cursor_expired');
  });

  it('of one user are refused too', async () => {
    const { nextCursor } = await user();
    await user(nextCursor!);
    await test.restart();
    expect((await problemOf(user(nextCursor!))).code).toBe('cursor_expired');
  });

  it('are refused as nonsense where they are no cursor', async () => {
    for (const cursor of ['x', '0:1', '0:1~', '0:1~~x', '0:1~~abcd'])
      expect((await problemOf(list(cursor))).code).toBe('bad_input');
  });
});

describe('a walk through all keys that meets a restart', () => {
  let test: TestContext;
  beforeEach(async () => {
    test = await testContext({
      apps: ['discours'],
      // Calls grow to twenty times that.
      scan: { chunk: 1, pauseMs: 1, maxAddedLatencyMs: 1000 },
    });
    for (let i = 0; i < SESSIONS; i++)
      await seedSession(test.redis, {
        userId: String(i % 30),
        indexed: i % 2 === 0,
        ttl: i % 3 ? null : 1000,
      });
    for (let i = 0; i < 50; i++) await test.redis.sadd(`user_sessions:${i % 30}`, `gone-${i}`);
    for (let i = 0; i < 40; i++) await test.redis.hset(`oauth_state:${i}`, 'provider', 'google');
  });
  afterEach(() => test.close());

  const call = (raw: object) => ({ actor: testActor('admin'), requestId: 'r', connection: test.handle, raw });

  it('counts each session once', async () => {
    restartDuring(test, 7);
    expect(await countSessions(test.ctx)).toMatchObject({
      sessions: SESSIONS,
      users: 30,
      byState: { unindexed: 113, staleIndex: 50 },
      oauthStates: 40,
    });
  });

  it('is reported by a search, which never ends as if it were complete', async () => {
    restartDuring(test, 7);
    const events: string[] = [];
    const sink = {
      send: (event: string) => void events.push(event),
      drained: async () => undefined,
      signal: new AbortController().signal,
    };
    const problem = await problemOf(searchSessions(test.ctx, { username: 'alice' }, sink));
    expect(problem.code).toBe('cursor_expired');
    expect(events).not.toContain('end');
  });

  it.each([7, 20])('revokes all that a filter finds, each counted once (call %i)', async (at) => {
    restartDuring(test, at);
    const result = await runCommand(revokeSessions, call({ filter: { username: 'alice' } }));
    expect(result).toMatchObject({ matched: SESSIONS, revoked: SESSIONS, remaining: 0, users: 30 });
    expect(await test.redis.keys('session:*')).toEqual([]);
  });

  it('shows what a revocation would end', async () => {
    restartDuring(test, 7);
    const result = await runCommand(revokeSessions, call({ filter: { username: 'alice' }, dryRun: true }));
    expect(result).toMatchObject({ matched: SESSIONS, remaining: SESSIONS });
  });

  it('finds what no index knows of a user', async () => {
    restartDuring(test, 7);
    const found = await readUser(
      test.ctx,
      sessionUserContracts.user.input.parse({ userId: '3', complete: true, limit: 100 }),
    );
    expect(found).toMatchObject({ unindexed: 8 });
  });

  it.each([7, 20])('repairs everything, each counted once (call %i)', async (at) => {
    restartDuring(test, at);
    const hooks = { before: async () => undefined };
    const kinds = ['staleIndex', 'unindexed', 'noTtl'] as const;
    const noTtl = 151;
    expect(await repair(test.ctx, { kinds, dryRun: false }, hooks)).toMatchObject({
      before: { staleIndex: 50, unindexed: 113, noTtl },
      repaired: { staleIndex: 50, unindexed: 113, noTtl },
      remaining: 0,
      left: 0,
    });
  });

  it('revokes all tokens of a kind, each counted once', async () => {
    restartDuring(test, 7);
    const result = await runCommand(revokeOauthStates, call({ filter: { provider: 'google' } }));
    expect(result).toMatchObject({ matched: 40, revoked: 40, remaining: 0 });
  });
});
