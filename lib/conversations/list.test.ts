import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseInput } from '@/lib/command/validate';
import { ScanBudget } from '@/lib/redis/budget';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { listConversations } from './list';
import { type ConversationRow, conversationContracts } from './schema';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['qianxun', 'minidouyin'] });
  test.handle.budget = new ScanBudget({ chunk: 100, pauseMs: 0, maxAddedLatencyMs: 1000 });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const START = 1_693_390_000;

const page = async (raw: object) =>
  conversationContracts.list.result.parse(
    await listConversations(test.ctx, parseInput(conversationContracts.list, raw)),
  );
const rows = async (raw: object = {}): Promise<ConversationRow[]> => {
  const found: ConversationRow[] = [];
  for (let cursor: string | undefined; ; ) {
    const { items, nextCursor } = await page({ ...raw, ...(cursor && { cursor }) });
    found.push(...items);
    if (nextCursor === null) return found;
    cursor = nextCursor;
  }
};
const ids = async (raw: object = {}) =>
  (await rows(raw)).map(({ app, kind, id }) => `${app}.${kind} ${id}`).sort();

const fill = async (): Promise<void> => {
  const { redis } = test;
  await redis.hset('user:u1', { nickname: 'Ann' });
  await redis.hset('4', { ID: '4', Username: 'toni', Nickname: 'Toni', Passwd: '123456' });
  await redis.rpush('message:u1:u2', `${START}|a`, `${START + 3600}|c`);
  await redis.rpush('message:u2:u1', `${START + 1800}|b`);
  await redis.rpush('message:u3:u3', `${START}|note`);
  await redis.rpush('topic:9:摄影', `Bob|${START}|x`);
  await redis.rpush('chatgrp:u1:msg:a:b', `Bob|${START}|x`, `Bob|${START + 60}|y`);
  await redis.sadd('chatgrp:u1:list:a:b', 'u1', 'u2', 'u70');
  await redis.hset('content_7', {
    ID: '7',
    FromID: '4',
    ToID: '1',
    Content: 'hi',
    CreateTime: `${START}000`,
  });
  await redis.zadd('chatrec_1_4', 7, '7');
  await redis.zadd('chatrec_4_1', 8, '8');
  await redis.zadd('msgRecord_1_4', 9, '9');
  await redis.expire('chatrec_1_4', 100);
  await redis.expire('chatrec_4_1', 200);
};

describe('the list of conversations', () => {
  it('has each conversation once, whatever keys it has', async () => {
    await fill();
    expect(await ids()).toEqual([
      'minidouyin.chat 1_4',
      'qianxun.chat u1:u2',
      'qianxun.chat u3:u3',
      'qianxun.chat-group u1:a:b',
      'qianxun.room 9:摄影',
    ]);
    expect(await ids({ limit: 1 })).toHaveLength(5);
    expect(await ids({ kind: 'room' })).toEqual(['qianxun.room 9:摄影']);
    expect(await ids({ kind: 'minidouyin.chat' })).toEqual(['minidouyin.chat 1_4']);
    expect(await ids({ kind: 'chat' })).toHaveLength(3);
  });

  it('tells members, messages, the latest of them and when it expires', async () => {
    await fill();
    const byId = new Map((await rows()).map((row) => [row.id, row]));
    expect(byId.get('u1:u2')).toMatchObject({
      title: 'Ann · u2',
      linkable: true,
      members: 2,
      messages: 3,
      perHour: 2,
      ttlSeconds: null,
      latest: { content: 'c', sender: 'u1', senderRef: { id: 'u1', title: 'Ann' } },
    });
    expect(byId.get('u3:u3')).toMatchObject({ members: 1, messages: 1, perHour: null });
    expect(byId.get('u1:a:b')).toMatchObject({
      title: 'a:b',
      members: 3,
      messages: 2,
      perHour: 60,
      latest: { content: 'y', sender: 'Bob', senderRef: null },
    });
    expect(byId.get('9:摄影')).toMatchObject({ title: '摄影', members: null, messages: 1, problem: null });
    const chat = byId.get('1_4');
    expect(chat).toMatchObject({ title: '1 · Toni', members: 2, messages: 3, problem: null });
    expect(chat!.ttlSeconds).toBeGreaterThan(0);
    expect(chat!.ttlSeconds).toBeLessThanOrEqual(100);
  });

  it('is filtered by id, name and member, as literal text', async () => {
    await fill();
    expect(await ids({ q: 'U1:' })).toEqual(['qianxun.chat u1:u2', 'qianxun.chat-group u1:a:b']);
    expect(await ids({ q: 'ann' })).toEqual(['qianxun.chat u1:u2']);
    expect(await ids({ q: 'toni' })).toEqual(['minidouyin.chat 1_4']);
    expect(await ids({ q: 'u70' })).toEqual(['qianxun.chat-group u1:a:b']);
    expect(await ids({ q: 'u7' })).toEqual([]);
    expect(await ids({ q: '*' })).toEqual([]);
    expect(await ids({ q: '' })).toHaveLength(5);
  });

  it('reports keys of another type', async () => {
    await test.redis.set('message:u1:u2', 'x');
    await test.redis.sadd('topic:9:a', 'x');
    const found = await rows();
    expect(found).toHaveLength(2);
    for (const row of found)
      expect(row).toMatchObject({ messages: null, latest: null, perHour: null, problem: 'wrongType' });
  });

  it('shows long and odd ids', async () => {
    const name = `${'x'.repeat(10_000)}[*]`;
    await test.redis.rpush(`topic:9:${name}`, `Bob|${START}|x`);
    await test.redis.rpush('topic:9:<b>🎉 [*]?', `Bob|${START}|x`);
    await test.redis.rpush(Buffer.from([...Buffer.from('topic:9:'), 0xff]), 'x');
    const found = await rows();
    expect(found.map(({ linkable }) => linkable).sort()).toEqual([false, true]);
    const [short, long] = found.sort((a, b) => a.id.length - b.id.length);
    expect(short).toMatchObject({ id: '9:<b>🎉 [*]?', title: '<b>🎉 [*]?' });
    expect(long!.id.length).toBeLessThan(300);
    expect(long!.title.length).toBeLessThan(300);
  });

  it('finds few among many keys page by page', { tags: ['long'] }, async () => {
    await fill();
    const pipeline = test.redis.pipeline();
    for (let i = 0; i < 5000; i++) pipeline.set(`other:${i}`, 'x');
    await pipeline.exec();
    expect(await ids()).toHaveLength(5);
    expect(await page({ limit: 1 })).toMatchObject({ total: 5000 + 12 });
  });

  it('refuses other kinds', async () => {
    for (const kind of ['video', 'nothing', 'user'])
      expect((await problemOf(page({ kind }))).status).toBe(400);
  });
});
