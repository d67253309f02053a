import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keyIdOf } from '@/lib/command/key-ids';
import { parseInput } from '@/lib/command/validate';
import { cutOf, elementIdOf } from '@/lib/key-values/etag';
import type { KeyElement } from '@/lib/key-values/schema';
import { keyId } from '@/lib/keyspace/display';
import { ScanBudget } from '@/lib/redis/budget';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { BOTH_WAYS } from '@/scripts/testing/without-scripts';
import { getKey } from './get';
import { type KeyDetails, keyContracts } from './schema';

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyX2lkIjo0Mn0.Zq7pXv2mLr9tKw1Zq7pXv2mLr9t';
const odd = Buffer.from([0xff, 0x00, 0x0a]);
type Role = 'admin' | 'support' | 'product';

let test: TestContext;
const start = async (redisArgs: string[] = []) => {
  test = await testContext({ apps: ['discours'], redisArgs });
  test.handle.budget = new ScanBudget({ chunk: 100, pauseMs: 0, maxAddedLatencyMs: 1000 });
};

const open = async (key: string | Buffer, raw: object = {}, role: Role = 'admin'): Promise<KeyDetails> => {
  const ctx = test.as({ actor: testActor(role) });
  const input = parseInput(keyContracts.get, { keyId: keyIdOf(ctx, Buffer.from(key)), ...raw });
  return keyContracts.get.result.parse(await getKey(ctx, input));
};

/** All elements, page by page. */
const allElements = async (key: string, raw: object = {}): Promise<KeyElement[]> => {
  const found: KeyElement[] = [];
  for (let cursor: string | undefined, pages = 0; pages < 200; pages++) {
    const page = await open(key, { ...raw, ...(cursor && { cursor }) });
    found.push(...page.elements);
    if (page.nextCursor === null) return found;
    cursor = page.nextCursor;
  }
  return expect.fail('pages never end');
};

const numbers = (count: number, from = 0): string[] => Array.from({ length: count }, (_, i) => `${from + i}`);

