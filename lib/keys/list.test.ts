import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findKey } from '@/lib/command/key-ids';
import { parseInput } from '@/lib/command/validate';
import { ScanBudget } from '@/lib/redis/budget';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { groupKeys } from './groups';
import { listKeys } from './list';
import { type KeyRow, keyContracts } from './schema';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours', 'minidouyin'] });
  test.handle.budget = new ScanBudget({ chunk: 100, pauseMs: 0, maxAddedLatencyMs: 1000 });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyX2lkIjo0Mn0.Zq7pXv2mLr9tKw1Zq7pXv2mLr9t';

const page = async (raw: object) =>
  keyContracts.list.result.parse(await listKeys(test.ctx, parseInput(keyContracts.list, raw)));
const groups = async (raw: object) =>
  keyContracts.groups.result.parse(await groupKeys(test.ctx, parseInput(keyContracts.groups, raw)));

/** All pages of a list. */
const rows = async (raw: object): Promise<KeyRow[]> => {
  const found: KeyRow[] = [];
  for (let cursor: string | undefined; ; ) {
    const { items, nextCursor } = await page({ ...raw, ...(cursor && { cursor }) });
    found.push(...items);
    if (nextCursor === null) return found;
    cursor = nextCursor;
  }
};
const names = async (raw: object) => (await rows(raw)).map(({ key }) => key).sort();

const fill = async (): Promise<void> => {
  const { redis } = test;
  await redis.set('topic:id:1', 'x'.repeat(5000));
  await redis.set('topic:id:2', 'x', 'EX', 100);
  await redis.set('topic:id:nope', 'x');
  await redis.sadd('author:id:5', 'odd type');
  await redis.hset(`session:42:${TOKEN}`, { user_id: '42' });
  await redis.set('unknown:a:1', 'x', 'EX', 10_000);
  await redis.hset('unknown:a:2', { theme: 'dark' });
  await redis.hset('toni123456', { Username: 'toni', Passwd: '123456' });
  await redis.hset('toni654321', { Username: 'toni', Passwd: '' });
  await redis.set(Buffer.from([0xff, 0x2a, 0x5b, 0x0a]), 'x');
};

