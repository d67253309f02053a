import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WriteContext } from '@/lib/command/context';
import { identifyKeys } from '@/lib/command/identify-keys';
import type { EntityDefinition, KeySource } from '@/lib/keyspace/entities';
import { family } from '@/lib/keyspace/family';
import { digits, segment } from '@/lib/keyspace/grammar';
import { createRegistry } from '@/lib/keyspace/registry';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { CheckCounts } from './check-counts';
import { checkPlan } from './check-plan';
import { walkCheck } from './check-walk';
import { getEntity } from './get';
import { existsMany } from './references';
import { readStoredFields } from './stored-fields';

const hash = { type: 'hash', ttl: 'any', title: 'x', purpose: 'x' } as const;
const set = { ...hash, type: 'set' } as const;
const id = { id: digits };
/** Its name is a secret. */
const byName = { params: { name: segment }, sensitive: ['name'] } as const;

const families = [
  family({ ...hash, id: 'town.user', pattern: '{id}', params: id, identifyingFields: ['name', 'pw'] }),
  family({ ...set, id: 'town.likes', pattern: 'likes:{id}', params: id }),
  family({ ...set, ...byName, id: 'town.likes-of', pattern: 'likes-of:{name}' }),
  family({ ...set, ...byName, id: 'town.visits', pattern: 'visits:{name}' }),
  family({ ...set, id: 'town.guests', pattern: 'guests:{id}', params: id }),
  family({ ...set, id: 'town.liked', pattern: 'liked:{id}', params: id }),
  family({ ...hash, ...byName, id: 'town.named', pattern: 'named:{name}' }),
  family({ ...hash, id: 'town.letter', pattern: 'letter:{id}', params: id }),
  family({ ...set, id: 'town.letters', pattern: 'letters:{id}', params: id }),
];

const byId = (name: string): KeySource => ({ family: `town.${name}`, params: { id: 'id' } });
const byAlias = (name: string): KeySource => ({ family: `town.${name}`, params: { name: 'alias' } });
const ofUsers = { title: 'x', kind: 'user' } as const;

const kinds: EntityDefinition[] = [
  {
    app: 'town',
    kind: 'user',
    title: 'User',
    branches: [],
    record: {
      keys: [byId('user')],
      alias: { family: 'town.named', param: 'name', fields: ['name', 'pw'] },
      idField: 'no',
    },
    relations: [
      {
        ...ofUsers,
        id: 'likes',
        inverse: 'liked',
        countField: 'likes',
        from: { members: [byId('likes'), byAlias('likes-of')] },
      },
      { ...ofUsers, id: 'liked', inverse: 'likes', from: { members: [byId('liked')] } },
      // The keys of one side are named by the alias only.
      { ...ofUsers, id: 'visits', inverse: 'guests', from: { members: [byAlias('visits')] } },
      { ...ofUsers, id: 'guests', inverse: 'visits', from: { members: [byId('guests')] } },
      {
        id: 'letters',
        title: 'x',
        kind: 'letter',
        inverse: 'to',
        from: { members: [byId('letters')] },
      },
    ],
  },
  {
    app: 'town',
    kind: 'letter',
    title: 'Letter',
    branches: [],
    record: { keys: [byId('letter')] },
    relations: [{ ...ofUsers, id: 'to', inverse: 'letters', from: { field: 'to' } }],
  },
];

