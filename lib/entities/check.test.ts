import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findEntry } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { cancelJob } from '@/lib/jobs/commands';
import { registerJob } from '@/lib/jobs/define';
import { closeQueue } from '@/lib/jobs/queue';
import { readRecord } from '@/lib/jobs/record';
import { type Runner, startRunner } from '@/lib/jobs/runner';
import { ScanBudget } from '@/lib/redis/budget';
import { closeConnections, connections } from '@/lib/redis/connections';
import { closeStore, store } from '@/lib/redis/store';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { type UserOfEachRole, userOfEachRole } from '@/scripts/testing/user-of-each-role';
import { checkEntities } from './check-command';
import { checkJob } from './check-job';
import { checkResult } from './schema';

const JWT = `eyJ${'aB3'.repeat(10)}.${'bC4'.repeat(10)}.${'cD5'.repeat(10)}`;

let test: TestContext;
let users: UserOfEachRole;
let runner: Runner | null = null;

beforeAll(async () => {
  // It changes nothing, so a read-only connection allows it.
  process.env.KEYWARD_READ_ONLY = 'true';
  process.env.KEYWARD_APPS = 'discours,qianxun,minidouyin';
  test = await testContext({ apps: ['discours', 'qianxun', 'minidouyin'] });
  registerJob(checkJob);
});
beforeEach(async () => {
  closeStore();
  await test.empty();
  users = await userOfEachRole();
});
afterEach(async () => {
  await runner?.close();
  runner = null;
  await closeQueue();
  closeConnections();
});
afterAll(async () => {
  await test.close();
  delete process.env.KEYWARD_READ_ONLY;
  delete process.env.KEYWARD_APPS;
});

const request = (raw: object, role: 'product' | 'support' | 'viewer' = 'product') =>
  runCommand(checkEntities, {
    actor: users[role],
    requestId: 'r',
    connection: connections().get('main')!,
    raw,
  });

const recordOf = async (jobId: string) => (await readRecord(store(), jobId))!;

const check = async (raw: object) => {
  runner ??= startRunner(store());
  const { jobId, auditId } = await request(raw);
  await expect.poll(async () => (await recordOf(jobId)).finishedAt, { timeout: 20_000 }).not.toBeNull();
  const { state, error, result } = await recordOf(jobId);
  expect([state, error]).toEqual(['done', null]);
  return { ...checkResult.parse(result), auditId };
};

const user = (id: number | string, fields: Record<string, string | number> = {}) =>
  test.redis.hset(`${id}`, { ID: id, Username: `name${id}`, Passwd: `pass${id}`, ...fields });

const shown = (samples: Awaited<ReturnType<typeof check>>['samples']) =>
  samples.map(({ problem, key, member, detail }) => [problem, key, member, detail]).sort();

