import { describe, expect, it } from 'vitest';
import type { EntityDefinition, KeySource, RelationDefinition, RelationSource } from './entities';
import { family } from './family';
import { digits, segment } from './grammar';
import { createRegistry } from './registry';
import type { FamilyType } from './roles';

const keys = (id: string, pattern: string, type: FamilyType, rest = {}) =>
  family({
    id: `shop.${id}`,
    pattern,
    type,
    ttl: 'any',
    title: id,
    purpose: id,
    params: Object.fromEntries([...pattern.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, segment])),
    ...rest,
  });

const families = [
  keys('user', 'user:{id}', 'hash', { sensitiveFields: ['password'] }),
  keys('login', 'login:{token}', 'hash', { sensitive: ['token'] }),
  keys('liked', 'liked:{id}', 'set'),
  keys('liked-login', 'liked_login:{token}', 'set', { sensitive: ['token'] }),
  keys('tokens', 'tokens:{id}', 'set', { sensitiveValue: true }),
  keys('online', 'online', 'set'),
  keys('product', 'product:{id}', 'hash'),
  keys('buyers', 'buyers:{id}', 'zset'),
  keys('slug', 'slug:{slug}', 'string'),
  keys('chat', 'chat:{from}:{to}', 'list'),
];

const key = (name: string, params: Record<string, string> = { id: 'id' }): KeySource => ({
  family: `shop.${name}`,
  params,
});
const entity = (kind: string, rest: Partial<EntityDefinition>): EntityDefinition => ({
  app: 'shop',
  kind,
  title: kind,
  branches: [],
  ...rest,
});
const relation = (from: RelationSource, rest: Partial<RelationDefinition> = {}): RelationDefinition => ({
  id: 'liked',
  title: 'Liked',
  from,
  ...rest,
});

const record = {
  keys: [key('user')],
  alias: { family: 'shop.login', param: 'token', fields: ['name', 'password'] },
  title: ['name'],
  idField: 'id',
  lookups: [{ family: 'shop.slug', param: 'slug' }],
};
const liked = relation(
  { members: [key('liked'), key('liked-login', { token: 'alias' })] },
  { kind: 'product', inverse: 'buyers', countField: 'likes' },
);
const product = entity('product', {
  record: { keys: [key('product')] },
  relations: [
    relation({ members: [key('buyers')] }, { id: 'buyers', kind: 'user', inverse: 'liked' }),
    relation({ field: 'like' }, { id: 'like', kind: 'product' }),
  ],
});
const chat = entity('chat', {
  pair: { names: ['a', 'b'], separator: ':', unordered: true },
  relations: [relation({ parts: ['a', 'b'] }, { id: 'people', kind: 'user' })],
  conversation: {
    keys: [{ ...key('chat', { from: 'a', to: 'b' }), sender: 'a' }],
    text: ['time', 'content'],
    senderKind: 'user',
    members: 'people',
  },
});
const user = (rest: Partial<EntityDefinition>) => entity('user', { record, relations: [liked], ...rest });
const inShop = (...list: EntityDefinition[]) => createRegistry(families, new Set(), list);
const withUser = (rest: Partial<EntityDefinition>) => () => inShop(user(rest), product, chat);
const withRelation = (from: RelationSource, rest: Partial<RelationDefinition> = {}) =>
  withUser({ relations: [liked, relation(from, { id: 'other', ...rest })] });
const withChat = (rest: Partial<EntityDefinition>) => () =>
  inShop(user({}), product, entity('chat', { ...chat, ...rest }));
const between = { ...key('chat', { from: 'id' }), names: { from: 'a', to: 'b' } };

it('an entity has what its families hold', () => {
  const found = inShop(
    user({
      relations: [
        liked,
        relation({ memberOf: key('online', {}) }, { id: 'online' }),
        relation({ members: [key('tokens')] }, { id: 'tokens' }),
        relation({ keys: [between] }, { id: 'chats', kind: 'chat' }),
      ],
    }),
    product,
    chat,
  );
  expect(found.entities.map(({ kind }) => kind)).toEqual(['user', 'product', 'chat']);
});

it('an entity that names a family of an application that is not listed is left out', () => {
  const foreign = entity('x', { record: { keys: [{ family: 'other.x', params: { id: 'id' } }] } });
  expect(inShop(foreign).entities).toEqual([]);
});

