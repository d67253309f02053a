import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { APP_IDS, type AppId } from '@/lib/apps';
import { listEntries } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { parseInput } from '@/lib/command/validate';
import type { Problem } from '@/lib/errors';
import { writeCensus } from '@/lib/history/census';
import { writeSpan } from '@/lib/hit-rates/spans';
import type { JobContext } from '@/lib/jobs/define';
import { closeQueue } from '@/lib/jobs/queue';
import { catalogFor } from '@/lib/keyspace/apps-of';
import type { EntityDefinition } from '@/lib/keyspace/entities';
import { type FamilyDefinition, family } from '@/lib/keyspace/family';
import { segment, word } from '@/lib/keyspace/grammar';
import { createRegistry } from '@/lib/keyspace/registry';
import { ScanBudget } from '@/lib/redis/budget';
import { closeStore, store } from '@/lib/redis/store';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { UNFENCED } from '@/scripts/testing/job';
import { afterCall } from '@/scripts/testing/restart';
import { invalidate } from './commands';
import { type DeletionCounts, deleteKeys, newCounts } from './deletion';
import { withEntityFacts } from './entity';
import { previewInvalidation } from './preview';
import { resolveTarget } from './resolve-target';
import { familyContracts, type InvalidationTarget } from './schema';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  // How gently it goes on a busy machine is tested with the scans.
  test.handle.budget = new ScanBudget({ chunk: 100, pauseMs: 0, maxAddedLatencyMs: 1000 });
});
beforeEach(() => test.empty());
afterAll(async () => {
  await closeQueue();
  closeStore();
  await test.close();
});

type Role = 'admin' | 'product';

const preview = async (raw: object, role: Role = 'admin') =>
  familyContracts.preview.result.parse(
    await previewInvalidation(test.as({ actor: testActor(role) }), parseInput(familyContracts.preview, raw)),
  );

const contextOf = (role: Role): JobContext => ({
  ...test.as({ auditId: randomUUID(), actor: testActor(role) }),
  jobId: randomUUID(),
  isFaster: () => false,
  ...UNFENCED,
  signal: new AbortController().signal,
  progress: async () => undefined,
});

/** The deletion itself, begun as its job would. */
const begun = (
  raw: InvalidationTarget,
  role: Role = 'admin',
): { counts: DeletionCounts; work: Promise<unknown> } => {
  const ctx = contextOf(role);
  const counts = newCounts();
  const work = withEntityFacts(ctx, raw).then((known) => {
    const target = resolveTarget(ctx, known);
    return deleteKeys(ctx, { target, withoutUndo: false, total: 0 }, counts);
  });
  return { counts, work };
};

const executed = async (raw: InvalidationTarget, role: Role = 'admin'): Promise<DeletionCounts> => {
  const { counts, work } = begun(raw, role);
  await work;
  return counts;
};

const ask = (raw: object, role: Role = 'admin') =>
  runCommand(invalidate, { actor: testActor(role), requestId: 'r', connection: test.handle, raw });

const refusal = (work: Promise<unknown>): Promise<Problem> =>
  work.then(
    () => expect.fail('expected a refusal'),
    (error: unknown) => error as Problem,
  );

const fill = (...keys: (string | Buffer)[]) => Promise.all(keys.map((key) => test.redis.set(key, '{}')));
const left = async () => (await test.redis.keys('*')).sort();