describe('the list', () => {
  beforeEach(fill);

  it('shows what the catalog says of each key, and no secret of its name', async () => {
    const found = await rows({});
    expect(found.map(({ key, family, state, type }) => [key, family, state, type].join(' ')).sort()).toEqual(
      [
        'author:id:5 discours.author-id classified set',
        'session:42:••• discours.session classified hash',
        'topic:id:1 discours.topic-id classified string',
        'topic:id:2 discours.topic-id classified string',
        'topic:id:••• discours.topic-id malformed string',
        'unknown:a:1  unclassified string',
        'unknown:a:2  unclassified hash',
        '\\xff*[\\x0a  unclassified string',
        '•••  unclassified hash',
        '••• minidouyin.user-token classified hash',
      ].sort(),
    );
    const session = found.find(({ key }) => key.startsWith('session'))!;
    expect(session).toMatchObject({ params: { user_id: '42', token: '•••' }, secret: true, sensitive: true });
    expect(await findKey(test.ctx, session.keyId)).toEqual(Buffer.from(`session:42:${TOKEN}`));
    expect(found.find(({ key }) => key === 'topic:id:2')).toMatchObject({
      ttlSeconds: 100,
      secret: false,
      sensitive: false,
      title: expect.any(String),
      memoryBytes: expect.any(Number),
    });
    expect(JSON.stringify(found)).not.toMatch(/Zq7p|toni|654321/);
  });

  it.each<[object, string[]]>([
    [{ family: 'discours.topic-id' }, ['topic:id:1', 'topic:id:2']],
    [{ family: 'discours.topic-id', params: 'id=2' }, ['topic:id:2']],
    [{ family: 'discours.topic-id', params: 'id=3' }, []],
    [{ family: 'discours.topic-id', state: 'malformed' }, ['topic:id:•••']],
    [{ family: 'discours.session', params: 'user_id=42' }, ['session:42:•••']],
    [{ family: 'minidouyin.user-token' }, ['•••']],
    [{ state: 'unclassified' }, ['\\xff*[\\x0a', 'unknown:a:1', 'unknown:a:2', '•••']],
    [{ match: 'topic*', type: 'string', ttl: 'none' }, ['topic:id:1', 'topic:id:•••']],
    [{ match: 'unknown:a:?', type: 'hash' }, ['unknown:a:2']],
    [{ match: '*a*', family: 'discours.author-id' }, ['author:id:5']],
    [{ match: 'topic:id:2' }, ['topic:id:2']],
    [{ match: 'topic:id:9' }, []],
    [{ match: 'topic\\:id\\:1' }, ['topic:id:1']],
    [{ ttl: 'expiring' }, ['topic:id:2', 'unknown:a:1']],
    [{ ttlBelowSeconds: '200' }, ['topic:id:2']],
    [{ minBytes: '4000' }, ['topic:id:1']],
    [{ maxBytes: '4000', type: 'set' }, ['author:id:5']],
    [{ type: 'stream' }, []],
  ])('filters by %j', async (raw, expected) => {
    expect(await names(raw)).toEqual([...expected].sort());
  });

  it('finds no secret by a part of it, nor a guessed one', async () => {
    for (const match of [
      `session:42:${TOKEN.slice(0, 30)}*`,
      '*Zq7pXv*',
      'toni*',
      'toni123456',
      'toni654321',
    ])
      expect([match, await page({ match })]).toMatchObject([match, { items: [] }]);
    const { nextCursor } = await page({ match: 'toni*' });
    expect(nextCursor).toBeNull();
    expect(await names({ match: 'session:*' })).toEqual(['session:42:•••']);
  });

  it('finds no secret by a set of letters, the name of a marker, or behind what is shown', async () => {
    const { redis } = test;
    for (const set of ['[e•]', '[x•]', '[^x]', '[^e]', '?'])
      expect([set, (await page({ match: `session:42:${set}*` })).items]).toEqual([set, []]);
    await redis.set('toni123456:invalidated', '1');
    for (const guess of ['toni123456', 'toni654321']) {
      expect((await page({ match: `${guess}:invalidated` })).items).toEqual([]);
      const params = `key=${guess}`;
      for (const answer of [
        page({ family: 'discours.invalidated', params }),
        groups({ family: 'discours.invalidated', params }),
      ])
        expect((await problemOf(answer)).status).toBe(400);
    }
    const long = `cache:${'word-'.repeat(45)}:${TOKEN}`;
    await redis.set(long, 'x');
    const [row] = (await page({ match: 'cache:*' })).items;
    expect(row).toMatchObject({ secret: true, keyId: expect.stringMatching(/^s\./) });
    expect((await page({ match: `${long.slice(0, -20)}*` })).items).toEqual([]);
  });

  it('refuses parameters that are unknown, secret or impossible, and unknown families', async () => {
    for (const [raw, status] of [
      [{ family: 'discours.topic-id', params: 'nope=1' }, 400],
      [{ family: 'discours.topic-id', params: 'id=x' }, 400],
      [{ family: 'discours.session', params: `user_id=42&token=${TOKEN}` }, 400],
      [{ params: 'id=1' }, 400],
      [{ family: 'discours.nope' }, 404],
      [{ cursor: 'x' }, 400],
    ] as const) {
      const problem = await problemOf(page(raw));
      expect([raw, problem.status]).toEqual([raw, status]);
      expect(problem.message).not.toContain('Zq7p');
    }
  });
});

it('gives each key once, page by page, and keeps count of what it scanned', { tags: 'long' }, async () => {
  const pipeline = test.redis.pipeline();
  for (let i = 0; i < 3000; i++) pipeline.set(i % 3 ? `topic:id:${i}` : `author:id:${i}`, '{}');
  await pipeline.exec();
  for (const [raw, expected] of [
    [{ limit: '30' }, 3000],
    [{ family: 'discours.author-id', limit: '7' }, 1000],
    [{ type: 'hash' }, 0],
  ] as const) {
    const seen = new Set<string>();
    let [examined, pages, all] = [0, 0, 0];
    for (let cursor: string | undefined; ; ) {
      const answer = await page({ ...raw, ...(cursor && { cursor }) });
      for (const { key } of answer.items) seen.add(key);
      [examined, pages, all] = [examined + answer.examined, pages + 1, all + answer.items.length];
      if ('limit' in raw) expect(answer.items.length).toBeLessThanOrEqual(Number(raw.limit));
      expect(answer.total).toBe(3000);
      if (answer.nextCursor === null) break;
      cursor = answer.nextCursor;
    }
    expect([seen.size, all]).toEqual([expected, expected]);
    expect(examined / 3000, JSON.stringify([raw, pages])).toBeGreaterThan(0.9);
    // A page that ends inside a chunk examines the rest of it again.
    expect(examined / 3000, JSON.stringify([raw, pages])).toBeLessThan(2);
  }
});

