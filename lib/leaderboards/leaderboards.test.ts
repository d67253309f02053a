import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { problemOf } from '@/scripts/testing/problem-of';
import { getLeaderboard, listLeaderboards } from './reads';
import { leaderboardContracts } from './schema';

const BOARD = 'leaderboard:daily';
const idOf = (key: string | Buffer): string => Buffer.from(key).toString('base64url');
const TOKEN = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'s'.repeat(43)}`;

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(async () => {
  forget('role keys');
  await test.empty();
});
afterAll(() => test.close());

const list = async (raw: object = {}) => {
  const { input, result } = leaderboardContracts.list;
  return result.parse(await listLeaderboards(test.ctx, input.parse(raw)));
};
const get = async (raw: object = {}) => {
  const { input, result } = leaderboardContracts.get;
  return result.parse(await getLeaderboard(test.ctx, input.parse({ keyId: idOf(BOARD), ...raw })));
};
const rows = ({ items }: Awaited<ReturnType<typeof get>>) =>
  items.map(({ rank, member, score }) => [rank, member, score]);

it('lists leaderboards with their first member', async () => {
  await test.redis.zadd(BOARD, 1000, 'user:123', 800, 'user:456');
  await test.redis.expire(BOARD, 3600);
  await test.redis.rpush('leaderboard:list', 'x');
  const { items, ...page } = await list();
  expect(page).toEqual({ nextCursor: null, total: 2, complete: true, foundAt: expect.any(String) });
  expect(items[0]).toMatchObject({ key: BOARD, name: 'daily', members: 2, problem: null, ttlSeconds: 3600 });
  expect(items[0]!.top).toMatchObject({
    rank: 1,
    member: 'user:123',
    memberId: idOf('user:123'),
    score: 1000,
  });
  expect(items[1]).toMatchObject({
    name: 'list',
    type: 'list',
    members: null,
    top: null,
    problem: 'wrongType',
  });
});

it('ranks members, highest or lowest first, page by page', async () => {
  await test.redis.zadd(BOARD, ...Array.from({ length: 25 }, (_, i) => [i, `m${i}`]).flat());
  const first = await get({ limit: 10 });
  expect(first).toMatchObject({ total: 25, member: null, key: BOARD });
  expect(rows(first)[0]).toEqual([1, 'm24', 24]);
  const second = await get({ limit: 10, cursor: first.nextCursor });
  const third = await get({ limit: 10, cursor: second.nextCursor });
  expect([...rows(first), ...rows(second), ...rows(third)]).toEqual(
    Array.from({ length: 25 }, (_, i) => [i + 1, `m${24 - i}`, 24 - i]),
  );
  expect(third.nextCursor).toBeNull();
  expect(rows(await get({ order: 'asc', limit: 2 }))).toEqual([
    [1, 'm0', 0],
    [2, 'm1', 1],
  ]);
  for (const cursor of ['x', 'Wy0xXQ', 'WyJhIl0'])
    expect((await problemOf(get({ cursor }))).status).toBe(400);
});

it('says where a member is, and how ties are ranked', async () => {
  await test.redis.zadd(BOARD, 10, 'best', 5, 'a', 5, 'b', 5, 'c', 1, 'last');
  const placeOf = async (member: string, order = 'desc') => (await get({ member, order, limit: 1 })).member;
  expect(await placeOf('best')).toMatchObject({ rank: 1, sharedRank: 1, ties: 0, score: 10 });
  // Redis orders equal scores by the bytes of the members, so from the highest the last comes first.
  expect(await placeOf('c')).toMatchObject({ rank: 2, sharedRank: 2, ties: 2, score: 5 });
  expect(await placeOf('a')).toMatchObject({ rank: 4, sharedRank: 2, ties: 2 });
  expect(await placeOf('a', 'asc')).toMatchObject({ rank: 2, sharedRank: 2, ties: 2 });
  expect(await placeOf('last', 'asc')).toMatchObject({ rank: 1, sharedRank: 1, ties: 0 });
  expect(await placeOf('nobody')).toBeNull();
  const byId = await get({ memberId: idOf('b'), limit: 1 });
  expect(byId.member).toMatchObject({ rank: 3 });
  expect((await problemOf(get({ memberId: '%' }))).status).toBe(400);
});

it('shows infinite scores as such, and hostile members as text', { tags: 'long' }, async () => {
  const binary = Buffer.from([0xff, 0x00]);
  await test.redis.zadd(BOARD, '+inf', 'up', '-inf', 'down', 1.5, binary, 2, TOKEN, 3, '', 4, '<script>');
  await test.redis.zadd(BOARD, 5, 'x'.repeat(10 * 2 ** 20));
  const { items } = await get();
  expect(items.map(({ score, scoreText }) => [score, scoreText])).toEqual([
    [null, 'inf'],
    [5, '5'],
    [4, '4'],
    [3, '3'],
    [2, '2'],
    [1.5, '1.5'],
    [null, '-inf'],
  ]);
  expect(items[1]!.shown).toMatchObject({ bytes: 10 * 2 ** 20, truncated: true });
  expect(items[1]!.member.length).toBeLessThan(500);
  expect(items[2]!.member).toBe('<script>');
  expect(items[4]).toMatchObject({ member: '•••', shown: { masked: true } });
  expect(items[4]!.memberId).toMatch(/^h\./);
  expect(items[5]).toMatchObject({ member: '\\xff\\x00', memberId: idOf(binary) });
  expect(JSON.stringify(items)).not.toContain(Buffer.from(TOKEN).toString('base64url').slice(0, 30));
  expect((await get({ memberId: idOf(binary) })).member).toMatchObject({ rank: 6, scoreText: '1.5' });
  expect((await get({ member: 'up' })).member).toMatchObject({ rank: 1, ties: 0, score: null });
});

it('has fewer members in a page where they are large', async () => {
  for (let i = 0; i < 6; i++) await test.redis.zadd(BOARD, i, `${i}`.repeat(2 ** 20));
  const first = await get({ limit: 100, order: 'asc' });
  expect([first.items.length, first.total]).toEqual([expect.any(Number), 6]);
  expect(first.items.length).toBeLessThanOrEqual(2);
  const next = await get({ limit: 100, order: 'asc', cursor: first.nextCursor });
  expect(next.items[0]!.rank).toBe(first.items.length + 1);
});

it('refuses a key of another type, and finds none that is gone or no leaderboard', async () => {
  expect((await problemOf(get())).status).toBe(404);
  await test.redis.set(BOARD, 'x');
  expect((await problemOf(get())).status).toBe(409);
  await test.redis.zadd('other', 1, 'a');
  expect((await problemOf(get({ keyId: idOf('other') }))).status).toBe(404);
});

it('refuses a key that is replaced while it is read', async () => {
  await test.redis.zadd(BOARD, 1, 'a');
  const { reader } = test.ctx;
  const replaced = {
    ...reader,
    readMany: (async (commands: Parameters<typeof reader.readMany>[0]) => {
      if (commands[0]?.[0] === 'ZCARD') await test.redis.set(BOARD, 'x');
      return reader.readMany(commands);
    }) as typeof reader.readMany,
  };
  const input = leaderboardContracts.get.input.parse({ keyId: idOf(BOARD) });
  expect((await problemOf(getLeaderboard({ ...test.ctx, reader: replaced }, input))).status).toBe(409);
});

it('reads a large board with as many commands as a small one', { tags: 'long' }, async () => {
  await test.redis.eval(
    `local batch = {} for i = 1, 500 do
       for j = 1, 1000 do batch[2 * j - 1], batch[2 * j] = i * 1000 + j, 'm' .. i * 1000 + j end
       redis.call('ZADD', KEYS[1], unpack(batch)) end`,
    1,
    BOARD,
  );
  const commands = async () =>
    Number(/total_commands_processed:(\d+)/.exec(await test.redis.info('stats'))![1]);
  const cost = async (work: () => Promise<unknown>) => {
    const before = await commands();
    await work();
    return (await commands()) - before;
  };
  const small = 'leaderboard:small';
  for (let i = 0; i < 200; i++) await test.redis.zadd(small, i, `m${i}`);
  await get({ member: 'm5000' });
  const costOf = (key: string, member: string) => cost(() => get({ keyId: idOf(key), member, limit: 100 }));
  expect(await costOf(BOARD, 'm5000')).toBe(await costOf(small, 'm5'));
  const deep = await get({ limit: 3, cursor: Buffer.from('[400000]').toString('base64url') });
  expect(rows(deep)[0]).toEqual([400_001, 'm101000', 101_000]);
});