describe('a pattern', () => {
  it('reaches what Redis says it matches: escapes, sets, bytes that are not text', async () => {
    const odd = Buffer.concat([Buffer.from('shouts:author=Ж:'), Buffer.from([0xff, 0xfe])]);
    await fill('shouts:author=1', 'shouts:author=12', 'shouts:*', 'shouts:[a]', odd);
    expect((await executed({ pattern: 'shouts:\\*' })).deleted).toBe(1);
    expect((await executed({ pattern: 'shouts:\\[a\\]' })).deleted).toBe(1);
    expect((await executed({ pattern: 'shouts:author=Ж*' })).deleted).toBe(1);
    expect((await executed({ pattern: 'shouts:author=[0-9]' })).deleted).toBe(1);
    expect(await left()).toEqual(['shouts:author=12']);
  });

  it('is refused as a catch-all, and for the console’s own keys', async () => {
    for (const pattern of [
      '',
      '*',
      '**',
      '?*',
      '[^]*',
      '*?',
      '*:*',
      'keyward:*',
      'keyward*',
      '?eyward:*',
      '\\keyward:*',
    ]) {
      expect([pattern, (await refusal(preview({ pattern }))).status]).toEqual([pattern, 400]);
      expect([pattern, (await refusal(ask({ pattern }))).status]).toEqual([pattern, 400]);
    }
    expect((await listEntries(store())).items).toEqual([]);
  });

  it('has a label without possible names and passwords', () => {
    const label = (apps: AppId[], pattern: string) =>
      resolveTarget({ ...test.ctx, catalog: catalogFor(apps) }, { pattern }).label;
    for (const pattern of ['toni123456', 'toni12*', 'a/b:toni1*'])
      expect(label(['minidouyin'], pattern)).toBe('pattern •••');
    expect(label(['minidouyin', 'discours'], 'video_bob123*')).toBe('pattern video_•••');
    expect(label(['discours'], 'shouts:author=1*')).toBe('pattern shouts:author=1*');
  });

  it('skips the console’s own keys and, without the permission, guarded ones', async () => {
    await fill('keyward:user:1', 'keystone', 'env_vars:A', 'env_vars_old', 'topic:id:1', 'topic:slug:a');
    expect((await executed({ pattern: 'key*' })).deleted).toBe(1);
    expect((await refusal(preview({ pattern: 'env_vars*' }, 'product'))).status).toBe(403);
    expect((await refusal(ask({ pattern: 'env_vars*' }, 'product'))).status).toBe(403);
    expect(await preview({ pattern: 'env_vars*' })).toMatchObject({ keys: 2, needsSensitive: true });
    expect(await preview({ pattern: 'topic:*' }, 'product')).toMatchObject({
      keys: 2,
      needsSensitive: false,
    });
    // Whatever was seen before, the job looks at each key itself.
    expect(await executed({ pattern: 'env_vars*' }, 'product')).toMatchObject({ matched: 0, guarded: 2 });
    expect(await left()).toEqual(expect.arrayContaining(['env_vars:A', 'env_vars_old', 'keyward:user:1']));
  });
});

describe('a family', () => {
  it('is narrowed by its parameters and by the names inside them', async () => {
    await fill(
      'shouts:author=123:limit=10',
      'shouts:author=1234',
      'shouts:limit=10:author=123',
      'shouts:author=123',
      'shouts:x',
    );
    const count = async (params: Record<string, string>) =>
      (await preview({ family: 'discours.shouts', params })).keys;
    expect(await count({ params: 'author=123*' })).toBe(3);
    expect(await count({ author: '123' })).toBe(3);
    expect(await count({ author: '123*' })).toBe(4);
    expect(await count({ author: '123', limit: '1*' })).toBe(2);
    expect(await count({ author: '9' })).toBe(0);
    const wrong = { family: 'discours.shouts', params: { author: 'a:b' } };
    expect((await refusal(preview(wrong))).status).toBe(400);
    expect((await executed({ family: 'discours.shouts', params: { author: '123' } })).deleted).toBe(3);
    expect(await left()).toEqual(['shouts:author=1234', 'shouts:x']);
  });

  it('that grows while it is deleted comes to an end, with the exact count', {
    tags: ['long'],
    timeout: 30_000,
  }, async () => {
    await fill(...Array.from({ length: 2000 }, (_, i) => `topic:id:${i}`));
    const { work, counts } = begun({ family: 'discours.topic-id' });
    let over = false;
    const ended = work
      .then(
        () => 'done',
        (error: Problem) => error.code,
      )
      .finally(() => {
        over = true;
      });
    let next = 2000;
    while (!over) {
      const pipeline = test.redis.pipeline();
      for (let i = 0; i < 200; i++) pipeline.set(`topic:id:${next++}`, '{}');
      await pipeline.exec();
    }
    expect(['done', 'conflict']).toContain(await ended);
    expect(counts.deleted + (await test.redis.dbsize())).toBe(next);
  });

  it('that turns out to be far larger than expected fails', { tags: ['long'], timeout: 30_000 }, async () => {
    const many = 21_000;
    await test.redis.eval(`for i = 1, ${many} do redis.call('SET', 'topic:id:' .. i, '') end`, 0);
    const { work, counts } = begun({ family: 'discours.topic-id' });
    expect((await refusal(work)).code).toBe('conflict');
    expect(counts.deleted).toBeGreaterThan(10_000);
    expect(await test.redis.dbsize()).toBe(many - counts.deleted);
  });
});