describe.each(BOTH_WAYS)('collections, %s', (_, redisArgs) => {
  beforeAll(() => start(redisArgs));
  beforeEach(() => test.empty());
  afterAll(() => test.close());

  it('are complete and without repetition, page by page', { tags: 'long' }, async () => {
    const { redis } = test;
    await redis.hset('small-hash', Object.fromEntries(numbers(300).map((n) => [`f${n}`, n])));
    await redis.hset('large-hash', Object.fromEntries(numbers(1500).map((n) => [`f${n}`, n])));
    await redis.sadd('set', ...numbers(1500).map((n) => `m${n}`));
    await redis.sadd('compact', ...numbers(100));
    await redis.zadd('zset', ...numbers(700).flatMap((n) => [Number(n) / 4, `m${n}`]));
    await redis.rpush('list', ...numbers(700));
    for (const n of numbers(250, 1)) await redis.xadd('stream', `${n}-0`, 'n', n);
    const names = async (key: string, raw: object = {}) =>
      (await allElements(key, { limit: '90', ...raw })).map(
        ({ field, member, value, entryId }) => entryId ?? (field ?? member ?? value)!.text!,
      );
    expect((await names('small-hash')).sort()).toEqual(
      numbers(300)
        .map((n) => `f${n}`)
        .sort(),
    );
    expect((await names('large-hash')).sort()).toEqual(
      numbers(1500)
        .map((n) => `f${n}`)
        .sort(),
    );
    expect((await names('set')).sort()).toEqual(
      numbers(1500)
        .map((n) => `m${n}`)
        .sort(),
    );
    expect((await names('compact')).sort()).toEqual(numbers(100).sort());
    expect(await names('zset')).toEqual(numbers(700).map((n) => `m${n}`));
    expect(await names('list')).toEqual(numbers(700));
    expect(await names('stream')).toEqual(numbers(250, 1).map((n) => `${n}-0`));
    expect((await names('set', { match: 'm12*' })).sort()).toEqual(
      numbers(1500)
        .map((n) => `m${n}`)
        .filter((name) => name.startsWith('m12'))
        .sort(),
    );
    expect(await names('small-hash', { match: 'f7' })).toEqual(['f7']);
    expect((await names('zset', { match: '*99' })).length).toBe(7);
    const ids = (await allElements('list')).map(({ id }) => id);
    expect(new Set(ids).size).toBe(700);
  });

  it('show any bytes, scores as written, and cut long elements', async () => {
    const { redis } = test;
    await redis.hset('hash', { plain: 'x', odd, long: 'word '.repeat(4000) });
    await redis.zadd('zset', 'inf', 'a', 0.5, odd);
    await redis.xadd('stream', '1-1', 'f', odd, 'f', '2');
    const hash = await open('hash');
    const byName = new Map(hash.elements.map((element) => [element.field!.text, element.value!]));
    expect(byName.get('plain')).toEqual({
      text: 'x',
      base64: null,
      bytes: 1,
      truncated: false,
      masked: false,
      decoded: null,
    });
    expect(byName.get('odd')).toMatchObject({ text: null, base64: odd.toString('base64'), bytes: 3 });
    expect(byName.get('long')).toMatchObject({ bytes: 20_000, truncated: true });
    expect(byName.get('long')!.text!.length).toBeLessThanOrEqual(8192);
    const { elements } = await open('zset');
    expect(elements.map(({ score, member }) => [score, member!.base64 ?? member!.text])).toEqual([
      ['0.5', odd.toString('base64')],
      ['inf', 'a'],
    ]);
    const [entry] = (await open('stream')).elements;
    expect(entry).toMatchObject({ entryId: '1-1', fields: [{ value: { base64: expect.any(String) } }, {}] });
  });

  it('have whole names up to 64 KiB, by which they can be changed', { tags: ['long'] }, async () => {
    const long = 'name of an element '.repeat(4000).slice(0, 64 * 1024);
    const longer = `${long}s`;
    await test.redis.hset('hash', { [long]: '1', [longer]: '1' });
    await test.redis.zadd('zset', 1, long, 2, longer);
    await test.redis.sadd('set', long, longer);
    for (const key of ['hash', 'zset', 'set']) {
      const names = (await open(key)).elements.map(({ field, member }) => (field ?? member)!);
      const byLength = new Map(names.map((name) => [name.bytes, name]));
      expect(byLength.get(long.length)).toMatchObject({ text: long, truncated: false });
      expect(byLength.get(longer.length)).toMatchObject({ truncated: true });
    }
    const parts = { field: cutOf(Buffer.from(long)), value: cutOf(Buffer.from('1')) };
    const named = (await open('hash')).elements.find(({ field }) => field!.bytes === long.length)!;
    expect(named.id).toBe(elementIdOf(test.ctx, Buffer.from('hash'), parts));
    const many = Array.from({ length: 100 }, (_, i) => `${i} ${long.slice(0, 20_000)}`);
    await test.redis.zadd('zset', ...many.flatMap((name, i) => [i, name]));
    const sizes = (await open('zset')).elements.map(({ member }) => member!.text!.length);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(2 ** 20 + 100 * 8192);
  });

  it('count their look-ups as our own', async () => {
    const { redis, handle } = test;
    await redis.hset('hash', { a: '1' });
    await redis.sadd('set', 'a');
    await redis.zadd('zset', 1, 'a');
    await redis.rpush('list', 'a');
    await redis.xadd('stream', '*', 'a', 'b');
    await redis.set('string', 'x');
    const counters = async () => {
      const info = await redis.info('stats');
      return ['hits', 'misses'].map((what) => Number(new RegExp(`keyspace_${what}:(\\d+)`).exec(info)![1]));
    };
    for (const key of ['hash', 'set', 'zset', 'list', 'stream', 'string']) {
      const [own, before] = [handle.own.snapshot(), await counters()];
      await open(key);
      const after = await counters();
      const { hits, misses } = handle.own.snapshot();
      expect([key, hits - own.hits, misses - own.misses]).toEqual([
        key,
        ...after.map((count, i) => count - before[i]!),
      ]);
    }
  });
});