let test: TestContext;
let ctx: WriteContext;
beforeAll(async () => {
  test = await testContext({ apps: [], scan: { chunk: 1000, pauseMs: 0, maxAddedLatencyMs: 1000 } });
  ctx = { ...test.ctx, catalog: createRegistry(families, new Set(), kinds) };
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const IDS = Array.from({ length: 12 }, (_, i) => `${i + 1}`);
const KINDS = ['user', 'letter'];

/** Random numbers that are the same in each run. */
const randomOf = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
};

/** Users and letters, of whom some are gone, with relations of any type to anybody. */
const fill = async (seed: number): Promise<void> => {
  const random = randomOf(seed);
  const { redis } = test;
  const someIds = () => IDS.filter(() => random(3) > 0);
  const put = async (key: string, members: string[]) => {
    const type = random(6);
    if (members.length === 0 || random(5) === 0) return;
    if (type === 0) await redis.set(key, random(2) ? JSON.stringify(members) : 'text');
    // A list may have an element twice.
    else if (type === 1) await redis.rpush(key, ...members, members[0]!);
    else if (type === 2) await redis.zadd(key, ...members.flatMap((member) => [1, member]));
    else await redis.sadd(key, ...members);
  };
  for (const one of IDS) {
    const alias = `n${one}p${one}`;
    const record = { no: one, name: `n${one}`, pw: `p${one}`, likes: random(12) };
    if (random(5) > 0) await redis.hset(one, random(5) > 0 ? record : { no: one, name: `n${one}` });
    else if (random(2)) await redis.set(one, 'x');
    await redis.hset(`named:${alias}`, record);
    for (const name of ['likes', 'liked', 'guests', 'letters'])
      await put(`${name}:${one}`, random(6) ? someIds() : [...someIds(), 'x', '99', one]);
    for (const name of ['likes-of', 'visits']) await put(`${name}:${alias}`, someIds());
    if (random(4) > 0) await redis.hset(`letter:${one}`, random(4) ? { to: random(14) + 1 } : { from: 1 });
  }
};

const NOTHING = { dangling: 0, oneSided: 0, notStored: 0, partial: 0, wrongType: 0 };
type Damage = typeof NOTHING;

/** What a job counts of a kind. */
const byJob = async (kind: string): Promise<Damage> => {
  const plan = checkPlan(ctx.catalog, { kind });
  const counts = new CheckCounts(plan);
  const { signal } = new AbortController();
  await walkCheck({ ...ctx, connection: test.handle }, plan, {
    signal,
    begin: () => counts,
    onShare: async () => {},
  });
  const { dangling, oneSided, oneSidedNotStored, partial, wrongType } = counts.totals();
  return { dangling, oneSided, notStored: oneSidedNotStored, partial, wrongType };
};

/** The same on the pages of all entities of a kind. */
const byPages = async (kind: string): Promise<Damage> => {
  const sum = { ...NOTHING };
  for (const one of IDS) {
    const { dangling, oneSided, relations, problems } = await getEntity(ctx, { kind, id: one });
    const withProblem = (problem: string) => relations.filter((row) => row.problem === problem).length;
    sum.dangling += dangling.length;
    sum.oneSided += oneSided.length;
    sum.notStored += oneSided.filter(({ stored }) => !stored).length;
    sum.partial += withProblem('partial');
    sum.wrongType += withProblem('wrongType') + problems.filter(({ what }) => what === 'wrongType').length;
  }
  return sum;
};

describe('the page of an entity and a check by a job', () => {
  it.each([1, 4])('count the same damage, seed %i', { tags: ['long'] }, async (seed) => {
    await fill(seed);
    // Of a record that is gone the page does not know the keys by its alias.
    for (const one of IDS) {
      const [exists] = await existsMany(ctx, kinds[0]!, [one]);
      if (!exists) await test.redis.del(`likes-of:n${one}p${one}`, `visits:n${one}p${one}`);
    }
    for (const kind of KINDS) {
      const counted = await byJob(kind);
      expect([kind, await byPages(kind)]).toEqual([kind, counted]);
      expect(counted.dangling).toBeGreaterThan(0);
      if (kind === 'user') expect(Object.entries(counted).filter(([, count]) => count === 0)).toEqual([]);
    }
  });
});

it.each([
  ['a user', true, { name: 'a', pw: 'b', more: 'c' }],
  ['one without a field', false, { name: 'a' }],
  ['one with an empty field', false, { name: 'a', pw: '' }],
  ['a hash of something else', false, { other: 'x' }],
  ['a string', false, 'x'],
  ['nothing', false, null],
])('a bare key that is %s exists as a user: %s, whoever asks', async (_, expected, value) => {
  if (typeof value === 'string') await test.redis.set('7', value);
  else if (value) await test.redis.hset('7', value);
  const key = Buffer.from('7');
  const [identified] = await identifyKeys(ctx.reader, ctx.catalog, [key]);
  const [fields] = await readStoredFields(ctx, [{ key, family: 'town.user', fields: ['name'] }]);
  expect([
    ...(await existsMany(ctx, kinds[0]!, ['7'])),
    identified!.family?.id === 'town.user',
    fields!.type !== null,
  ]).toEqual([expected, expected, expected]);
});
