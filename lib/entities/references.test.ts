import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WriteContext } from '@/lib/command/context';
import type { EntityDefinition } from '@/lib/keyspace/entities';
import { family } from '@/lib/keyspace/family';
import { digits, segment } from '@/lib/keyspace/grammar';
import { createRegistry } from '@/lib/keyspace/registry';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { definitionsOf, idHintOf, resolveEntity, targetOf, uniqueKind } from './kinds';
import { existsMany, readRefs } from './references';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyX2lkIjo0Mn0.Zq7pXv2mLr9tKw1Zq7pXv2mLr9t';

const hash = { type: 'hash', ttl: 'any', title: 'x', purpose: 'x' } as const;
const set = { ...hash, type: 'set' } as const;
const id = { id: digits };

const families = [
  family({ ...hash, id: 'town.animal', pattern: '{id}', params: id, identifyingFields: ['name', 'pw'] }),
  family({ ...hash, id: 'town.house', pattern: 'house:{id}', params: id }),
  family({ ...hash, id: 'town.card', pattern: 'card:{id}', params: id, type: 'string' }),
  family({ ...set, id: 'town.tenants', pattern: 'tenants:{id}', params: id }),
  family({ ...set, id: 'town.talk', pattern: 'talk:{a}:{b}', params: { a: segment, b: segment } }),
  family({ ...hash, id: 'village.animal', pattern: 'shepherd:{id}', params: { id: segment } }),
];

const kinds: EntityDefinition[] = [
  {
    app: 'town',
    kind: 'animal',
    title: 'Animal',
    branches: [],
    record: { keys: [{ family: 'town.animal', params: { id: 'id' } }], title: ['nick', 'name'] },
  },
  {
    app: 'town',
    kind: 'house',
    title: 'House',
    branches: [],
    record: {
      keys: [
        { family: 'town.house', params: { id: 'id' } },
        { family: 'town.card', params: { id: 'id' } },
      ],
      title: ['address', 'doorToken'],
    },
    relations: [
      {
        id: 'tenants',
        title: 'Tenants',
        kind: 'animal',
        from: { members: [{ family: 'town.tenants', params: { id: 'id' } }] },
      },
    ],
  },
  {
    app: 'town',
    kind: 'talk',
    title: 'Talk',
    branches: [],
    pair: { names: ['a', 'b'], separator: '_', unordered: true },
    relations: [
      {
        id: 'who',
        title: 'Who',
        from: { members: [{ family: 'town.talk', params: { a: 'b', b: 'a' } }] },
      },
    ],
  },
  {
    app: 'town',
    kind: 'idea',
    title: 'Idea',
    branches: [{ id: 'ideas', title: 'Ideas', prefix: 'idea:' }],
  },
  {
    app: 'village',
    kind: 'animal',
    title: 'Shepherd',
    id: segment,
    branches: [],
    record: { keys: [{ family: 'village.animal', params: { id: 'id' } }] },
  },
];