describe('one key', () => {
  beforeAll(() => start());
  beforeEach(() => test.empty());
  afterAll(() => test.close());

  it('comes with what the server and the catalog say of it', async () => {
    const { redis } = test;
    await redis.set('author:id:7', '{"name":"Ada"}', 'EX', 1000);
    await redis.hset(`session:7:${TOKEN}`, { username: 'ada' });
    await redis.sadd('user_sessions:7', TOKEN, 'eyJ.gone.gone');
    const author = await open('author:id:7');
    expect(author).toMatchObject({
      family: 'discours.author-id',
      state: 'classified',
      type: 'string',
      length: 14,
      frequency: null,
      encoding: expect.any(String),
      idleSeconds: expect.closeTo(0, -1),
      hidden: null,
      readOnlyReason: null,
      documented: { type: expect.any(String), role: 'cache' },
      string: { kind: 'json', page: { text: '{"name":"Ada"}', masked: false } },
    });
    expect(Date.parse(author.expiresAt!) - Date.now()).toBeGreaterThan(990_000);
    expect(author.drift.map(({ what }) => what)).toEqual(['ttl']);
    const related = Object.fromEntries(author.related.map(({ family, exists }) => [family, exists]));
    expect(related).toMatchObject({ 'discours.user-sessions': true });
    const index = await open('user_sessions:7');
    expect(
      index.elements.map(({ member, link }) => [member!.masked, member!.text, link?.key]).sort(),
    ).toEqual([
      [true, null, 'session:7:•••'],
      [true, null, 'session:7:•••'],
    ]);
    expect(index.elements.map(({ link }) => link!.exists).sort()).toEqual([false, true]);
    const session = await open(Buffer.from(`session:7:${TOKEN}`));
    expect(session.related.find(({ family }) => family === 'discours.user-sessions')).toMatchObject({
      key: 'user_sessions:7',
      exists: true,
    });
    expect(session.drift).toContainEqual({ what: 'ttl', documented: '30 d', found: 'no TTL' });
    await redis.del('author:id:7');
    await redis.rpush('author:id:7', 'x');
    expect((await open('author:id:7')).drift).toContainEqual(
      expect.objectContaining({ what: 'type', found: 'list' }),
    );
  });

  it('is read in pages of a long string, whose characters are not divided', { tags: ['long'] }, async () => {
    const text = 'äöü€ '.repeat(40_000);
    await test.redis.set('long', text);
    const parts: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const { string, nextCursor, length } = await open('long', cursor ? { cursor } : {});
      expect(string).toMatchObject({ kind: 'text', page: { masked: false, truncated: true, bytes: length } });
      parts.push(string!.page.text!);
      if (nextCursor === null) break;
      cursor = nextCursor;
    }
    expect(parts.join('')).toBe(text);
    expect(parts.length).toBe(7);
  });

  it('is recognised by its bytes', { tags: ['long'] }, async () => {
    const { redis } = test;
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    await redis.mset(
      'number',
      '-12.5',
      'text',
      'hello',
      'empty',
      '',
      'deep',
      deep,
      'broken',
      '{"a":',
      'image',
      png,
      'packed',
      gzipSync('{"name":"Ada"}'),
      'jwt',
      TOKEN,
    );
    await redis.setbit('bits', 1000, 1);
    for (let i = 0; i < 50; i++) await redis.pfadd('hll', ...numbers(100, i * 100));
    await redis.pfadd('few', 'a', 'b', 'c');
    const kinds = await Promise.all(
      ['number', 'text', 'empty', 'deep', 'broken', 'image', 'packed', 'jwt', 'bits', 'hll', 'few'].map(
        async (key) => [key, (await open(key)).string!] as const,
      ),
    );
    const views = Object.fromEntries(kinds);
    expect(Object.fromEntries(kinds.map(([key, { kind }]) => [key, kind]))).toEqual({
      number: 'number',
      text: 'text',
      empty: 'text',
      deep: 'json',
      broken: 'text',
      image: 'image',
      packed: 'binary',
      jwt: 'jwt',
      bits: 'binary',
      hll: 'hyperloglog',
      few: 'hyperloglog',
    });
    expect(views.image!.dataUrl).toBe(`data:image/png;base64,${png.toString('base64')}`);
    expect(views.packed!.page.decoded).toEqual({
      steps: ['gzip'],
      text: '{"name":"Ada"}',
      truncated: false,
    });
    expect(views.jwt).toMatchObject({
      page: { text: null, base64: null, masked: true },
      jwt: { header: '{"alg":"HS256"}', claims: '{"user_id":42}' },
    });
    expect(views.bits).toMatchObject({ bitsSet: 1 });
    expect(views.hll!.cardinality).toBe(await redis.pfcount('hll'));
    expect(views.few!.cardinality).toBe(3);
    expect((await open('packed', { decode: 'false' })).string!.page.decoded).toBeNull();
  });

  it('is found again or refused, whatever happens to it', async () => {
    const { redis } = test;
    expect(await problemOf(open('missing'))).toMatchObject({ status: 404 });
    await redis.rpush('key', ...numbers(200));
    const { nextCursor } = await open('key');
    await redis.del('key');
    await redis.sadd('key', ...numbers(500));
    expect(await problemOf(open('key', { cursor: nextCursor! }))).toMatchObject({ status: 410 });
    expect(await problemOf(open('key', { cursor: 'set.nonsense' }))).toMatchObject({ status: 400 });
    expect(await problemOf(open('key', { keyId: 's.AAAA' }))).toMatchObject({ status: 400 });
    const plain = await problemOf(open('x', { keyId: keyId(Buffer.from(`session:7:${TOKEN}`)) }));
    expect(plain).toMatchObject({ status: 400 });
    expect(plain.message).not.toContain('Zq7p');
    expect(await problemOf(open('key', { cursor: 'list.10' }))).toMatchObject({ status: 410 });
  });

  it('whose type changes while it is read is read again, then refused', async () => {
    const { redis } = test;
    const change = async (times: number) => {
      await redis.del('key');
      await redis.set('key', 'x');
      let left = times;
      const reader = {
        ...test.ctx.reader,
        getString: async (...args: Parameters<typeof test.ctx.reader.getString>) => {
          if (left-- > 0) {
            await redis.del('key');
            await redis.rpush('key', 'x');
            const problem = await test.ctx.reader.getString(...args).catch((error: Error) => error);
            await redis.del('key');
            await redis.set('key', 'y');
            throw problem;
          }
          return test.ctx.reader.getString(...args);
        },
      };
      const input = parseInput(keyContracts.get, { keyId: keyIdOf(test.ctx, Buffer.from('key')) });
      return getKey({ ...test.ctx, reader }, input);
    };
    expect((await change(1)).string!.page.text).toBe('y');
    expect(await problemOf(change(2))).toMatchObject({ code: 'conflict', status: 409 });
  });
});