describe('an entity', () => {
  it('becomes the branches of the application’s own rule, each counted and each optional', async () => {
    await test.redis.set('author:id:7', '{"slug":"anna"}');
    await fill(
      'author:slug:anna',
      'author:slug:berta',
      'author:followers:7',
      'author:followers:8',
      'follows:author:7',
    );
    const found = await preview({ entity: { kind: 'author', id: '7' } }, 'product');
    expect(found).toMatchObject({ keys: 4, exact: true, needsSensitive: false });
    const counts = Object.fromEntries(found.branches.map(({ id, keys }) => [id, keys]));
    expect(counts).toMatchObject({
      'author-id': 1,
      'author-slug': 1,
      'author-followers': 1,
      'author-follows-topics': 0,
    });
    const some = { kind: 'author', id: '7', branches: ['author-slug', 'author-followers'] } as const;
    const chosen = await preview({ entity: some });
    expect(chosen.keys).toBe(2);
    expect(chosen.branches.filter(({ included }) => included).map(({ id }) => id)).toEqual(some.branches);
    expect((await executed({ entity: { ...some, branches: [...some.branches] } })).deleted).toBe(2);
    expect(await left()).toEqual([
      'author:followers:8',
      'author:id:7',
      'author:slug:berta',
      'follows:author:7',
    ]);
    await test.redis.set('author:id:7', 'no JSON');
    const { branches } = await preview({ entity: { kind: 'author', id: '7' } });
    expect(branches.find(({ id }) => id === 'author-slug')).toMatchObject({ known: false, keys: 0 });
  });

  it('reaches a prefix whatever is under it, and whole families where nothing narrows them', async () => {
    await fill(
      'feed',
      'shouts:author=1',
      'shouts:odd',
      'author_1',
      'author_2',
      'topic_shouts_5',
      'topic:id:1',
    );
    const entity = { kind: 'shout', id: '9', authorIds: ['1'] } as const;
    const found = await preview({ entity });
    const of = (name: string) => found.branches.find(({ id }) => id === name);
    expect(of('shouts')).toMatchObject({ keys: 2, wider: false });
    expect(of('topic-shouts')).toMatchObject({ keys: 1, wider: true });
    expect(found.keys).toBe(5);
    expect((await executed({ entity: { ...entity, authorIds: ['1'] } })).deleted).toBe(5);
    expect(await left()).toEqual(['author_2', 'topic:id:1']);
  });

  it('is one that a catalog declares: with its id, its facts and the branches they narrow', async () => {
    const cache = (id: string, pattern: string, more: Partial<FamilyDefinition> = {}) =>
      family({
        id,
        pattern,
        type: 'string',
        ttl: 'any',
        title: id,
        purpose: id,
        role: 'cache',
        params: Object.fromEntries([...pattern.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, segment])),
        ...more,
      });
    const product: EntityDefinition = {
      app: 'shop',
      kind: 'product',
      title: 'Product',
      id: word,
      facts: {
        brand: { title: 'Brand', lookup: { family: 'shop.product', params: { sku: 'id' }, field: 'brand' } },
        country: {
          title: 'Country',
          lookup: { family: 'shop.brand', params: { brand: 'brand' }, field: 'in' },
        },
        tags: { title: 'Tags', list: true },
      },
      branches: [
        { id: 'product', title: 'Product', family: 'shop.product', params: { sku: 'id' } },
        {
          id: 'prices',
          title: 'Prices',
          family: 'shop.price',
          params: { brand: 'brand', country: 'country' },
        },
        { id: 'tags', title: 'Tags', family: 'shop.tag', params: { tag: 'tags' }, each: 'tags' },
        { id: 'lists', title: 'Lists', prefix: 'list[1]:' },
      ],
    };
    const families = [
      cache('shop.product', 'product:{sku}'),
      cache('shop.brand', 'brand:{brand}', { type: 'hash' }),
      cache('shop.price', 'price:{brand}:{country}:{sku}'),
      cache('shop.tag', 'tag:{tag}'),
    ];
    const catalog = createRegistry(families, new Set(['shop']), [product]);
    const ctx = { ...test.ctx, catalog };
    await test.redis.set('product:ab-1', '{"brand":"*"}');
    await test.redis.hset('brand:*', 'in', 'de');
    await fill('price:*:de:1', 'price:*:fr:1', 'price:x:de:1', 'tag:new', 'tag:old', 'list[1]:a', 'list1:a');
    const counted = async (facts?: Record<string, string | string[]>) => {
      const entity = { kind: 'product', id: 'ab-1', ...(facts && { facts }) };
      const { branches } = await previewInvalidation(ctx, parseInput(familyContracts.preview, { entity }));
      return Object.fromEntries(branches.map(({ id, keys, known }) => [id, known ? keys : null]));
    };
    // What was read from Redis is no pattern: the brand is called `*`.
    expect(await counted()).toEqual({ product: 1, prices: 1, tags: null, lists: 1 });
    expect(await counted({ brand: 'x', tags: ['new', 'none'] })).toEqual({
      product: 1,
      prices: null,
      'tags:new': 1,
      'tags:none': 0,
      lists: 1,
    });
    const wrong: Record<string, string | string[]>[] = [{ size: 'x' }, { tags: 'new' }, { brand: ['x'] }];
    for (const facts of [...wrong, { tags: ['a:b'] }])
      expect([facts, (await refusal(counted(facts))).status]).toEqual([facts, 400]);
    const unknown = withEntityFacts(ctx, { entity: { kind: 'author', id: '1' } });
    expect((await refusal(unknown)).extensions.errors).toEqual([
      { path: 'entity.kind', message: 'This is one of product.' },
    ]);
  });

  it('is named with its application where several have its kind', async () => {
    const catalog = catalogFor(APP_IDS);
    const ctx = { ...test.ctx, catalog };
    const previewOf = (kind: string, id: string) =>
      previewInvalidation(ctx, parseInput(familyContracts.preview, { entity: { kind, id } }));
    await test.redis.hset('user:u1', 'username', 'anna');
    await test.redis.sadd('groups:u1:a:b', 'u2');
    await test.redis.sadd('groups:u2:a', 'u1');
    await test.redis.sadd('follows_7', '4');
    await fill('video_27');
    expect((await refusal(previewOf('user', 'u1'))).extensions.errors).toEqual([
      {
        path: 'entity.kind',
        message: 'Several applications have this kind: minidouyin.user, qianxun.user.',
      },
    ]);
    const user = await previewOf('qianxun.user', 'u1');
    const counts = Object.fromEntries(user.branches.map(({ id, keys }) => [id, keys]));
    expect(counts).toMatchObject({ user: 1, groups: 1, interests: 0 });
    expect((await previewOf('minidouyin.user', '7')).keys).toBe(1);
    expect((await previewOf('video', '27')).keys).toBe(1);
    expect((await previewOf('minidouyin.video', '27')).keys).toBe(1);
    for (const [kind, message] of [
      ['room', 'No rule invalidates a room.'],
      ['qianxun.video', /^This is one of author, topic, shout, minidouyin\.user, video, .*qianxun\.user/],
    ] as const)
      expect((await refusal(previewOf(kind, '1'))).extensions.errors).toEqual([
        { path: 'entity.kind', message: expect.stringMatching(message) },
      ]);
  });

  it('never deletes a bare key of somebody else', async () => {
    const catalog = catalogFor(['minidouyin']);
    const deleted = async (id: string) => {
      const ctx = { ...contextOf('admin'), catalog };
      const entity = { kind: 'user', id };
      const { keys, byFamily } = await previewInvalidation(
        ctx,
        parseInput(familyContracts.preview, { entity }),
      );
      const counts = newCounts();
      const target = resolveTarget(ctx, { entity });
      await deleteKeys(ctx, { target, withoutUndo: false, total: keys }, counts);
      return { keys, deleted: counts.deleted, families: byFamily.map(({ family: id }) => id) };
    };
    await fill('7');
    await test.redis.hset('8', { ID: '8', Username: 'toni', Passwd: 'x' });
    await test.redis.sadd('followers_7', '8');
    expect(await deleted('7')).toEqual({ keys: 1, deleted: 1, families: ['minidouyin.followers'] });
    expect(await deleted('8')).toEqual({ keys: 1, deleted: 1, families: ['minidouyin.user'] });
    expect(await left()).toEqual(['7']);
  });

  it('is refused where there is no such rule or branch', async () => {
    for (const entity of [
      { kind: 'author', id: '*' },
      { kind: 'planet', id: '1' },
      { kind: 'author', id: '1', branches: ['no'] },
    ])
      expect([entity, (await refusal(preview({ entity }))).status]).toEqual([entity, 400]);
    for (const raw of [
      { entity: { kind: 'topic', id: '1' }, pattern: 'ab*' },
      { pattern: 'ab*', params: {} },
    ])
      expect((await refusal(preview(raw))).status).toBe(400);
  });
});

