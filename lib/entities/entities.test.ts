import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keyIdOf, keyOfId } from '@/lib/command/key-ids';
import { parseInput } from '@/lib/command/validate';
import { ScanBudget } from '@/lib/redis/budget';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { restartDuring } from '@/scripts/testing/restart';
import { BOTH_WAYS } from '@/scripts/testing/without-scripts';
import { getEntity } from './get';
import { listKinds } from './reads';
import { readRelation } from './relation';
import { type EntityRef, type EntityView, entityContracts, type RelationView } from './schema';
import { searchEntities } from './search';

type Role = 'admin' | 'support' | 'product';

const PASSWORD = '123456';
const BUDGET = new ScanBudget({ chunk: 100, pauseMs: 0, maxAddedLatencyMs: 1000 });

let test: TestContext;

const open = async (kind: string, id: string, role: Role = 'admin'): Promise<EntityView> => {
  const ctx = test.as({ actor: testActor(role) });
  return entityContracts.get.result.parse(
    await getEntity(ctx, parseInput(entityContracts.get, { kind, id })),
  );
};

const relation = async (kind: string, id: string, name: string, raw: object = {}) =>
  entityContracts.relation.result.parse(
    await readRelation(test.ctx, parseInput(entityContracts.relation, { kind, id, relation: name, ...raw })),
  );

const search = async (kind: string, q?: string, raw: object = {}) =>
  entityContracts.search.result.parse(
    await searchEntities(
      test.ctx,
      parseInput(entityContracts.search, { kind, ...(q !== undefined && { q }), ...raw }),
    ),
  );

interface Listed {
  items: EntityRef[];
  nextCursor: string | null;
}

/** All items, page by page. */
const all = async (page: (cursor?: string) => Promise<Listed>): Promise<EntityRef[]> => {
  const found: EntityRef[] = [];
  for (let cursor: string | undefined, pages = 0; pages < 300; pages++) {
    const { items, nextCursor } = await page(cursor);
    found.push(...items);
    if (nextCursor === null) return found;
    cursor = nextCursor;
  }
  return expect.fail('pages never end');
};

const ids = (refs: readonly EntityRef[]): string[] => refs.map(({ id }) => id).sort();
const row = (view: EntityView, name: string): RelationView =>
  view.relations.find((one) => one.relation === name) ?? expect.fail(`no relation ${name}`);

const user = (id: number, more: object = {}) => ({
  ID: `${id}`,
  Username: `user${id}`,
  Nickname: `Nick ${id}`,
  Passwd: PASSWORD,
  Token: `user${id}${PASSWORD}`,
  FollowCount: '0',
  FollowerCount: '0',
  WorkCount: '0',
  FavoriteCount: '0',
  Signature: 'hello',
  ...more,
});

const addUser = (id: number, more: object = {}) => test.redis.hset(`${id}`, user(id, more));

const useApps = (apps: ('qianxun' | 'minidouyin' | 'discours')[], redisArgs: string[] = []) => {
  beforeAll(async () => {
    test = await testContext({ apps, redisArgs });
    test.handle.budget = BUDGET;
  });
  beforeEach(() => test.empty());
  afterAll(() => test.close());
};

