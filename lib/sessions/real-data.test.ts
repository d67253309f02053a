import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { expectNoSecret, makeJwt, seedSession } from '@/scripts/testing/sessions';
import { BOTH_WAYS } from '@/scripts/testing/without-scripts';
import { repair } from './repair/repair';
import { revokeSessions } from './revocation/commands';
import { type Session, sessionContracts } from './schema';
import { listSessions, searchSessions } from './search';
import { readStats } from './stats';
import { sessionUserContracts } from './user/schema';
import { readUser } from './user/user';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_6) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15';

/** Sessions as the publishing platform really writes them. */
describe.each(BOTH_WAYS)('what the real application writes, %s', (_, redisArgs) => {
  let test: TestContext;
  beforeAll(async () => {
    test = await testContext({ apps: ['discours'], role: 'support', redisArgs });
  });
  beforeEach(() => test.empty());
  afterAll(() => test.close());

  const search = async (raw: object): Promise<Session[]> => {
    const found: Session[] = [];
    await searchSessions(test.ctx, sessionContracts.search.input.parse(raw), {
      send: (event, data) => event === 'match' && found.push(data as Session),
      drained: async () => undefined,
      signal: new AbortController().signal,
    });
    return found;
  };
  const list = async (raw: object = {}) =>
    sessionContracts.list.result.parse(
      await listSessions(test.ctx, sessionContracts.list.input.parse({ limit: 1000, ...raw })),
    ).items;
  const user = async (userId: string, ctx = test.ctx) =>
    sessionUserContracts.user.result.parse(
      await readUser(ctx, sessionUserContracts.user.input.parse({ userId, complete: true })),
    );
  const revoke = async (raw: object) => {
    const caller = { actor: testActor('support'), requestId: randomUUID(), connection: test.handle };
    const result = await runCommand(revokeSessions, { ...caller, raw });
    if ('jobId' in result) throw new Error('it became a job');
    return result;
  };
  const names = (found: readonly Session[]) => found.map(({ username }) => username).sort();

  describe('a device_info that is a Python dictionary', () => {
    beforeEach(async () => {
      const devices = {
        plain: `{'ip': '1.2.3.4', 'user_agent': '${FIREFOX}', 'x': None, 'y': True}`,
        nested: `{"it's": 'a\\'b\\n\\x41\\u00e9', 'n': {'a': [1, (2,)]}, 'user_agent': "${FIREFOX}", 'ip': '1.2.3.5'}`,
        escaped: String.raw`{'ip': '\x31\56\x32.3.6', 'user_agent': 'Firef\N{LATIN SMALL LETTER O}x \U00000046irefox/143.0'}`,
        dated: `{'seen': datetime.datetime(2024, 1, 2), 'ip': '1.2.3.7', 'user_agent': '${FIREFOX}'}`,
        mac: `{'ip': '1.2.4.1', 'user_agent': '${SAFARI}'}`,
        json: JSON.stringify({ ip: '1.2.3.8', user_agent: FIREFOX }),
        other: `{'ip': '9.9.9.9', 'user_agent': 'curl/8'}`,
      };
      for (const [username, device_info] of Object.entries(devices))
        await seedSession(test.redis, { userId: '5', username, fields: { device_info } });
    });

    it('is live, with its device and address', async () => {
      const sessions = await list();
      expect(sessions.map(({ states }) => states.join())).toEqual(Array(7).fill('live'));
      const device = { label: 'Firefox 143 · Linux', userAgent: FIREFOX };
      for (const [name, address] of [
        ['plain', '1.2.3.4'],
        ['nested', '1.2.3.5'],
        ['dated', '1.2.3.7'],
      ])
        expect(sessions.find(({ username }) => username === name)?.device).toEqual({ ...device, address });
      const { byState } = await readStats(test.ctx);
      expect(byState).toMatchObject({ live: 7, malformed: 0 });
      expect(names(await search({ state: 'live' }))).toHaveLength(7);
    });

    it.each<[object, string[]]>([
      [{ address: '1.2.3.' }, ['dated', 'escaped', 'json', 'nested', 'plain']],
      [{ address: '1.2.3.6' }, ['escaped']],
      [{ device: 'firefox' }, ['dated', 'escaped', 'json', 'nested', 'plain']],
      [{ device: 'Firefox 143 · LINUX' }, ['dated', 'json', 'nested', 'plain']],
      [{ device: 'linux' }, ['dated', 'json', 'nested', 'plain']],
      [{ device: 'macos' }, ['mac']],
      [{ device: 'curl', address: '9.9' }, ['other']],
      [{ device: 'user_agent' }, []],
    ])('is found by %j', async (filter, found) => {
      expect(names(await search(filter))).toEqual(found);
      expect(names(await list(filter))).toEqual(found);
    });

    it('is revoked by address and by device', async () => {
      expect(await revoke({ filter: { address: '1.2.3.4' } })).toMatchObject({ revoked: 1, remaining: 0 });
      expect(await revoke({ filter: { device: 'Linux' } })).toMatchObject({ revoked: 3, remaining: 0 });
      expect(await revoke({ filter: { address: '1.2.3.6' } })).toMatchObject({ revoked: 1, remaining: 0 });
      expect(names(await list())).toEqual(['mac', 'other']);
    });
  });

  describe('a session of a user whose id is a word', () => {
    const WORDS = ['healthcheck', 'svc.monitor-1', 'a/b%2e', 'проверка', "o'brien"];

    /** As in a keyspace that is gone through by patterns. */
    const large = () => ({ ...test.ctx, reader: { ...test.ctx.reader, size: async () => 1_000_000 } });

    it.each(WORDS)(
      '%s is malformed and indexed, and is opened, ended and proven gone',
      { tags: ['long'] },
      async (userId) => {
        const secrets: string[] = [];
        for (const indexed of [true, true, false])
          secrets.push((await seedSession(test.redis, { userId, indexed })).token);
        const stale = makeJwt({ user_id: userId }, 'stale');
        await test.redis.sadd(`user_sessions:${userId}`, stale);
        await test.redis.set('verification_token:Zq7pXv2mLr9tKw1', JSON.stringify({ user_id: userId }));
        await seedSession(test.redis, { userId: `${userId}x` });
        await seedSession(test.redis, { userId: '5' });
        const rows = (await list()).filter((row) => row.userId === userId);
        expect(rows.map(({ indexed, states }) => `${indexed} ${states}`).sort()).toEqual([
          'false malformed,unindexed',
          'true malformed',
          'true malformed',
        ]);
        expect(await list({ state: 'staleIndex' })).toMatchObject([{ userId, indexed: true }]);
        for (const ctx of [test.ctx, large()]) {
          const shown = await user(userId, ctx);
          expect(shown).toMatchObject({
            userId,
            staleIndex: 1,
            unindexed: 1,
            complete: true,
            related: [],
            oauth: [],
          });
          expect(shown.sessions).toHaveLength(3);
          expect(shown.verifications).toMatchObject([{ userId }]);
          expectNoSecret(JSON.stringify(shown), secrets);
        }
        const handle = rows.find(({ indexed }) => indexed)!.handle!;
        expect(await revoke({ handles: [handle] })).toMatchObject({
          matched: 1,
          revoked: 1,
          remaining: 0,
          users: 1,
        });
        const unindexed = rows.find(({ indexed }) => !indexed)!.handle!;
        expect(await revoke({ handles: [unindexed] })).toMatchObject({
          matched: 1,
          revoked: 1,
          remaining: 0,
        });
        const also = { also: ['oauth', 'verification'] };
        expect(await revoke({ userId, ...also })).toMatchObject({
          matched: 1,
          revoked: 1,
          remaining: 0,
          users: 1,
          alsoRevoked: { oauth: 0, verification: 1 },
        });
        expect(await test.redis.exists(`user_sessions:${userId}`)).toBe(0);
        expect(await list()).toHaveLength(2);
        const { audit } = await user(userId);
        expect(audit).toHaveLength(3);
        expect((await user(`${userId}x`)).audit).toEqual([]);
        expectNoSecret(JSON.stringify(await listEntries(test.ctx.store)), secrets);
      },
    );

    it('is listed page by page where many such indexes are stale', async () => {
      for (const word of WORDS)
        for (let i = 0; i < 3; i++)
          await test.redis.sadd(`user_sessions:${word}`, makeJwt({ user_id: word }, `${i}`));
      const found: Session[] = [];
      let cursor: string | null = null;
      do {
        const input = { state: 'staleIndex', limit: 2, ...(cursor === null ? {} : { cursor }) };
        const page = await listSessions(test.ctx, sessionContracts.list.input.parse(input));
        found.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(new Set(found.map(({ fingerprint }) => fingerprint)).size).toBe(15);
      expect(found).toHaveLength(15);
      expect((await readStats(test.ctx)).byState?.staleIndex).toBe(15);
      const done = await repair(
        test.ctx,
        { kinds: ['staleIndex', 'ghost'], dryRun: false },
        { before: async () => undefined },
      );
      expect(done).toMatchObject({ repaired: { staleIndex: 15 }, remaining: 0 });
    });

    it('has a ghost, which is removed with its index entry', async () => {
      const token = makeJwt({ user_id: 'healthcheck' }, 'ghost');
      await test.redis.hset(`session:healthcheck:${token}`, 'last_activity', '1700000000');
      await test.redis.sadd('user_sessions:healthcheck', token);
      expect(await list()).toMatchObject([
        { userId: 'healthcheck', indexed: true, states: ['ghost', 'noTtl'] },
      ]);
      const kinds = ['ghost', 'noTtl', 'unindexed'] as const;
      const done = await repair(test.ctx, { kinds, dryRun: false }, { before: async () => undefined });
      expect(done).toMatchObject({ repaired: { ghost: 1, noTtl: 0, unindexed: 0 }, remaining: 0, left: 0 });
      expect(await test.redis.dbsize()).toBe(0);
    });

    it.each([
      ['a token', makeJwt({ sub: 'x' })],
      ['a run of letters as chance makes them', 'q9Zx7Vb2Lm4Tk8Wp1Rc6'],
      ['two words', 'health check'],
      ['a number of too many digits', '9'.repeat(20)],
      ['no text', '\xff\xfe'],
    ])('that is %s is not shown, and still counts as indexed', async (_what, id) => {
      const [user, token] = [Buffer.from(id, 'latin1'), makeJwt({}, 'x')];
      const key = Buffer.concat([Buffer.from('session:'), user, Buffer.from(`:${token}`)]);
      const index = Buffer.concat([Buffer.from('user_sessions:'), user]);
      await test.redis.hset(key, { username: 'odd', created_at: '1700000000' });
      await test.redis.sadd(index, token);
      const [row] = await list();
      expect(row).toMatchObject({
        handle: null,
        userId: null,
        indexed: true,
        states: ['malformed', 'noTtl'],
      });
      expectNoSecret(JSON.stringify(row), [id, token]);
      expect(await revoke({ filter: { username: 'odd' } })).toMatchObject({ revoked: 1, remaining: 0 });
      expect(await test.redis.dbsize()).toBe(0);
    });
  });
});
