import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { APP_IDS } from '@/lib/apps';
import { runCommand } from '@/lib/command/run';
import { parseInput } from '@/lib/command/validate';
import { listConversations } from '@/lib/conversations/list';
import { listMessages } from '@/lib/conversations/reads';
import { conversationContracts } from '@/lib/conversations/schema';
import { catalogFor } from '@/lib/keyspace/apps-of';
import type { Registry } from '@/lib/keyspace/registry';
import { readPresence } from '@/lib/presence/reads';
import { presenceContracts } from '@/lib/presence/schema';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { checkEntities } from './check-command';
import { getEntity } from './get';
import { listKinds } from './reads';
import { readRelation } from './relation';
import { entityContracts } from './schema';
import { searchEntities } from './search';

const CATALOG = join(import.meta.dirname, '../../scripts/testing/catalogs/guarded.yaml');
const [A, B] = ['0123ab', '4567cd'];
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0In0.c2lnbmF0dXJl';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['hawk'], catalogs: [CATALOG] });
});
beforeEach(async () => {
  await test.empty();
  const { redis } = test;
  await redis.hset(`project:${A}`, 'name', 'Apollo');
  await redis.hset(`project:${B}`, 'name', 'Borealis');
  await redis.sadd(`rings:${A}`, 'aa');
  await redis.hset('rate_limits', 'owner', A);
  await redis.sadd('DisabledProjectsSet', B, 'x');
  await redis.rpush('room:hall', 'ann|hello');
});
afterAll(() => test.close());

type Role = 'admin' | 'product';

const as = (role: Role) => test.as({ actor: testActor(role) });
const open = (kind: string, id: string, role: Role) =>
  getEntity(as(role), parseInput(entityContracts.get, { kind, id }));

const listed = (role: Role, q: string) =>
  listConversations(as(role), parseInput(conversationContracts.list, { q }));
const row = async (id: string, role: Role) =>
  (await open('project', id, role)).relations.find(({ relation }) => relation === 'blocked')!;

it('says whether something is a member only to those who may see the list', async () => {
  expect((await row(B, 'admin')).count).toBe(1);
  expect((await row(A, 'admin')).count).toBe(0);
  expect((await row(B, 'product')).count).toBeNull();
  expect((await row(A, 'product')).count).toBeNull();
});

it('does not say what a list lacks that the caller may not see', async () => {
  expect((await open('project', A, 'admin')).oneSided).toMatchObject([{ id: 'aa', lacks: 'projects' }]);
  expect((await open('project', A, 'product')).oneSided).toEqual([]);
});

it('looks up nothing that a hidden record or a hidden member names', async () => {
  const owner = async (role: Role) =>
    (await open('ring', 'aa', role)).relations.find(({ relation }) => relation === 'owner')!.first;
  expect(await owner('admin')).toMatchObject([{ id: A, title: 'Apollo' }]);
  expect(await owner('product')).toMatchObject([{ id: '•••', title: null, exists: null, linkable: false }]);
  await test.redis.hset('rate_limits', 'owner', 'ff');
  expect((await open('ring', 'aa', 'admin')).dangling).toMatchObject([{ member: 'x' }, { member: 'ff' }]);
  expect((await open('ring', 'aa', 'product')).dangling).toEqual([]);
  const members = async (role: Role) => {
    const input = parseInput(conversationContracts.messages, { kind: 'room', id: 'hall' });
    return (await listMessages(as(role), input)).members.find(({ linkable }) => linkable || role !== 'admin');
  };
  expect(await members('admin')).toMatchObject({ id: B, title: 'Borealis' });
  expect(await members('product')).toMatchObject({ id: '•••', title: null, exists: null });
});

it('is checked only by those who may see what is compared', async () => {
  const check = (role: Role, raw: object) =>
    runCommand(checkEntities, {
      actor: testActor(role),
      requestId: randomUUID(),
      connection: test.handle,
      raw,
    });
  for (const raw of [{ kind: 'ring' }, { kind: 'project' }, { family: 'team.rings' }]) {
    expect((await problemOf(check('product', raw))).code).toBe('forbidden');
    expect(await checkEntities.needs!(test.ctx, raw)).toEqual(['guard:view']);
  }
});

it('says of every kind and family beforehand what its check needs', async () => {
  const kindsOf = async (catalog: Registry) =>
    (await listKinds({ ...test.ctx, catalog }, parseInput(entityContracts.kinds, {}))).items;
  for (const catalog of [test.ctx.catalog, catalogFor(APP_IDS)])
    for (const { ref, checkNeeds, familyChecks } of await kindsOf(catalog)) {
      const listed = [{ kind: ref, checkNeeds }, ...familyChecks];
      for (const { checkNeeds: needs, ...raw } of listed) {
        const found = () => checkEntities.needs!({ ...test.ctx, catalog }, raw);
        if (needs === null) expect(found).toThrow('no relation to check');
        else expect(found()).toEqual(needs);
      }
    }
  const [ring] = (await kindsOf(test.ctx.catalog)).filter(({ kind }) => kind === 'ring');
  expect(ring!.checkNeeds).toEqual(['guard:view']);
  const needing = (await kindsOf(catalogFor(APP_IDS))).filter(({ checkNeeds }) => checkNeeds?.length);
  expect(needing).toMatchObject([{ ref: 'discours.author', checkNeeds: ['sessions:view'] }]);
});