describe.each(BOTH_WAYS)('a user of the short-video application, %s', (_, redisArgs) => {
  useApps(['minidouyin'], redisArgs);

  it('is shown with all that belongs to it, and without its secrets', async () => {
    const { redis } = test;
    await addUser(4, { FollowCount: '2', WorkCount: '3' });
    await redis.hset(`user4${PASSWORD}`, user(4));
    await redis.expire('4', 18_000);
    await addUser(5);
    await addUser(6);
    await redis.sadd('follows_4', '5', '6');
    await redis.sadd('followers_5', '4');
    await redis.sadd('followers_6', '4');
    await redis.sadd('publish_4', '27');
    await redis.hset('video_27', {
      ID: '27',
      Title: 'Cats',
      Author: '4',
      CreatedAt: '2023-08-30T15:04:05.123456789+08:00',
    });
    await redis.zadd('user_like_4', 27, '27');
    await redis.zadd('chatrec_4_5', 1, '1');
    await redis.zadd('friendlist_4', 5, '5');
    await redis.zadd('friendlist_5', 4, '4');
    await redis.hset('friend_4_5', { FromID: '4', ToID: '5', Message: 'hi' });
    const view = await open('user', '4');
    expect(view).toMatchObject({
      kind: 'user',
      app: 'minidouyin',
      id: '4',
      title: 'Nick 4',
      exists: true,
      moreFields: false,
      recordKey: { family: 'minidouyin.user', key: '4' },
      problems: [],
      online: null,
      conversation: false,
      sessions: false,
      dangling: [],
      oneSided: [],
      checked: { references: 5, complete: true },
    });
    expect(view.record).toMatchObject({ Username: 'user4', Passwd: '•••', Token: '•••', Signature: 'hello' });
    expect(view.fields[0]).toMatchObject({ name: 'ID', value: '4' });
    expect(view.fields.find(({ name }) => name === 'Passwd')).toMatchObject({ value: null, masked: true });
    expect(row(view, 'follows')).toMatchObject({
      family: 'minidouyin.follows',
      key: 'follows_4',
      type: 'set',
      count: 2,
      counted: 2,
      problem: null,
      kind: 'user',
      app: 'minidouyin',
      scanned: false,
      nextCursor: null,
    });
    expect(row(view, 'follows').first).toContainEqual({
      kind: 'user',
      app: 'minidouyin',
      id: '5',
      title: 'Nick 5',
      exists: true,
      score: null,
      linkable: true,
      self: false,
    });
    expect(row(view, 'published')).toMatchObject({ count: 1, counted: 3, problem: 'partial' });
    expect(row(view, 'likes')).toMatchObject({
      type: 'zset',
      first: [{ id: '27', title: 'Cats', score: '27' }],
    });
    expect(row(view, 'chats')).toMatchObject({
      scanned: true,
      count: 1,
      first: [{ kind: 'chat', id: '4_5', exists: true, linkable: true }],
    });
    expect(row(view, 'friendships').first.map(({ id, title }) => [id, title])).toEqual([['4_5', 'hi']]);
    const alias = view.keys.find(({ family }) => family === 'minidouyin.user-token')!;
    expect(alias).toMatchObject({ key: '•••', exists: true, type: 'hash', ttlSeconds: null });
    expect(keyOfId(test.ctx, alias.keyId)?.toString()).toBe(`user4${PASSWORD}`);
    expect(view.keys.find(({ key }) => key === '4')).toMatchObject({ ttlSeconds: 18_000, type: 'hash' });
    expect(view.keys.find(({ key }) => key === 'followers_4')).toMatchObject({ exists: false, type: null });
    expect(view.invalidates).toContain('follows');
    expect(JSON.stringify(view)).not.toContain(PASSWORD);
  });

  it('leads on to a video, its author and its comments, whose times are read', async () => {
    const { redis } = test;
    await addUser(4);
    await redis.sadd('publish_4', '27');
    await redis.hset('video_27', {
      ID: '27',
      Title: 'Cats',
      Author: '4',
      CommentCount: '2',
      CreatedAt: '2023-08-30T15:04:05.123456789+08:00',
    });
    await redis.zadd('video_comment_27', 9, '9', 10, '10');
    await redis.hset('comment_9', { ID: '9', VideoId: '27', UserId: '4', Content: 'nice' });
    await redis.hset('comment_10', { ID: '10', VideoId: '28', UserId: '7', Content: 'lost' });
    const video = await open('minidouyin.video', '27');
    const field = (view: EntityView, wanted: string) => view.fields.find(({ name }) => name === wanted);
    expect(field(video, 'CreatedAt')).toMatchObject({ time: '2023-08-30T07:04:05.123Z' });
    expect(field(video, 'Author')!.ref).toMatchObject({
      kind: 'user',
      id: '4',
      title: 'Nick 4',
      linkable: true,
    });
    expect(row(video, 'comments').first.map(({ id, title }) => [id, title])).toEqual([
      ['9', 'nice'],
      ['10', 'lost'],
    ]);
    expect(video.oneSided).toEqual([
      {
        relation: 'comments',
        kind: 'comment',
        app: 'minidouyin',
        id: '10',
        title: 'lost',
        lacks: 'video',
        stored: true,
      },
    ]);
    const comment = await open('comment', '10');
    expect(
      comment.dangling.map(({ relation: name, member, why, family }) => [name, member, why, family]),
    ).toEqual([
      ['author', '7', 'missing', 'minidouyin.comment'],
      ['video', '28', 'missing', 'minidouyin.comment'],
    ]);
    const chat = await open('chat', '5_4');
    expect(chat).toMatchObject({ id: '4_5', conversation: true, exists: false });
    expect(row(chat, 'participants').first.map(({ id, exists }) => [id, exists])).toEqual([
      ['4', true],
      ['5', false],
    ]);
  });

  it('has damage that is counted as it was written', async () => {
    const { redis } = test;
    for (const id of [1, 2, 3, 4, 5, 6, 7]) await addUser(id);
    await redis.sadd(
      'follows_1',
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '7',
      '8',
      '9',
      'bob',
      '0x',
      Buffer.from([0xff]),
    );
    // 2 knows it; 3 has other followers; 4, 5 and 6 have none stored; 7 has them as a list.
    await redis.sadd('followers_2', '1', '9');
    await redis.sadd('followers_3', '2');
    await redis.rpush('followers_7', '1');
    const view = await open('user', '1');
    const own = view.dangling.filter((one) => one.relation === 'follows');
    expect(own.map(({ member, why }) => `${member} ${why}`).sort()).toEqual([
      // What is no id may be a user name and a password.
      '8 missing',
      '9 missing',
      '••• notAnId',
      '••• notAnId',
      '••• notAnId',
    ]);
    const keyId = keyIdOf(test.ctx, Buffer.from('follows_1'));
    expect(own[0]).toMatchObject({ key: 'follows_1', keyId, family: 'minidouyin.follows' });
    expect(view.oneSided.map(({ id, stored, lacks }) => `${id} ${stored} ${lacks}`).sort()).toEqual([
      '1 false followers',
      '3 true followers',
      '4 false followers',
      '5 false followers',
      '6 false followers',
    ]);
    expect(
      row(view, 'follows')
        .first.filter(({ self }) => self)
        .map(({ id }) => id),
    ).toEqual(['1']);
    expect(row(view, 'follows').first.filter(({ linkable }) => !linkable)).toEqual(
      Array(3).fill(expect.objectContaining({ id: '•••', exists: false, title: null })),
    );
    expect(view.checked).toEqual({ references: 12, complete: true });
  });

  it('is not scanned for by a cursor of a smaller database', async () => {
    const { redis } = test;
    await addUser(4);
    for (const id of [5, 6, 7]) await redis.zadd(`chatrec_4_${id}`, 1, '1');
    const { nextCursor } = await relation('user', '4', 'chats', { limit: '1' });
    expect((await relation('user', '4', 'chats', { limit: '1', cursor: nextCursor })).items).toHaveLength(1);
    for (let from = 0; from < 41_000; from += 1000)
      await redis.mset(Array.from({ length: 1000 }, (_, i) => [`x:${from + i}`, '1']).flat());
    const refusal = problemOf(relation('user', '4', 'chats', { limit: '1', cursor: nextCursor }));
    expect((await refusal).code).toBe('cursor_expired');
  });

  it('is compared by both keys that a user may have', async () => {
    const { redis } = test;
    await addUser(1);
    await addUser(2);
    await redis.sadd('followers_1', '2');
    expect((await open('user', '1')).oneSided).toMatchObject([{ id: '2', stored: false }]);
    await redis.sadd(`follows_user2${PASSWORD}`, '1');
    expect((await open('user', '1')).oneSided).toEqual([]);
    const view = await open('user', '2');
    expect(view.relations.map(({ relation: name, key }) => [name, key])).toContainEqual([
      'follows.2',
      'follows_•••',
    ]);
    expect(await relation('user', '2', 'follows.2')).toMatchObject({ items: [{ id: '1' }], count: 1 });
    expect(await relation('user', '2', 'follows')).toMatchObject({ items: [], count: 0 });
    expect(JSON.stringify(view)).not.toContain(PASSWORD);
  });

  it('is nobody where the key is of somebody else, or gone', async () => {
    const { redis } = test;
    await redis.set('4', 'somebody else’s');
    await redis.hset('5', { Username: 'half', Passwd: '' });
    for (const id of ['4', '5', '6']) {
      const view = await open('user', id);
      expect(view).toMatchObject({ exists: false, recordKey: null, record: {}, problems: [], title: null });
      expect(view.keys.some(({ exists }) => exists)).toBe(false);
    }
    await redis.sadd('follows_7', '4', '5', '6');
    expect((await open('user', '7')).dangling.map(({ member }) => member).sort()).toEqual(['4', '5', '6']);
  });

  it('says what is wrong with its record and its relations, and goes on', async () => {
    const { redis } = test;
    await redis.hset('4', { Username: 'a', Passwd: 'b' });
    await redis.set('publish_4', 'text');
    await redis.hset('follows_4', { '5': '' });
    await redis.rpush('followers_4', '5');
    await addUser(5, { ID: '6' });
    const view = await open('user', '4');
    expect(view.problems).toEqual([{ what: 'idMissing', detail: 'ID' }]);
    expect(
      ['published', 'follows', 'followers', 'likes'].map((name) => [
        row(view, name).problem,
        row(view, name).count,
      ]),
    ).toEqual([
      ['wrongType', null],
      ['wrongType', 1],
      [null, 1],
      [null, 0],
    ]);
    expect((await open('user', '5')).problems).toEqual([{ what: 'idDiffers', detail: 'ID' }]);
    await redis.sadd('video_1', 'x');
    await redis.set('video_2', '{"ID":2,"Title":"As text","Author":4}');
    await redis.set('video_3', '[1]');
    const videos = await Promise.all(['1', '2', '3'].map((id) => open('video', id)));
    expect(videos.map(({ exists, title, problems }) => [exists, title, problems])).toEqual([
      [true, null, [{ what: 'wrongType', detail: 'set' }]],
      [true, 'As text', [{ what: 'wrongType', detail: 'string' }]],
      [true, null, [{ what: 'wrongType', detail: 'string' }]],
    ]);
    expect(row(videos[1]!, 'author').first).toMatchObject([{ id: '4', exists: true }]);
  });

  it('has long and odd members and fields cut and masked', async () => {
    const { redis } = test;
    const long = '7'.repeat(10_240);
    await addUser(4, Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`extra${i}`, 'x'])));
    await redis.hset('4', { Signature: 'y'.repeat(20_000) });
    await redis.sadd('follows_4', long);
    const view = await open('user', '4');
    expect(view.fields.length).toBe(200);
    expect(view.moreFields).toBe(true);
    expect(view.dangling).toMatchObject([{ why: 'notAnId' }]);
    expect(row(view, 'follows').first[0]!.id.length).toBeLessThan(9000);
    await redis.hset('5', user(5, { Signature: 'y'.repeat(20_000) }));
    const { fields } = await open('user', '5');
    const signature = fields.find(({ name }) => name === 'Signature')!;
    expect([signature.truncated, signature.value!.length]).toEqual([true, 4096]);
  });

  it('is found by id, then by name, each once', { tags: 'long' }, async () => {
    const { redis } = test;
    await Promise.all(Array.from({ length: 250 }, (_, i) => addUser(i + 1)));
    await redis.set('12345', 'not a user');
    await addUser(300, { Nickname: 'ÄNNA Smith', Username: 'zed' });
    const find = (q: string | undefined, limit: number) =>
      all((cursor) => search('user', q, { limit, ...(cursor && { cursor }) }));
    expect(ids(await find(undefined, 30))).toHaveLength(251);
    expect(new Set(ids(await find('', 30))).size).toBe(251);
    expect((await search('user', '300')).items[0]).toMatchObject({
      id: '300',
      exists: true,
      title: 'ÄNNA Smith',
    });
    expect((await search('user', '999')).items[0]).toMatchObject({
      id: '999',
      exists: false,
      linkable: true,
    });
    expect(ids(await find('änna', 30))).toEqual(['300']);
    expect(ids(await find('ZED', 30))).toEqual(['300']);
    expect(ids(await find('nick 25', 3))).toEqual(['25', '250']);
    expect(ids(await find('nick 2*', 30))).toEqual([]);
    expect(ids(await find(PASSWORD, 30))).toEqual(['123456']);
    const page = await search('user', undefined, { limit: 10 });
    expect(page.total).toBe(252);
    expect(page.examined).toBeLessThan(252);
    expect(await problemOf(search('user', undefined, { cursor: 'x' }))).toMatchObject({ status: 400 });
    expect(await problemOf(search('castle'))).toMatchObject({ status: 400 });
  });

  it('finds each chat once, whatever its keys are', async () => {
    const { redis } = test;
    await redis.zadd('chatrec_1_4', 1, '1');
    await redis.zadd('chatrec_4_1', 1, '1');
    await redis.zadd('msgRecord_1_4', 1, '1');
    await redis.zadd('msgRecord_2_3', 1, '1');
    await redis.zadd('chatrec_9_2', 1, '1');
    const find = (q?: string) => all((cursor) => search('chat', q, { limit: 1, ...(cursor && { cursor }) }));
    expect(ids(await find())).toEqual(['1_4', '2_3', '2_9']);
    expect(ids(await find('2_'))).toEqual(['2_3', '2_9']);
    expect(ids(await find('4_1'))).toEqual(['1_4']);
    expect(row(await open('user', '2'), 'chats').first.map(({ id }) => id)).toEqual(['2_3', '2_9']);
  });

  it('has relations page by page, also by a scan of a large database', { tags: 'long' }, async () => {
    const { redis } = test;
    const numbers = Array.from({ length: 700 }, (_, i) => `${i + 10}`);
    await addUser(4);
    await redis.sadd('follows_4', ...numbers);
    await redis.zadd('user_like_4', ...numbers.flatMap((n) => [n, n]));
    await Promise.all(numbers.slice(0, 60).map((n) => redis.zadd(`chatrec_4_${n}`, 1, '1')));
    await redis.zadd('msgRecord_4_10', 1, '1');
    const pages = (name: string) =>
      all((cursor) => relation('user', '4', name, { limit: 50, ...(cursor && { cursor }) }));
    const view = await open('user', '4');
    for (const name of ['follows', 'likes']) expect(ids(await pages(name))).toEqual([...numbers].sort());
    expect(row(view, 'chats')).toMatchObject({ count: 60, first: { length: 20 } });
    const next = row(view, 'chats').nextCursor!;
    const rest = await relation('user', '4', 'chats', { cursor: next, limit: 50 });
    expect(ids([...row(view, 'chats').first, ...rest.items])).toHaveLength(60);
    const chats = ids(await pages('chats'));
    expect(new Set(chats).size).toBe(60);
    expect(chats).toHaveLength(60);
    expect((await relation('user', '4', 'chats')).count).toBe(60);
    await redis.eval(`for i = 1, 21000 do redis.call('SET', 'other:' .. i, 'x') end`, 0);
    const large = await open('user', '4');
    expect(row(large, 'chats')).toMatchObject({ count: null, first: [], scanned: true });
    expect((await relation('user', '4', 'chats')).count).toBeNull();
    expect(ids(await pages('chats'))).toEqual(chats);
  });

  it('refuses what cannot be, and cursors of something else', async () => {
    await addUser(4);
    await test.redis.sadd('follows_4', '5');
    expect((await problemOf(open('castle', '4'))).message).toMatch(/one of user, video/);
    for (const id of ['a*', '4_', 'toni123456', '😀', '4:5', '[4]'])
      expect((await problemOf(open('user', id))).message, id).toBe('id: This is at most 10 decimal digits.');
    expect((await problemOf(relation('user', '4', 'enemies'))).message).toMatch(
      /relation: This is one of follows/,
    );
    expect(await problemOf(relation('user', '4', 'follows.1'))).toMatchObject({ status: 400 });
    expect(await problemOf(relation('user', '4', 'follows', { cursor: 'zset.10' }))).toMatchObject({
      status: 410,
    });
    expect(await problemOf(relation('user', '4', 'chats', { cursor: 'x.10' }))).toMatchObject({
      status: 410,
    });
    expect(await problemOf(relation('user', '4', 'chats', { cursor: 'a.x' }))).toMatchObject({ status: 400 });
    expect(await problemOf(relation('user', '4', 'chats', { cursor: 's.x' }))).toMatchObject({ status: 400 });
  });
});

