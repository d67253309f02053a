import { describe, expect, it } from 'vitest';
import { catalogFor } from './apps-of';
import type { BranchDefinition, EntityDefinition, FactDefinition } from './entities';
import { type EntityFacts, entityBranches, lookupOf } from './entity-branches';
import { family } from './family';
import { segment, word } from './grammar';
import { createRegistry } from './registry';

const registry = catalogFor(['discours']);
const branches = (kind: string, id: string, facts?: EntityFacts) =>
  entityBranches(registry.entity(kind)!, id, facts);

const globs = (kind: string, id: string, facts?: EntityFacts) =>
  branches(kind, id, facts).map(({ target }) =>
    target === null
      ? null
      : 'prefix' in target
        ? `${target.prefix}*`
        : registry.mustGet(target.family).match(target.params),
  );

describe('invalidation rules in use', () => {
  it('author', () => {
    expect(globs('author', '12', { slug: 'anna' })).toEqual([
      'author:id:12',
      'author:slug:anna',
      'author:followers:12',
      'author:follows-topics:12',
      'author:follows-authors:12',
      'author:follows-shouts:12',
      'author:follows-communitys:12',
      'follows:author:12',
    ]);
  });
  it('topic', () => {
    expect(globs('topic', '5', { slug: 'art' })).toEqual([
      'topic:id:5',
      'topic:slug:art',
      'topic:authors:5',
      'topic:followers:5',
      'topic_shouts_5',
      'topics:stats:*',
    ]);
  });
  it('shout', () => {
    const single = ['feed', 'recent', 'unrated', 'random_top', 'coauthored'];
    const facts = { authorIds: ['1', '2', '1'], topicIds: ['5'] };
    expect(globs('shout', '9', facts)).toEqual([
      ...single,
      'author_1',
      'author_2',
      'authored_1',
      'authored_2',
      'topic_5',
      'topic_shouts_5',
      'shouts:*',
    ]);
    expect(globs('shout', '9')).toEqual([
      ...single,
      'author_*',
      'authored_*',
      'topic_*',
      'topic_shouts_*',
      'shouts:*',
    ]);
    expect(branches('shout', '9').filter((branch) => branch.wider)).toHaveLength(4);
  });
  it('says where a slug can be read while it is not known', () => {
    const topic = registry.entity('topic')!;
    expect(branches('topic', '5').find(({ id }) => id === 'topic-slug')?.target).toBeNull();
    const lookup = { fact: 'slug', family: 'discours.topic-id', params: { id: '5' }, field: 'slug' };
    expect(lookupOf(topic, '5', 'slug', {})).toEqual(lookup);
    expect(lookupOf(topic, '5', 'slug', { slug: 'art' })).toBeNull();
  });
  it('refuses an id that is not a number', () => {
    expect(() => branches('author', '*')).toThrow('decimal digits');
  });
  it.each(['author', 'topic', 'shout'])('%s: branch ids are unique and reach caches only', (kind) => {
    const found = branches(kind, '1', { slug: 's', authorIds: ['1', '2'], topicIds: ['1', '2'] });
    expect(new Set(found.map((branch) => branch.id)).size).toBe(found.length);
    for (const { target } of found) {
      if (target !== null && 'family' in target) expect(registry.mustGet(target.family).cache).toBe(true);
    }
  });
});

const cacheOf = (id: string, pattern: string, params: Record<string, typeof word>) =>
  family({ id, pattern, params, type: 'string', ttl: 'any', title: id, purpose: id, role: 'cache' });

const shop = [
  cacheOf('shop.product', 'product:{sku}', { sku: word }),
  cacheOf('shop.brand', 'brand:{brand}:{country}', { brand: segment, country: word }),
  family({
    id: 'shop.basket',
    pattern: 'basket:{id}',
    params: { id: word },
    type: 'hash',
    ttl: 'any',
    title: 'Baskets',
    purpose: 'Baskets',
    sensitiveFields: ['card'],
  }),
];