it('finds no conversation by a member that the caller may not see', async () => {
  expect((await listed('admin', B)).items).toHaveLength(1);
  expect((await listed('product', B)).items).toEqual([]);
});

it('neither shows nor finds by pieces a token in the name of a conversation, or of what has no title', async () => {
  await test.redis.rpush(`room:${JWT}`, 'ann|hello');
  await test.redis.sadd(`board:${JWT}`, JWT);
  const { items } = await listed('admin', 'hall');
  expect(items).toMatchObject([{ id: 'hall', title: 'hall', linkable: true }]);
  const piece = JWT.slice(0, 15);
  expect((await listed('admin', piece)).items).toEqual([]);
  const all = await listConversations(as('admin'), parseInput(conversationContracts.list, {}));
  expect(all.items).toContainEqual(expect.objectContaining({ id: '•••', title: '•••', linkable: false }));
  expect(JSON.stringify(all)).not.toContain(piece);
  const boards = await searchEntities(
    as('admin'),
    parseInput(entityContracts.search, { kind: 'board', q: piece }),
  );
  expect(boards.items.filter(({ exists }) => exists)).toEqual([]);
});

it('refuses a cursor that is no place', async () => {
  const notes = (cursor: unknown) =>
    readRelation(
      as('admin'),
      parseInput(entityContracts.relation, {
        kind: 'ring',
        id: 'aa',
        relation: 'owner',
        cursor: Buffer.from(JSON.stringify([cursor])).toString('base64url'),
      }),
    );
  expect((await notes(0)).items).toHaveLength(1);
  for (const cursor of [-1, 0.5, 1e300, 'x']) expect((await problemOf(notes(cursor))).code).toBe('bad_input');
});

describe('a token as an id', () => {
  let social: TestContext;
  beforeAll(async () => {
    social = await testContext({ apps: ['qianxun', 'minidouyin'] });
    const { redis } = social;
    await redis.hset(`user:${JWT}`, 'username', JWT, 'nickname', `me ${JWT}`);
    await redis.hset('activity:1', 'title', `with ${JWT}`);
    await redis.sadd('activity:1:participants', JWT, `${JWT}x`);
    await redis.zadd(`activity:${JWT}:in`, 1, '2', 2, JWT);
    await redis.rpush(`message:${JWT}:4`, `2026-01-01|${JWT}`);
    await redis.rpush(`topic:9:${JWT}`, `ann|2026-01-01|hello`);
    await redis.sadd(`groups:4:${JWT}`, JWT);
    await redis.sadd('onlines', JWT);
    await redis.hset('4', { ID: '4', Username: 'toni', Passwd: '123456', Token: 'toni123456' });
    await redis.hset('toni123456', { ID: '4', Username: 'toni', Passwd: '123456', Token: 'toni123456' });
    await redis.sadd('follows_toni123456', '4', 'toni123456');
    await redis.sadd('follows_4', 'toni123456');
    await redis.hset('video_1', { ID: '1', Title: 'x', Author: 'toni123456' });
  });
  afterAll(() => social.close());

  it('is in no answer', { tags: ['long'] }, async () => {
    const { ctx } = social;
    const answers: unknown[] = [];
    for (const [kind, id] of [
      ['activity', '1'],
      ['qianxun.user', '4'],
      ['minidouyin.user', '4'],
      ['video', '1'],
    ]) {
      const view = await getEntity(ctx, parseInput(entityContracts.get, { kind, id }));
      answers.push(view);
      for (const { relation } of view.relations)
        answers.push(await readRelation(ctx, parseInput(entityContracts.relation, { kind, id, relation })));
    }
    for (const { kind, app } of ctx.catalog.entities)
      for (const q of ['', 'eyJ', JWT.slice(0, 30), 'toni1', 'toni123'])
        answers.push(
          await searchEntities(ctx, parseInput(entityContracts.search, { kind: `${app}.${kind}`, q })),
        );
    for (const q of ['', 'eyJ', JWT.slice(0, 30)]) {
      const list = await listConversations(ctx, parseInput(conversationContracts.list, { q }));
      answers.push(list);
      expect(list.items).toHaveLength(q === '' ? 2 : 0);
      const presence = await readPresence(ctx, parseInput(presenceContracts.get, { q }));
      answers.push(presence);
      expect(presence.items).toHaveLength(q === '' ? 1 : 0);
    }
    const decoded = JSON.stringify(answers).replace(
      /"(?:keyId|memberId|nextCursor)":"([\w-]+)[^"]*"/g,
      (all, id: string) => all + Buffer.from(id, 'base64url').toString('latin1'),
    );
    const secrets = [JWT.slice(0, 20), JWT.slice(21, 40), 'toni123456', '123456'];
    const around = (secret: string): string => {
      const at = decoded.indexOf(secret);
      return at < 0 ? '' : decoded.slice(Math.max(0, at - 300), at + 40);
    };
    expect(secrets.map(around)).toEqual(secrets.map(() => ''));
  });
});