describe('a user of the social application', () => {
  useApps(['qianxun']);

  it('is shown with groups, interests, activities, chats and presence', async () => {
    const { redis } = test;
    await redis.hset('user:u1', { username: 'Ann', birthday: '1990-01-01', sign: 'hi' });
    await redis.hset('user:u2', { username: 'Bob' });
    await redis.sadd('onlines', 'u1');
    await redis.sadd('interests:u1', 'photography', '摄影');
    await redis.sadd('groups:u1:work: a', 'u2');
    await redis.sadd('groups:u1:*', 'u2');
    await redis.hset('activity:a5', { title: 'Picnic' });
    await redis.sadd('activity:a5:participants', 'u1', 'u2');
    await redis.rpush('activity:u1:in', 'a5');
    await redis.rpush('message:u1:u2', '1|a');
    await redis.rpush('message:u2:u1', '1|a');
    await redis.rpush('message:u1:u1', '1|me');
    await redis.rpush('message:u3:u1', '1|a');
    await redis.sadd('chatgrp:u1:list:friends', 'u2');
    const view = await open('user', 'u1');
    expect(view).toMatchObject({ title: 'Ann', online: true, sessions: false });
    expect(row(view, 'interests')).toMatchObject({ kind: null, count: 2 });
    expect(row(view, 'interests').first.find(({ id }) => id === '摄影')).toMatchObject({
      kind: null,
      app: null,
      exists: null,
      linkable: false,
    });
    expect(ids(row(view, 'friend-groups').first)).toEqual(['u1:*', 'u1:work: a']);
    expect(ids(row(view, 'chats').first)).toEqual(['u1:u1', 'u1:u2', 'u1:u3']);
    expect(row(view, 'chats').count).toBe(3);
    expect(row(view, 'online')).toMatchObject({ count: 1, family: 'qianxun.onlines', first: [] });
    expect(row(view, 'joined')).toMatchObject({ type: 'list', first: [{ id: 'a5', title: 'Picnic' }] });
    const activity = await open('activity', 'a5');
    expect(activity.oneSided).toMatchObject([{ id: 'u2', lacks: 'joined', stored: false }]);
    expect(await open('user', 'u2')).toMatchObject({ online: false });
    const group = await open('friend-group', 'u1:work: a');
    expect(group).toMatchObject({ id: 'u1:work: a', exists: true });
    expect(row(group, 'friends').first).toMatchObject([{ id: 'u2', title: 'Bob' }]);
    const none = await open('user', 'nobody');
    expect(none).toMatchObject({ exists: false, online: false });
  });

  it('has an id of any text, which is never a pattern', { tags: ['long'] }, async () => {
    const { redis } = test;
    const odd = ['a*b', '[x]', 'u_1', 'x|y', '😀', '?', '\\', 'a b', 'é'.repeat(400), '<b>'];
    for (const id of odd) {
      await redis.hset(`user:${id}`, { username: `the ${id}` });
      await redis.sadd(`groups:${id}:g`, 'u2');
    }
    await redis.sadd('groups:aXXb:g', 'u2');
    for (const id of odd) {
      const view = await open('user', id);
      expect([view.id, view.exists], id).toEqual([id, true]);
      expect(ids(row(view, 'friend-groups').first), id).toEqual([`${id}:g`]);
      expect((await search('user', id)).items[0], id).toMatchObject({ id, exists: true, linkable: true });
    }
    // The text is no id of which anything is stored, so it is a name only.
    expect((await search('user', 'THE A*')).items.map(({ id, exists }) => [id, exists])).toEqual([
      ['a*b', true],
    ]);
    await redis.sadd('interests:gone', 'chess');
    expect((await search('user', 'gone')).items).toMatchObject([{ id: 'gone', exists: false }]);
    const long = 'x'.repeat(1500);
    await redis.hset(`user:${long}`, { username: 'long' });
    await redis.sadd('activity:a1:participants', long, 'y'.repeat(10_240), 'a:b');
    const activity = await open('activity', 'a1');
    const refs = row(activity, 'participants').first;
    expect(refs.find(({ id }) => id === long)).toMatchObject({
      linkable: false,
      exists: true,
      title: 'long',
    });
    expect(refs.find(({ id }) => id === 'a:b')).toMatchObject({ linkable: false, exists: false });
    expect(activity.dangling.map(({ member, why }) => [member, why])).toEqual([['a:b', 'notAnId']]);
    expect(ids((await search('user', 'long')).items)).toContain(long);
  });

  it('has all relations of a small database at once, though its scan has to pause', async () => {
    await Promise.all(Array.from({ length: 60 }, (_, i) => test.redis.rpush(`message:u1:v${i}`, '1|a')));
    test.handle.budget = new ScanBudget({ chunk: 1, pauseMs: 30, maxAddedLatencyMs: 1000 });
    try {
      expect(row(await open('user', 'u1'), 'chats')).toMatchObject({ scanned: true, count: 60 });
    } finally {
      test.handle.budget = BUDGET;
    }
  });

  it('starts its scan again when the server restarts, and never mixes pages of two processes', {
    tags: ['long'],
  }, async () => {
    const { redis } = test;
    await redis.hset('user:u1', { username: 'Ann' });
    const pipeline = redis.pipeline();
    for (let i = 0; i < 3000; i++) pipeline.sadd(`groups:u1:g${i}`, 'u2');
    for (let i = 0; i < 3000; i++) pipeline.hset(`user:x${i}`, { username: 'x' });
    await pipeline.exec();
    const { nextCursor } = await search('user', undefined, { limit: 10 });
    const restarting = restartDuring(test, 2);
    const page = await relation('user', 'u1', 'friend-groups', { limit: 10 });
    expect(restarting.restarts()).toBe(1);
    expect(page.count).toBe(3000);
    test.handle.budget = BUDGET;
    expect(await problemOf(search('user', undefined, { cursor: nextCursor! }))).toMatchObject({
      code: 'cursor_expired',
    });
  });
});