const product = (
  facts: Record<string, FactDefinition> = {},
  ...list: BranchDefinition[]
): EntityDefinition => ({
  app: 'shop',
  kind: 'product',
  title: 'Product',
  id: word,
  facts,
  branches: [{ id: 'product', title: 'Product', family: 'shop.product', params: { sku: 'id' } }, ...list],
});

const inShop = (entity: EntityDefinition) => createRegistry(shop, new Set(['shop']), [entity]);
const brand: FactDefinition = {
  title: 'Brand',
  lookup: { family: 'shop.product', params: { sku: 'id' }, field: 'brand' },
};

describe('entities of an own catalog', () => {
  it('narrow a family by what is known, and look facts up in order', () => {
    const country: FactDefinition = {
      ...brand,
      lookup: { family: 'shop.basket', params: { id: 'brand' }, field: 'country' },
    };
    const wider = { id: 'brand', title: 'Brand', family: 'shop.brand' } as const;
    const params = { brand: 'brand', country: 'country' };
    const entity = product({ brand, country }, { ...wider, params, wider: true });
    expect(inShop(entity).entities).toEqual([entity]);
    const found = (facts: EntityFacts) => entityBranches(entity, 'ab-1', facts)[1];
    expect(found({ brand: 'x' })).toMatchObject({ target: { params: { brand: 'x' } }, wider: true });
    expect(found({ brand: 'x', country: 'de' })).toMatchObject({ wider: false });
    expect(lookupOf(entity, 'ab-1', 'brand', {})).toMatchObject({ params: { sku: 'ab-1' } });
    expect(lookupOf(entity, 'ab-1', 'country', {})).toBeNull();
    expect(lookupOf(entity, 'ab-1', 'country', { brand: 'x' })).toMatchObject({
      fact: 'country',
      params: { id: 'x' },
    });
  });

  it.each<[string, EntityDefinition]>([
    ['there is no family shop.none', product({}, { id: 'b', title: 'B', family: 'shop.none' })],
    ['no parameter {x}', product({}, { id: 'b', title: 'B', family: 'shop.product', params: { x: 'id' } })],
    [
      'which is not known',
      product({}, { id: 'b', title: 'B', family: 'shop.product', params: { sku: 'y' } }),
    ],
    ['the id is there twice', product({}, { id: 'product', title: 'B', family: 'shop.product' })],
    ['at least two bytes', product({}, { id: 'b', title: 'B', prefix: 'x' })],
    ["console's own keys", product({}, { id: 'b', title: 'B', prefix: 'keyward:user' })],
    ['is no list fact', product({ brand }, { id: 'b', title: 'B', family: 'shop.brand', each: 'brand' })],
    [
      'which is not known',
      product({
        // Each waits for the other.
        a: { title: 'A', lookup: { family: 'shop.product', params: { sku: 'b' }, field: 'f' } },
        b: { title: 'B', lookup: { family: 'shop.product', params: { sku: 'a' }, field: 'f' } },
      }),
    ],
    [
      'may be a secret',
      product({ a: { title: 'A', lookup: { family: 'shop.basket', params: { id: 'id' }, field: 'card' } } }),
    ],
    ['cannot be named kind', product({ kind: { title: 'Kind' } })],
    ['kebab-case', { ...product(), kind: 'No Kind' }],
  ])('are refused: %s', (reason, entity) => {
    expect(() => inShop(entity)).toThrow(reason);
  });

  it('replace those of a known application, and are there once', () => {
    const own = { ...product(), kind: 'author' };
    const known = { ...product(), app: 'known', kind: 'author' };
    for (const list of [
      [own, known],
      [known, own],
    ])
      expect(createRegistry(shop, new Set(['shop']), list).entities).toEqual([own]);
    expect(() => createRegistry(shop, new Set(['shop']), [own, own])).toThrow('declared twice');
  });
});