describe('an entity is refused:', () => {
  it.each<[reason: string, make: () => unknown]>([
    ['Entity x: it needs branches, a record', () => inShop(entity('x', {}))],
    ['record.keys: a record has a key', withUser({ record: { ...record, keys: [] } })],
    [
      'record.keys.0: shop.liked is a set, not a hash or string',
      withUser({ record: { keys: [key('liked')] }, relations: [] }),
    ],
    [
      'nothing names {to} of shop.chat',
      withUser({ record: { ...record, keys: [key('chat', { from: 'id' })] } }),
    ],
    [
      '{id} of shop.user is read from name',
      withUser({ record: { ...record, keys: [key('user', { id: 'name' })] } }),
    ],
    ['password of shop.user is a secret', withUser({ record: { ...record, title: ['password'] } })],
    ['password of shop.user is a secret', withUser({ record: { ...record, idField: 'password' } })],
    [
      'record.alias: {id} of shop.user is not sensitive',
      withUser({ record: { ...record, alias: { family: 'shop.user', param: 'id', fields: ['name'] } } }),
    ],
    [
      'record.alias: an alias is made of fields',
      withUser({ record: { ...record, alias: { ...record.alias, fields: [] } } }),
    ],
    [
      'record.lookups.0: shop.user is a hash',
      withUser({ record: { ...record, lookups: [{ family: 'shop.user', param: 'id' }] } }),
    ],
    ['there is no family shop.none', withRelation({ members: [key('none')] })],
    [
      'relation other: there is no kind planet',
      withRelation({ members: [key('liked')] }, { kind: 'planet' }),
    ],
    ['the id is there twice', withRelation({ members: [key('liked')] }, { id: 'liked' })],
    ['not in kebab-case', withRelation({ members: [key('liked')] }, { id: 'liked.2' })],
    [
      'the members of shop.tokens are secrets',
      withRelation({ members: [key('tokens')] }, { kind: 'product' }),
    ],
    ['shop.product is a hash, not a set', withRelation({ members: [key('product')] })],
    ['{token} of shop.login is a secret', withRelation({ members: [key('login', { token: 'id' })] })],
    ['is not sensitive', withRelation({ members: [key('liked', { id: 'alias' })] })],
    ['being a member leads to no entity', withRelation({ memberOf: key('online', {}) }, { kind: 'product' })],
    ['it needs the kind', withRelation({ field: 'best' })],
    ['password of shop.user is a secret', withRelation({ field: 'password' }, { kind: 'product' })],
    ['there is no part a', withRelation({ parts: ['a'] }, { kind: 'product' })],
    [
      'password of shop.user is a secret',
      withRelation({ members: [key('liked')] }, { countField: 'password' }),
    ],
    ['only members are counted', withRelation({ field: 'best' }, { kind: 'product', countField: 'likes' })],
    [
      'a product has no relation none',
      withRelation({ members: [key('liked')] }, { kind: 'product', inverse: 'none' }),
    ],
    ['nothing has no relation buyers', withRelation({ members: [key('liked')] }, { inverse: 'buyers' })],
    [
      'like of a product leads to another kind',
      withRelation({ members: [key('liked')] }, { kind: 'product', inverse: 'like' }),
    ],
    [
      'no parameter of shop.chat is free',
      withRelation({ keys: [{ ...between, params: { from: 'id', to: 'id' } }] }, { kind: 'chat' }),
    ],
    [
      'the parameters of shop.chat do not name a chat',
      withRelation({ keys: [{ ...between, names: { from: 'a' } }] }, { kind: 'chat' }),
    ],
    [
      'only members and fields can be compared',
      withRelation({ keys: [between] }, { kind: 'chat', inverse: 'people' }),
    ],
    ['pair: both parts have one name', withChat({ pair: { names: ['a', 'a'], separator: ':' } })],
    ['pair: it needs a separator', withChat({ pair: { names: ['a', 'b'], separator: '' } })],
    ['pair: a part cannot be named id', withChat({ pair: { names: ['id', 'b'], separator: ':' } })],
    ['pair: the id of a pair has no grammar', withChat({ id: digits })],
    [
      'pair: parts without an order have one grammar',
      withChat({ pair: { ...chat.pair!, grammars: [digits, segment] } }),
    ],
    ['it needs text or message', withChat({ conversation: { keys: chat.conversation!.keys } })],
    [
      'text ends with content',
      withChat({ conversation: { ...chat.conversation!, text: ['content', 'time'] } }),
    ],
    ['there is no kind x', withChat({ conversation: { ...chat.conversation!, senderKind: 'x' } })],
    ['there is no relation x', withChat({ conversation: { ...chat.conversation!, members: 'x' } })],
    [
      'conversation.keys.0: there is no part x',
      withChat({
        conversation: {
          ...chat.conversation!,
          keys: [{ ...key('chat', { from: 'a', to: 'b' }), sender: 'x' }],
        },
      }),
    ],
    [
      'conversation.message.keys.0: password of shop.user is a secret',
      withChat({
        conversation: {
          ...chat.conversation!,
          message: { keys: [key('user')], sender: 'from', time: 'at', content: 'password' },
        },
      }),
    ],
    ['keys.0: there is no family shop.none', withChat({ keys: [key('none')] })],
  ])('%s', (reason, make) => {
    expect(make).toThrow(reason);
  });
});