let test: TestContext;
let ctx: WriteContext;
beforeAll(async () => {
  test = await testContext({ apps: [] });
  ctx = { ...test.ctx, catalog: createRegistry(families, new Set(), kinds) };
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const kind = (name: string) => definitionsOf(ctx.catalog, name)[0]!;

describe('references', () => {
  it('exist where a record does, and a bare key only by its type and fields', async () => {
    const { redis } = test;
    await redis.hset('1', { name: 'Ada', pw: 'x' });
    await redis.hset('2', { name: 'half', pw: '' });
    await redis.set('3', 'somebody else’s');
    expect(await existsMany(ctx, kind('town.animal'), ['1', '2', '3', '4', 'x'])).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
    await redis.hset('house:1', { address: 'Elm Street' });
    await redis.set('card:2', '{"address":"Oak Street"}');
    expect(await existsMany(ctx, kind('house'), ['1', '2', '3'])).toEqual([true, true, false]);
  });

  it('exist without a record by any of their keys, and unknown without keys', async () => {
    await test.redis.sadd('talk:10:9', 'x');
    expect(await existsMany(ctx, kind('talk'), ['10_9', '9_10', '1_2', 'alone'])).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(await existsMany(ctx, kind('idea'), ['1'])).toEqual([null]);
  });

  it('have the first title that is not empty, cut and masked like any value', async () => {
    const { redis } = test;
    await redis.hset('1', { nick: '', name: 'Ada', pw: 'x' });
    await redis.hset('2', { nick: 'b', name: 'Bob', pw: 'x' });
    await redis.hset('3', { name: 'x'.repeat(1001), pw: 'x' });
    await redis.hset('4', { nick: Buffer.from([0xff, 0x41]), name: 'D', pw: 'x' });
    await redis.hset('5', { name: `see ${JWT}`, pw: 'x' });
    const people = await readRefs(ctx, kind('town.animal'), ['1', '2', '3', '4', '5', '6', '']);
    expect(people).toEqual([
      { exists: true, title: 'Ada' },
      { exists: true, title: 'b' },
      { exists: true, title: null },
      { exists: true, title: '\\xffA' },
      { exists: true, title: 'see •••' },
      { exists: false, title: null },
      { exists: false, title: null },
    ]);
    await redis.hset('house:1', { doorToken: 'open sesame' });
    await redis.set('card:2', '{"address":"Oak Street"}');
    await redis.set('card:3', '{"address":');
    await redis.set('card:4', JSON.stringify({ address: 'far', more: 'x'.repeat(70_000) }));
    await redis.set('card:5', '{"address":null,"doorToken":12}');
    expect(await readRefs(ctx, kind('house'), ['1', '2', '3', '4', '5'])).toEqual([
      ...[null, 'Oak Street', null, null, null].map((title) => ({ exists: true, title })),
    ]);
  });
});

describe('a kind', () => {
  it('is one that the catalog has, of each application that has it', async () => {
    expect(kind('house').app).toBe('town');
    expect(kind('village.animal').title).toBe('Shepherd');
    expect(uniqueKind(ctx.catalog, kind('house'))).toBe('house');
    expect(uniqueKind(ctx.catalog, kind('town.animal'))).toBe('town.animal');
    expect(await problemOf(Promise.resolve().then(() => kind('castle')))).toMatchObject({
      status: 400,
      message: 'kind: This is one of town.animal, house, talk, idea, village.animal.',
    });
    expect(definitionsOf(ctx.catalog, 'animal').map(({ app }) => app)).toEqual(['town', 'village']);
    expect(targetOf(ctx.catalog, kind('house'), 'animal')).toBe(kind('town.animal'));
    expect(targetOf(ctx.catalog, kind('house'), undefined)).toBeNull();
  });

  it('of several applications is the one that has the entity', async () => {
    expect((await resolveEntity(ctx, 'animal', '1')).entity.app).toBe('town');
    await test.redis.hset('shepherd:1', { a: 'b' });
    expect((await resolveEntity(ctx, 'animal', '1')).entity.app).toBe('village');
    await test.redis.hset('1', { name: 'Ada', pw: 'x' });
    expect((await resolveEntity(ctx, 'animal', '1')).entity.app).toBe('town');
    expect((await resolveEntity(ctx, 'animal', 'anna')).entity.app).toBe('village');
  });

  it('has ids of its syntax, in order where a pair has none', async () => {
    expect((await resolveEntity(ctx, 'talk', '10_9')).id).toBe('9_10');
    expect((await problemOf(resolveEntity(ctx, 'house', 'x*'))).message).toBe(
      `id: This is ${digits.description}.`,
    );
    expect((await problemOf(resolveEntity(ctx, 'animal', 'a:b'))).message).toContain(', or ');
    expect((await problemOf(resolveEntity(ctx, 'castle', '1'))).message).toContain('one of');
    expect(idHintOf(kind('talk'))).toContain('{a}_{b}');
  });
});