it('a preview estimates the load on the origin for families with known hits', async () => {
  await fill('topic:id:1', 'topic:id:2', 'topic:id:3', 'topic:id:4', 'author:id:1');
  expect(await preview({ family: 'discours.topic-id' })).toMatchObject({
    hitRate: null,
    expectedMissesPerSecond: null,
  });
  await writeSpan(store(), 'main', 'sample', {
    at: Date.now() - 60_000,
    seconds: 2,
    windows: 2,
    cutShort: 0,
    reasons: [],
    left: [0, 0],
    families: { 'discours.topic-id': [300, 100, 2, 0, 0, 0] },
    total: [300, 100],
  });
  const census = {
    startedAt: 1,
    finishedAt: 1,
    unclassified: 0,
    malformed: 0,
  };
  const families = { 'discours.topic-id': { keys: 4, memoryBytes: 1, withoutTtl: 4 } };
  await writeCensus(store(), 'main', { ...census, families });
  const all = { family: 'discours.topic-id', params: { id: '*' } };
  expect(await preview(all)).toMatchObject({ hitRate: 0.75, expectedMissesPerSecond: 150 });
  const one = { keyIds: [Buffer.from('topic:id:1').toString('base64url')] };
  expect(await preview(one)).toMatchObject({ hitRate: 0.75, expectedMissesPerSecond: 37.5 });
  const other = { keyIds: [Buffer.from('author:id:1').toString('base64url')] };
  expect(await preview(other)).toMatchObject({ hitRate: null, expectedMissesPerSecond: null });
});

it('one family at a time: again, or a part of it, is a conflict; another family is not', async () => {
  await fill('topic:id:1', 'author:id:1');
  await ask({ family: 'discours.topic-id' });
  const duplicate = await refusal(ask({ family: 'discours.topic-id', withoutUndo: true, reason: 'again' }));
  expect(duplicate.status).toBe(409);
  const part = await refusal(ask({ family: 'discours.topic-id', params: { id: '1*' } }));
  expect(part.status).toBe(409);
  await ask({ family: 'discours.author' });
});

it('a preview ends when its caller goes', async () => {
  const { budget } = test.handle;
  const client = new AbortController();
  await test.redis.mset(...Array.from({ length: 2000 }, (_, i) => [`author:id:${i}`, 'x']).flat());
  test.handle.budget = new ScanBudget({ ...budget.limits, chunk: 10 });
  let calls = 0;
  afterCall(
    test,
    (call) => {
      calls = call;
      return call === 2;
    },
    () => client.abort(),
  );
  const target = parseInput(familyContracts.preview, { pattern: 'author:id:*' });
  await expect(previewInvalidation({ ...test.ctx, signal: client.signal }, target)).rejects.toThrow('abort');
  expect(calls).toBeLessThan(5);
  test.handle.budget = budget;
});