describe('an author of the publishing platform', () => {
  useApps(['discours']);

  it('is JSON with arrays of ids, found by slug, with sessions', async () => {
    const { redis } = test;
    const author = {
      id: 1,
      name: 'Anna',
      slug: 'anna',
      email: 'a@example.org',
      created_at: 1_700_000_000,
      stat: { shouts: 2 },
    };
    await redis.set('author:id:1', JSON.stringify(author));
    await redis.set('author:slug:anna', '1');
    await redis.set('author:id:2', '{"id":2,"name":"Bob"}');
    await redis.set('author:followers:1', '[2, 3]');
    await redis.set('author:follows-authors:2', '[1]');
    await redis.set('author:follows-topics:1', '[5]');
    await redis.sadd(
      'user_sessions:1',
      'eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyX2lkIjo0Mn0.Zq7pXv2mLr9tKw1Zq7pXv2mLr9t',
    );
    const view = await open('author', '1');
    expect(view).toMatchObject({ title: 'Anna', sessions: true, online: null, problems: [], exists: true });
    expect(view.record).toMatchObject({ email: 'a@example.org', stat: '{"shouts":2}' });
    expect(view.fields.find(({ name }) => name === 'created_at')!.time).toBe('2023-11-14T22:13:20.000Z');
    expect(row(view, 'followers')).toMatchObject({ type: 'string', count: 2 });
    expect(view.dangling.map(({ member }) => member)).toEqual(['3', '5']);
    expect(view.oneSided).toEqual([]);
    expect(view.keys.find(({ key }) => key === 'author:slug:anna')).toMatchObject({ exists: true });
    expect((await search('author', 'anna')).items).toMatchObject([{ id: '1', title: 'Anna' }]);
    expect(row(view, 'sessions').first).toMatchObject([{ id: '•••', linkable: false, exists: null }]);
    expect(JSON.stringify(view)).not.toContain('eyJhbGci');
    const product = await open('author', '1', 'product');
    expect(row(product, 'sessions').first).toEqual([]);
    expect(view.invalidates).toContain('author-id');
  });

  it('lists what it knows', async () => {
    const { items, nextCursor } = await listKinds(test.ctx, parseInput(entityContracts.kinds, {}));
    expect(nextCursor).toBeNull();
    expect(items.map(({ ref }) => ref)).toEqual(['discours.author', 'discours.topic', 'discours.shout']);
    expect(items[0]).toMatchObject({ record: true, conversation: false, idHint: 'decimal digits' });
    const [first] = (await listKinds(test.ctx, parseInput(entityContracts.kinds, { limit: 1 }))).items;
    expect(first!.relations[0]).toEqual({
      relation: 'followers',
      title: 'Followers',
      families: ['discours.author-followers'],
    });
  });
});

describe('a kind of two applications', () => {
  useApps(['qianxun', 'minidouyin']);

  it('is searched in both, one after the other', async () => {
    const { redis } = test;
    await redis.hset('user:u1', { username: 'Toni Z.' });
    await redis.hset('4', { ID: '4', Username: 'toni', Nickname: 'Toni', Passwd: 'x' });
    const found: [string | null, string][] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await search('user', 'toni', { limit: 1, ...(cursor && { cursor }) });
      found.push(...page.items.map(({ app, id }): [string | null, string] => [app, id]));
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(found.sort()).toEqual([
      ['minidouyin', '4'],
      ['qianxun', 'u1'],
    ]);
    expect((await search('minidouyin.user', 'toni')).items).toMatchObject([{ id: '4' }]);
    expect((await problemOf(search('user', 'toni', { cursor: '7~' }))).status).toBe(400);
  });
});