describe('entities.check', () => {
  it('counts members whose record is gone, sides that lack the other, and partial sets', {
    tags: ['long'],
  }, async () => {
    const { redis } = test;
    for (const id of [1, 2, 3, 4]) await user(id, { FollowCount: 3 });
    await redis.sadd('follows_1', '2', '3', '4');
    await redis.sadd('follows_2', '1', '99', '1x');
    // Itself, both ways.
    await redis.sadd('follows_3', '3', '4');
    await redis.sadd('followers_2', '1');
    await redis.sadd('followers_3', '3');
    await redis.sadd('followers_4', '1', '3');
    const { auditId, ...result } = await check({ family: 'minidouyin.follows' });
    expect(result).toMatchObject({
      checked: 3,
      references: 8,
      dangling: 2,
      wrongType: 0,
      complete: true,
      // 1 → 3; 2 → 1, who has no followers stored.
      oneSided: 2,
      oneSidedNotStored: 1,
      partial: 1,
      families: [{ family: 'minidouyin.follows', checked: 3, references: 8, dangling: 2, oneSided: 2 }],
    });
    expect(shown(result.samples)).toEqual([
      ['dangling', 'follows_2', '99', 'minidouyin.user is not stored'],
      ['dangling', 'follows_2', '•••', 'no id of minidouyin.user'],
      ['oneSided', 'follows_1', '3', 'not in its followers'],
      ['oneSided', 'follows_2', '1', 'its followers is not stored'],
      ['partial', 'follows_3', null, '2 of 3'],
    ]);
    expect(result.samples.find(({ problem }) => problem === 'partial')?.entity).toEqual({
      kind: 'user',
      app: 'minidouyin',
      id: '3',
    });
    const entry = await findEntry(store(), auditId);
    expect(entry).toMatchObject({
      action: 'entities.check',
      outcome: 'succeeded',
      target: 'family minidouyin.follows',
      after: { checked: 3, references: 8, dangling: 2, oneSided: 2, partial: 1, complete: true },
    });
  });

  it('checks a kind of all applications that have it', async () => {
    await user(1);
    await test.redis.sadd('follows_1', '99');
    await test.redis.zadd('activity:u1:own', 1, 'a9');
    expect(await check({ kind: 'user' })).toMatchObject({ checked: 2, references: 2, dangling: 2 });
  });

  it('checks all relations of a kind, and settles bare keys by type and fields', async () => {
    const { redis } = test;
    await user(1);
    await user(2, { WorkCount: 2 });
    // Names like those of users, and no users.
    await redis.set('7', 'x');
    await redis.hset('8', { other: 'x' });
    await redis.hset('9', { Username: 'nine', Passwd: '' });
    await redis.sadd('followers_1', '2', '7', '8', '9', '10');
    await redis.sadd('follows_2', '1');
    await redis.hset('video_5', { ID: 5, Author: '2' });
    await redis.sadd('publish_2', '5');
    await redis.zadd('user_like_1', 1, '5', 2, '6');
    await redis.zadd('friendlist_1', 2, '2');
    await redis.zadd('friendlist_2', 1, '1');
    const result = await check({ kind: 'minidouyin.user' });
    expect(result).toMatchObject({
      checked: 6,
      references: 11,
      dangling: 5,
      oneSided: 0,
      partial: 1,
      wrongType: 0,
    });
    const of = (name: string) => result.families.find(({ family }) => family === `minidouyin.${name}`);
    expect(of('followers')).toMatchObject({ checked: 1, references: 5, dangling: 4 });
    expect(of('user-like')).toMatchObject({ checked: 1, references: 2, dangling: 1 });
    expect(of('publish')).toMatchObject({ references: 1, dangling: 0, partial: 1 });
    expect(of('follows-token')).toMatchObject({ checked: 0, references: 0 });
  });

  it('checks fields of records, with what leads back', { tags: ['long'] }, async () => {
    const { redis } = test;
    await user(1);
    await user(2);
    await redis.hset('video_5', { ID: 5, Author: '1' });
    await redis.hset('video_6', { ID: 6, Author: '3' });
    await redis.hset('video_7', { ID: 7, Author: '2' });
    await redis.hset('video_8', { ID: 8, Author: '' });
    await redis.sadd('publish_1', '5');
    await redis.sadd('publish_2', '5');
    await redis.zadd('video_comment_5', 1, '1', 2, '2', 3, '3', 4, '4');
    // The second names another video, the third none, the fourth is gone.
    await redis.hset('comment_1', { ID: 1, VideoId: '5', UserId: '1' });
    await redis.hset('comment_2', { ID: 2, VideoId: '6', UserId: '1' });
    await redis.hset('comment_3', { ID: 3, UserId: '77' });
    const videos = await check({ kind: 'video' });
    expect(videos).toMatchObject({
      checked: 5,
      references: 7,
      dangling: 2,
      oneSided: 2,
      oneSidedNotStored: 0,
    });
    expect(shown(videos.samples)).toEqual([
      ['dangling', 'video_6', '3', 'minidouyin.user is not stored'],
      ['dangling', 'video_comment_5', '4', 'minidouyin.comment is not stored'],
      ['oneSided', 'video_7', '2', 'not in its published'],
      ['oneSided', 'video_comment_5', '2', 'not in its video'],
    ]);
    const published = await check({ family: 'minidouyin.publish' });
    expect(published).toMatchObject({ checked: 2, references: 2, dangling: 0, oneSided: 1 });
    const comments = await check({ family: 'minidouyin.comment' });
    expect(comments).toMatchObject({
      checked: 3,
      references: 5,
      dangling: 1,
      oneSided: 1,
      oneSidedNotStored: 1,
    });
  });

  it('reads lists, sorted sets and JSON arrays, and several sources of one relation', {
    tags: ['long'],
  }, async () => {
    const { redis } = test;
    await redis.hset('user:u1', { username: 'anna' });
    await redis.hset('activity:a1', { title: 'x' });
    await redis.rpush('activity:u1:in', 'a1', 'a2', 'a1');
    await redis.zadd('activity:u2:in', 1, 'a1', 2, 'a3');
    await redis.sadd('activity:a1:participants', 'u1', 'u3');
    const joined = await check({ family: 'qianxun.activity-in' });
    // A list may name one twice; u2 is not among the participants.
    expect(joined).toMatchObject({
      checked: 2,
      references: 5,
      dangling: 2,
      oneSided: 1,
      oneSidedNotStored: 0,
    });
    await redis.set('author:id:1', '{"id":1}');
    await redis.set('author:2', '{"id":2}');
    await redis.set('author:followers:1', '[2,3,{"id":1},"x",null]');
    await redis.set('author:follows-authors:2', '[1]');
    const authors = await check({ family: 'discours.author-followers' });
    expect(authors).toMatchObject({
      checked: 1,
      references: 5,
      dangling: 3,
      oneSided: 1,
      oneSidedNotStored: 1,
    });
    // Beyond 2^53 JavaScript's numbers cannot tell neighbours apart.
    const [author, neighbour, gone] = ['1189723456789012481', '1189723456789012700', '1189723456789012482'];
    await redis.set(`author:id:${author}`, `{"id":${author}}`);
    await redis.set(`author:id:${neighbour}`, `{"id":${neighbour}}`);
    await redis.set('author:followers:1', `[${author},{"id":${neighbour}},${gone}]`);
    const long = await check({ family: 'discours.author-followers' });
    expect(long).toMatchObject({ references: 3, dangling: 1 });
    // Both orders of a pair, under both names.
    await redis.hset('content_1', { ID: 1 });
    await redis.hset('msg_2', { ID: 2 });
    await redis.zadd('chatrec_1_4', 1, '1', 2, '2', 3, '3');
    await redis.zadd('chatrec_4_1', 1, '1');
    await redis.zadd('msgRecord_10_9', 5, '5');
    const chats = await check({ kind: 'minidouyin.chat' });
    expect(chats).toMatchObject({ checked: 3, references: 5, dangling: 2, oneSided: 0 });
  });

  it('follows keys that are named by user name and password, and shows nothing of them', async () => {
    const { redis } = test;
    for (const id of [1, 2, 3]) await user(id, { FollowCount: 3 });
    await redis.hset('name1pass1', { ID: 1, Username: 'name1', Passwd: 'pass1' });
    await redis.sadd('follows_name1pass1', '2', '3');
    await redis.sadd('followers_2', '1');
    const result = await check({ kind: 'minidouyin.user' });
    // 1 → 3 lacks 1; 2 is followed by 1, whose follows are under the other name.
    expect(result).toMatchObject({ checked: 2, references: 3, dangling: 0, oneSided: 1, partial: 1 });
    const { auditId, ...shownResult } = result;
    const entry = await findEntry(store(), auditId);
    expect(JSON.stringify([shownResult, entry])).not.toMatch(/pass1|name1/);
    const id = Buffer.from('follows_name1pass1').toString('base64url');
    expect(JSON.stringify(shownResult)).not.toContain(id);
  });

  it('says of what type keys are instead, and goes on', async () => {
    const { redis } = test;
    await user(1);
    await redis.hset('followers_1', { a: '1' });
    await redis.set('followers_2', 'text');
    await redis.sadd('followers_3', '1');
    await redis.sadd('comment_1', '1');
    const result = await check({ family: 'minidouyin.followers' });
    expect(result).toMatchObject({ checked: 3, references: 1, wrongType: 2, dangling: 0, complete: true });
    expect(shown(result.samples).slice(-2)).toEqual([
      ['wrongType', 'followers_1', null, 'a hash'],
      ['wrongType', 'followers_2', null, 'a string that is no JSON array'],
    ]);
    expect(await check({ family: 'minidouyin.comment' })).toMatchObject({ checked: 1, wrongType: 1 });
  });

  it('takes members of any bytes and length, and stores no secret of them', { tags: ['long'] }, async () => {
    const { redis } = test;
    await user(1);
    const long = 'x'.repeat(10_000);
    await redis.sadd('followers_1', Buffer.from([0xff, 0xfe, 0x00]), long, JWT, '<b>*?[', '');
    await redis.hset(`user:${long}`, { username: 'long' });
    await redis.sadd('groups:u1:a:b|c', long, 'a*b', 'u_1|2', '🐟');
    await redis.sadd(`groups:u1:${'g'.repeat(9000)}`, 'u9');
    const followers = await check({ family: 'minidouyin.followers' });
    expect(followers).toMatchObject({ references: 5, dangling: 5 });
    expect(JSON.stringify(followers)).not.toContain('aB3aB3');
    const groups = await check({ family: 'qianxun.groups' });
    expect(groups).toMatchObject({ checked: 2, references: 5, dangling: 4 });
    expect(JSON.stringify([followers, groups]).length).toBeLessThan(8000);
    // Of a large collection long members are cut: too long to look up is not gone.
    const many = Array.from({ length: 300 }, (_, i) => `u${i}`);
    await redis.sadd('groups:u2:many', ...many, long);
    expect(await check({ family: 'qianxun.groups' })).toMatchObject({ references: 306, dangling: 304 });
  });

  it('keeps at most 20 examples of each problem, and counts all', { tags: 'long' }, async () => {
    const ids = Array.from({ length: 2500 }, (_, i) => `${i + 10}`);
    await test.redis.sadd('followers_1', ...ids, ...ids);
    await test.redis.zadd('friendlist_1', ...ids.flatMap((id) => [id, id]));
    await test.redis.rpush('friendlist_2', ...ids);
    const result = await check({ kind: 'minidouyin.user' });
    expect(result).toMatchObject({ checked: 3, references: 7500, dangling: 7500 });
    expect(result.samples).toHaveLength(20);
  });

  it('checks a family that no entity names by what the catalog says of its members', async () => {
    await test.redis.sadd('onlines', 'u1', 'u2');
    await test.redis.hset('user:u1', { username: 'anna' });
    const result = await check({ family: 'qianxun.onlines' });
    expect(result).toMatchObject({ checked: 1, references: 2, dangling: 1, oneSided: 0 });
    expect(result.samples[0]).toMatchObject({ member: 'u2', entity: null });
  });

  it('changes nothing', async () => {
    await user(1);
    await test.redis.sadd('followers_1', '1', '2');
    await test.redis.config('RESETSTAT');
    await check({ kind: 'minidouyin.user' });
    const commands = (await test.redis.info('commandstats')).match(/cmdstat_[a-z_|]+/g) ?? [];
    expect(commands).toContain('cmdstat_sscan');
    expect(
      commands.filter((name) => /_(s?add|set|del|unlink|expire|hset|eval|keys|smembers)$/.test(name)),
    ).toEqual([]);
  });
});