describe('secrets', () => {
  beforeAll(() => start());
  beforeEach(() => test.empty());
  afterAll(() => test.close());

  const SECRET = 'hunter2-Correct-Horse';
  /** What may be in no answer: the token and the secret, also as base64 and hex. */
  const forms = [TOKEN, TOKEN.split('.')[2]!, SECRET].flatMap((text) => [
    text,
    Buffer.from(text).toString('hex'),
    ...[0, 1, 2].map((shift) =>
      Buffer.from(text)
        .subarray(shift, shift + 15)
        .toString('base64'),
    ),
  ]);
  const expectNoSecret = (answer: unknown, of: string): void => {
    const text = JSON.stringify(answer);
    for (const form of forms) expect([of, text.includes(form)], text.slice(0, 2000)).toEqual([of, false]);
  };
  const nested = { ok: 'plain words', deep: { list: [{ password: SECRET, other: 'visible' }] } };
  const packed = gzipSync(JSON.stringify(nested));

  const VALUES: Record<string, (key: string) => Promise<unknown>> = {
    json: (key) => test.redis.set(key, JSON.stringify(nested)),
    escaped: (key) => test.redis.set(key, JSON.stringify({ inner: JSON.stringify(nested) })),
    unicode: (key) => test.redis.set(key, `{"p\\u0061ssword": "${SECRET}"}`),
    python: (key) => test.redis.set(key, `{'password': '${SECRET}', 'n': 1}`),
    lines: (key) => test.redis.set(key, `name: ada\npassword: ${SECRET}\ndb=postgres://u:${SECRET}@h/x\n`),
    cut: (key) => test.redis.set(key, `{"password": "${SECRET}`),
    gzip: (key) => test.redis.set(key, packed),
    base64: (key) => test.redis.set(key, packed.toString('base64')),
    twice: (key) => test.redis.set(key, gzipSync(packed)),
    binary: (key) => test.redis.set(key, Buffer.concat([odd, Buffer.from(` ${TOKEN} `), odd])),
    hash: (key) =>
      test.redis.hset(key, {
        password: SECRET,
        data: JSON.stringify(nested),
        packed,
        [TOKEN]: 'x',
        key: TOKEN,
      }),
    list: (key) => test.redis.rpush(key, TOKEN, JSON.stringify(nested), packed, `session:7:${TOKEN}`),
    set: (key) => test.redis.sadd(key, TOKEN, `session:7:${TOKEN}`, packed),
    zset: (key) => test.redis.zadd(key, 1, TOKEN, 2, `verification_token:${SECRET}`),
    stream: (key) => test.redis.xadd(key, '*', 'password', SECRET, 'data', JSON.stringify(nested)),
    long: (key) =>
      test.redis.set(
        key,
        `${'word '.repeat(60_000)}{"password":"${SECRET}"} ${TOKEN} ${'word '.repeat(20_000)}`,
      ),
    inside: (key) =>
      test.redis.set(key, JSON.stringify({ text: 'word '.repeat(60_000), password: SECRET, b: TOKEN })),
    edge: (key) => test.redis.set(key, `${'w '.repeat(32_768 - 10)}${TOKEN} ${'w '.repeat(200_000)}`),
  };

  it.each(Object.keys(VALUES))('are masked in %s, known family or not', async (kind) => {
    for (const key of [`unknown:${kind}`, 'topic:id:1']) {
      await VALUES[kind]!(key);
      for (let cursor: string | undefined; ; ) {
        const details = await open(key, cursor ? { cursor } : {}, 'support');
        expectNoSecret(details, `${kind} ${key}`);
        if (details.nextCursor === null) break;
        cursor = details.nextCursor;
      }
      await test.redis.del(key);
    }
  });

  it('leave the rest readable', async () => {
    await VALUES.json!('unknown:json');
    await VALUES.gzip!('unknown:gzip');
    const masked = { ok: 'plain words', deep: { list: [{ password: '•••', other: 'visible' }] } };
    const { page } = (await open('unknown:json')).string!;
    expect([JSON.parse(page.text!), page.masked]).toEqual([masked, true]);
    const zipped = (await open('unknown:gzip')).string!.page;
    expect([JSON.parse(zipped.decoded!.text), zipped.base64]).toEqual([masked, null]);
  });

  it('stay secret for every role in a keyspace of sessions, tokens and variables', {
    tags: ['long'],
  }, async () => {
    const { redis } = test;
    const session = { user_id: '7', username: 'ada', auth_data: `{'token': '${SECRET}'}`, token: TOKEN };
    await redis.hset(`session:7:${TOKEN}`, session);
    await redis.sadd('user_sessions:7', TOKEN);
    await redis.set(`7-ada-${TOKEN}`, TOKEN);
    await redis.set('oauth_access:7:google', JSON.stringify({ access_token: SECRET }));
    await redis.set('oauth_refresh:7:google', SECRET);
    await redis.hset(`oauth_state:${SECRET}`, { provider: 'google', csrf_token: SECRET });
    await redis.hset(`verification:7:email_change:${SECRET}`, { data: SECRET });
    await redis.set('env_vars:JWT_SECRET', SECRET);
    await redis.set('env_vars:DB', `postgres://u:${SECRET}@h/x`);
    await redis.set('env_vars:FEATURE_X', 'true');
    await redis.set('env_vars:NAME', 'plain');
    await redis.hset('authorizer_env', { any: SECRET });
    await redis.set('keyward:undo:x', SECRET);
    await redis.set('stripe_api_key', SECRET);
    const keys = await redis.keysBuffer('*');
    const hidden: Record<string, string[]> = {};
    for (const role of ['admin', 'support', 'product'] as const)
      for (const key of keys) {
        const details = await open(key, {}, role);
        expectNoSecret(details, `${role} ${details.key}`);
        hidden[details.key] = [...(hidden[details.key] ?? []), details.hidden ?? 'shown'];
      }
    expect(hidden).toMatchObject({
      'session:7:•••': ['shown', 'shown', 'permission'],
      'user_sessions:7': ['shown', 'shown', 'permission'],
      'oauth_access:7:google': ['secret', 'secret', 'permission'],
      'env_vars:JWT_SECRET': ['secret', 'permission', 'permission'],
      'env_vars:NAME': ['shown', 'permission', 'permission'],
      'env_vars:FEATURE_X': ['shown', 'shown', 'shown'],
      authorizer_env: ['secret', 'secret', 'secret'],
      'keyward:undo:x': ['secret', 'permission', 'permission'],
      stripe_api_key: ['secret', 'secret', 'secret'],
    });
    expect((await open('env_vars:NAME')).string!.page.text).toBe('plain');
    expect(await open('env_vars:NAME', {}, 'support')).toMatchObject({ needs: 'env:view', page: 'env' });
    expect(await open('keyward:undo:x')).toMatchObject({ readOnlyReason: 'ownKey' });
  });

  it('cannot be found out by matching members', async () => {
    const { redis } = test;
    await redis.sadd('user_sessions:7', TOKEN);
    await redis.sadd('unknown:set', TOKEN, 'plain');
    await redis.config('SET', 'set-max-listpack-entries', 1).catch(() => undefined);
    expect(await problemOf(open('user_sessions:7', { match: 'eyJ*' }))).toMatchObject({ status: 400 });
    for (const match of ['eyJhbG*', '*Zq7p*', '[e•]*Zq*', '[e•][y•]*', '[^px]*'])
      expect(await open('unknown:set', { match })).toMatchObject({ elements: [], nextCursor: null });
    expect((await open('unknown:set', { match: '*' })).elements.length).toBe(2);
    expect((await open('unknown:set', { match: 'pl*' })).elements.length).toBe(1);
  });

  it('are masked in a page behind the field that they belong to', async () => {
    const key = `session:7:${TOKEN}`;
    await test.redis.set(
      key,
      `{"auth_data":"${'plain words '.repeat(12_000)}","b":"${'x '.repeat(80_000)}"}`,
    );
    const { string } = await open(key, { cursor: 'string.65536' });
    expect(string!.page).toMatchObject({ text: null, base64: null, masked: true });
  });

  it('are not decoded without end where each is a bomb, and still not handed out', {
    tags: 'long',
  }, async () => {
    const { redis } = test;
    const bomb = gzipSync(Buffer.alloc(4 * 2 ** 20, '{"a": "'));
    const large = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 5 };
    const window = brotliCompressSync(Buffer.alloc(32 * 2 ** 20, 'ab'), { params: large });
    const fields = Array.from({ length: 100 }, (_, i) => [`f${i}`, i % 2 ? bomb : window]).flat();
    await redis.hset('bombs', ...fields);
    await redis.xadd(
      'entry',
      '*',
      ...fields,
      ...Array.from({ length: 1000 }, (_, i) => [`g${i}`, 'x']).flat(),
    );
    const started = performance.now();
    const values = (await open('bombs', { limit: '100' })).elements.map(({ value }) => value!);
    const [entry] = (await open('entry')).elements;
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(entry!.fields!.length).toBe(500);
    expect(entry!.fields!.at(-1)!.value).toMatchObject({ text: 'x', masked: false });
    for (const value of [...values, ...entry!.fields!.slice(0, 100).map((each) => each.value)])
      expect(value).toMatchObject({ text: null, base64: null, masked: true });
  });
});

describe('a stream', () => {
  beforeAll(() => start());
  beforeEach(() => test.empty());
  afterAll(() => test.close());

  it('has its groups and their consumers, the longest idle of those with unfinished entries first', async () => {
    const { redis } = test;
    for (const id of ['1-0', '2-0', '3-0']) await redis.xadd('jobs', id, 'n', id);
    expect((await open('jobs')).groups).toEqual([]);
    await redis.xgroup('CREATE', 'jobs', odd, '0');
    await redis.xgroup('CREATECONSUMER', 'jobs', odd, 'free');
    await redis.xreadgroup('GROUP', odd, 'busy', 'COUNT', 2, 'STREAMS', 'jobs', '>');
    const { groups } = await open('jobs');
    expect(groups).toMatchObject([
      {
        name: { base64: odd.toString('base64') },
        pending: 2,
        lastDeliveredId: '2-0',
        consumerCount: 2,
        consumers: [
          { name: { text: 'busy' }, pending: 2, idleSeconds: expect.closeTo(0, -1) },
          { name: { text: 'free' }, pending: 0 },
        ],
      },
    ]);
    await redis.hset('hash', { a: '1' });
    expect((await open('hash')).groups).toBeUndefined();
  });
});
