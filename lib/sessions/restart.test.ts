import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { seedSession } from '@/scripts/testing/sessions';
import { BOTH_WAYS } from '@/scripts/testing/without-scripts';
import { readPerson } from './person/person';
import { personContracts } from './person/schema';
import { sessionContracts } from './schema';
import { listSessions } from './search';

const SESSIONS = 227;
const LIMIT = 20;

/** Without INFO nobody tells which process answers. */
const WITHOUT_INFO = ['--user', 'blind', 'on', '>pass', '~*', '&*', '+@read', '+ping'];
const WAYS: [name: string, redisArgs: string[], user?: string][] = [
  ...BOTH_WAYS,
  ['without INFO and scripts', WITHOUT_INFO, 'blind:pass'],
];

describe.each(WAYS)('pages of a list across a restart, %s', (_, redisArgs, user) => {
  let test: TestContext;
  beforeEach(async () => {
    // ioredis warns of each connection without INFO.
    vi.spyOn(console, 'warn').mockReturnValue();
    test = await testContext({ apps: ['discours'], redisArgs, user });
    for (let i = 0; i < SESSIONS; i++) await seedSession(test.redis, { indexed: i % 2 === 0 });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    return test.close();
  });

  const list = (cursor?: string, raw: object = {}) =>
    listSessions(test.ctx, sessionContracts.list.input.parse({ limit: LIMIT, cursor, ...raw }));
  const person = (cursor?: string) =>
    readPerson(
      test.ctx,
      personContracts.user.input.parse({ userId: '123', limit: LIMIT, complete: true, cursor }),
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
    const { nextCursor } = await person();
    await person(nextCursor!);
    await test.restart();
    expect((await problemOf(person(nextCursor!))).code).toBe('cursor_expired');
  });

  it('are refused as nonsense where they are no cursor', async () => {
    for (const cursor of ['x', '0:1', '0:1~', '0:1~~x', '0:1~~abcd'])
      expect((await problemOf(list(cursor))).code).toBe('bad_input');
  });
});