it('has short rows for 64 KB names, whose handles open them', { tags: ['long'] }, async () => {
  const long = Buffer.from(`unknown:${'word '.repeat(13_000)}`);
  await test.redis.set(long, 'x');
  const [row] = await rows({ match: 'unknown:word*' });
  expect(JSON.stringify(row).length).toBeLessThan(1500);
  expect(row!.keyId).toMatch(/^h\./);
  expect(await findKey(test.ctx, row!.keyId)).toEqual(long);
});

describe('groups', () => {
  it('divide a family by its parameters in order, and stop at a secret', async () => {
    const { redis } = test;
    for (const user of ['1', '1', '2']) await redis.set(`oauth_access:${user}-x`, 'x');
    for (let i = 0; i < 250; i++) await redis.hset(`session:${i % 240}:${TOKEN}${i}`, { user_id: '1' });
    const { param, groups: found, keys } = await groups({ family: 'discours.session' });
    expect([param, keys, found.length]).toEqual(['user_id', 250, 201]);
    expect(found[0]).toMatchObject({ keys: 2, value: expect.stringMatching(/^\d+$/) });
    expect(found.at(-1)).toEqual({ value: '…', open: null, keys: 40 });
    expect(found.reduce((sum, group) => sum + group.keys, 0)).toBe(250);
    const secret = await groups({ family: 'discours.session', params: 'user_id=1' });
    expect(secret).toMatchObject({ param: null, groups: [], keys: 0, nextCursor: null });
    expect(JSON.stringify(found)).not.toContain('eyJ');
  });

  it('divide unclassified keys by the parts of their names', async () => {
    const { redis } = test;
    await redis.mset({
      'cart:1:a': '',
      'cart:1:b': '',
      'cart:2:a': '',
      cart: '',
      'jobs-x': '',
      'topic:id:1': '',
    });
    await redis.set('cart:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b:x', '');
    await redis.set(Buffer.from([0xff, 0x3a, 0x31]), '');
    await redis.hset('toni123456', { Username: 'toni', Passwd: '123456' });
    await redis.hset('bob123456', { Username: 'bob', Passwd: '' });
    const { groups: top, keys } = await groups({});
    expect(keys).toBe(8);
    expect([...top].sort((a, b) => (a.value < b.value ? -1 : 1))).toEqual([
      { value: '\\xff:', open: '\\xff:', keys: 1 },
      { value: 'cart', open: null, keys: 1 },
      { value: 'cart:', open: 'cart:', keys: 4 },
      { value: 'jobs-', open: 'jobs-', keys: 1 },
      { value: '•••', open: null, keys: 1 },
    ]);
    const inside = (await groups({ prefix: 'cart:' })).groups;
    expect([...inside].sort((a, b) => (a.value < b.value ? -1 : 1))).toEqual([
      { value: '1:', open: 'cart:1:', keys: 2 },
      { value: '2:', open: 'cart:2:', keys: 1 },
      { value: '•••', open: null, keys: 1 },
    ]);
    expect((await groups({ prefix: 'cart:1:' })).groups.map(({ value }) => value).sort()).toEqual(['a', 'b']);
    expect((await groups({ prefix: '\\xff:' })).groups).toEqual([{ value: '1', open: null, keys: 1 }]);
    for (const prefix of ['cart:9f8', 'toni', 'bob'])
      expect(await groups({ prefix })).toMatchObject({ groups: [], keys: 0, nextCursor: null });
    expect(await problemOf(groups({ prefix: 'a', family: 'discours.session' }))).toMatchObject({
      status: 400,
    });
  });
});

it('finds a key by its name as it is shown and copied, and by no other that looks like it', async () => {
  const test = await testContext({ apps: ['discours'] });
  try {
    const names = [
      Buffer.from('ws:\\xff'),
      Buffer.from([0x77, 0x73, 0x3a, 0xff]),
      Buffer.from('ws: \ufe0f '),
    ];
    for (const name of names) await test.redis.set(name, '1');
    const list = (raw: object) => listKeys(test.ctx, parseInput(keyContracts.list, raw));
    const shown = (await list({ match: 'ws:*' })).items.map(({ key }) => key);
    expect(shown.sort()).toEqual(['ws: \\xef\\xb8\\x8f\\x20', 'ws:\\x5cxff', 'ws:\\xff']);
    for (const match of shown) expect((await list({ match })).items.map(({ key }) => key)).toEqual([match]);
  } finally {
    await test.close();
  }
});