describe('a check that does not come to its end', () => {
  const many = async (): Promise<void> => {
    const pipeline = test.redis.pipeline();
    for (let i = 0; i < 3000; i++) pipeline.sadd(`followers_${i}`, '9999');
    await pipeline.exec();
  };

  it('says what it had counted when it is cancelled', { tags: 'long' }, async () => {
    await many();
    const slow = connections().get('main')!;
    slow.budget = new ScanBudget({ chunk: 50, pauseMs: 5, maxAddedLatencyMs: 1000 });
    runner = startRunner(store());
    const { jobId } = await request({ family: 'minidouyin.followers' });
    await expect.poll(async () => (await recordOf(jobId)).done, { timeout: 10_000 }).toBeGreaterThan(300);
    const call = { actor: users.product, requestId: 'r', connection: null, raw: { jobId } };
    await runCommand(cancelJob, call);
    await expect.poll(async () => (await recordOf(jobId)).state, { timeout: 10_000 }).toBe('cancelled');
    const result = checkResult.parse((await recordOf(jobId)).result);
    expect(result.complete).toBe(false);
    expect(result.dangling).toBeGreaterThan(0);
    expect(result.checked).toBeLessThan(3000);
  });
});

describe('what is refused', () => {
  it.each([
    [{}, 'Give a family or a kind'],
    [{ family: 'minidouyin.follows', kind: 'user' }, 'not both'],
    [{ family: 'minidouyin.none' }, 'minidouyin.follows'],
    [{ kind: 'none' }, 'video'],
    [{ family: 'qianxun.interests' }, 'words'],
    [{ family: 'discours.shouts' }, 'no entity'],
    [{ kind: 'minidouyin.friendship' }, 'no relation'],
  ])('%j', async (raw, message) => {
    const problem = await problemOf(request(raw));
    expect(problem).toMatchObject({ status: 400 });
    expect(problem.message).toContain(message);
  });

  it('without the permission', async () => {
    for (const role of ['support', 'viewer'] as const)
      expect(await problemOf(request({ kind: 'video' }, role))).toMatchObject({ status: 403 });
  });

  it('twice at the same time, however the kind is written', async () => {
    await request({ kind: 'video' });
    expect(await problemOf(request({ kind: 'minidouyin.video' }))).toMatchObject({ status: 409 });
  });
});
