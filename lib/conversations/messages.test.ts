import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseInput } from '@/lib/command/validate';
import { ScanBudget } from '@/lib/redis/budget';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { listMessages } from './reads';
import { conversationContracts, type Message } from './schema';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['qianxun', 'minidouyin'] });
  test.handle.budget = new ScanBudget({ chunk: 1000, pauseMs: 0, maxAddedLatencyMs: 1000 });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const START = Date.parse('2023-08-30T10:00:00Z');
const at = (minutes: number): string =>
  new Date(START + minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ');
const ms = (minutes: number): number => START + minutes * 60_000;

const CHAT = { kind: 'qianxun.chat', id: 'u1:u2' };
const ROOM = { kind: 'room', id: '9:摄影' };
const VIDEO_CHAT = { kind: 'minidouyin.chat', id: '1_4' };

const page = async (raw: object) =>
  conversationContracts.messages.result.parse(
    await listMessages(test.ctx, parseInput(conversationContracts.messages, raw)),
  );
const all = async (raw: object, between?: (page: number) => Promise<unknown>) => {
  const found: Message[] = [];
  let examined = 0;
  for (let [cursor, pages] = [undefined as string | undefined, 1]; ; pages++) {
    const read = await page({ ...raw, ...(cursor && { cursor }) });
    found.push(...read.items);
    examined += read.examined;
    if (read.nextCursor === null) return { items: found, pages, examined };
    cursor = read.nextCursor;
    await between?.(pages);
  }
};
const contents = (items: readonly Message[]) => items.map(({ content }) => content);

const storeMessage = (id: number, minutes: number, fields: Record<string, string> = {}, name = 'content') =>
  test.redis.hset(`${name}_${id}`, {
    ID: `${id}`,
    FromID: '1',
    ToID: '4',
    Content: `text ${id}`,
    CreateTime: `${ms(minutes)}`,
    ...fields,
  });

describe('direct messages', () => {
  it('merges both directions by time, latest first', async () => {
    await test.redis.hset('user:u1', { nickname: 'Ann' });
    await test.redis.rpush('message:u1:u2', `${at(0)}|hi`, `${at(2)}|a|b`, `${at(5)}|🎉 <b>x</b>`);
    await test.redis.rpush('message:u2:u1', `${at(1)}|hello`, `${at(4)}|ok`);
    const read = await page(CHAT);
    expect(read.items.map(({ at: time, sender, content }) => [time, sender, content])).toEqual([
      ['2023-08-30T10:05:00.000Z', 'u1', '🎉 <b>x</b>'],
      ['2023-08-30T10:04:00.000Z', 'u2', 'ok'],
      ['2023-08-30T10:02:00.000Z', 'u1', 'a|b'],
      ['2023-08-30T10:01:00.000Z', 'u2', 'hello'],
      ['2023-08-30T10:00:00.000Z', 'u1', 'hi'],
    ]);
    expect(read).toMatchObject({ messages: 5, examined: 5, nextCursor: null, perHour: 48, problem: null });
    const ann = { kind: 'user', app: 'qianxun', id: 'u1', title: 'Ann', exists: true, linkable: true };
    expect(read.items[0]!.senderRef).toMatchObject(ann);
    expect(read.items[1]!.senderRef).toMatchObject({ id: 'u2', title: null, exists: false });
    expect(read.members).toMatchObject([ann, { id: 'u2' }]);
  });

  it('accepts the id in either order', async () => {
    await test.redis.rpush('message:u2:u1', `${at(1)}|hello`);
    expect(contents((await page({ ...CHAT, id: 'u2:u1' })).items)).toEqual(['hello']);
  });

  it('reads messages to oneself once', async () => {
    await test.redis.rpush('message:u1:u1', `${at(1)}|note`);
    const read = await page({ ...CHAT, id: 'u1:u1' });
    expect(contents(read.items)).toEqual(['note']);
    expect(read).toMatchObject({ messages: 1, members: [{ id: 'u1' }] });
  });

  it('finds the newest end of a list that grows at its head', async () => {
    await test.redis.lpush('message:u1:u2', ...Array.from({ length: 12 }, (_, i) => `${at(i)}|${i}`));
    const { items } = await all({ ...CHAT, limit: 5 });
    expect(contents(items)).toEqual(Array.from({ length: 12 }, (_, i) => `${11 - i}`));
  });

  it('says what is wrong with a message', async () => {
    await test.redis.rpush('message:u1:u2', `${at(0)}|first`, 'no separator', 'yesterday|later', '|', '');
    const read = await page(CHAT);
    expect(read.items.map(({ problem, time, content }) => [problem, time, content])).toEqual([
      ['noSeparator', null, ''],
      ['noTime', '', ''],
      ['noTime', 'yesterday', 'later'],
      ['noSeparator', null, 'no separator'],
      [null, at(0), 'first'],
    ]);
  });

  it('reads a sorted set with times as scores', async () => {
    await test.redis.zadd('message:u1:u2', ms(1), 'bare text', ms(0), `${at(0)}|first`);
    const { items } = await page(CHAT);
    expect(items.map(({ at: time, content }) => [time, content])).toEqual([
      ['2023-08-30T10:01:00.000Z', 'bare text'],
      ['2023-08-30T10:00:00.000Z', 'first'],
    ]);
  });

  it('shows other bytes escaped, and cuts long messages', async () => {
    const odd = Buffer.concat([Buffer.from(`${at(0)}|a`), Buffer.from([0xff, 0x00]), Buffer.from('b')]);
    await test.redis.rpush(
      'message:u1:u2',
      odd,
      `${at(1)}|${'é'.repeat(4000)}`,
      `${at(2)}|${'x'.repeat(50_000)}`,
    );
    const { items } = await page(CHAT);
    expect(items[2]).toMatchObject({
      content: 'a\\xff\\x00b',
      truncated: false,
      at: '2023-08-30T10:00:00.000Z',
    });
    expect(items[1]).toMatchObject({ content: 'é'.repeat(1024), truncated: true });
    expect(items[0]).toMatchObject({ truncated: true, content: 'x'.repeat(2048) });
  });

  it('masks secrets as the key inspector does', async () => {
    const token = 'eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyX2lkIjo0Mn0.Zq7pXv2mLr9tKw1Zq7pXv2mLr9t';
    await test.redis.rpush('message:u1:u2', `${at(0)}|take ${token}`, `${at(1)}|{"password":"a|b"}`);
    const text = JSON.stringify(await page(CHAT));
    expect(text).not.toContain(token);
    expect(text).not.toContain('a|b');
    expect(text).toContain('•••');
    expect((await page({ ...CHAT, q: 'Zq7pXv2m' })).items).toEqual([]);
  });

  it('reports a key of another type, and reads the other', async () => {
    await test.redis.set('message:u1:u2', 'x');
    await test.redis.rpush('message:u2:u1', `${at(1)}|hello`);
    expect(await page(CHAT)).toMatchObject({
      messages: 1,
      problem: 'wrongType',
      items: [{ content: 'hello' }],
    });
    await test.redis.del('message:u2:u1');
    expect(await page(CHAT)).toMatchObject({ messages: null, problem: 'wrongType', items: [] });
  });

  it('knows a conversation without messages', async () => {
    expect(await page(CHAT)).toMatchObject({ messages: 0, items: [], nextCursor: null, perHour: null });
  });

  it('refuses other kinds and ids', async () => {
    expect((await problemOf(page({ kind: 'nothing', id: '1' }))).status).toBe(400);
    expect((await problemOf(page({ ...CHAT, id: 'u1' }))).status).toBe(400);
    expect((await page({ kind: 'video', id: '4' })).items).toEqual([]);
    expect((await problemOf(page({ ...CHAT, cursor: 'abc' }))).status).toBe(400);
  });
});

describe('rooms', () => {
  it('reads nickname, time and content', async () => {
    const id = 'u1:climbing: the | club';
    await test.redis.rpush(
      'chatgrp:u1:msg:climbing: the | club',
      `Ann|${at(0)}|up?`,
      `Bob | the one|${at(1)}|a|b`,
      'broken',
    );
    await test.redis.sadd('chatgrp:u1:list:climbing: the | club', 'u1', 'u2');
    const read = await page({ kind: 'chat-group', id });
    expect(read.items.map(({ sender, content, senderRef }) => [sender, content, senderRef])).toEqual([
      [null, 'broken', null],
      ['Bob | the one', 'a|b', null],
      ['Ann', 'up?', null],
    ]);
    expect(read.members.map((one) => one.id).sort()).toEqual(['u1', 'u2']);
  });

  it('searches content and sender without case, as literal text', async () => {
    const lines = [
      `Ann|${at(0)}|100% [sure]*`,
      `Bob|${at(1)}|HELLO Ann`,
      `Ünal|${at(2)}|x`,
      `Cy|${at(3)}|.*`,
    ];
    await test.redis.rpush('topic:9:摄影', ...lines);
    const search = async (q: string) => contents((await page({ ...ROOM, q })).items);
    expect(await search('ann')).toEqual(['HELLO Ann', '100% [sure]*']);
    expect(await search('[SURE]*')).toEqual(['100% [sure]*']);
    expect(await search('.*')).toEqual(['.*']);
    expect(await search('ünal')).toEqual(['x']);
    expect(await search('2023')).toEqual([]);
  });
});

describe('messages with records', () => {
  it('reads both orders and both names as one conversation', async () => {
    await Promise.all([1, 2, 3].map((id) => storeMessage(id, id)));
    await storeMessage(4, 4, { FromID: '4', Content: '' }, 'msg');
    await test.redis.zadd('chatrec_1_4', 1, '1', 3, '3');
    await test.redis.zadd('chatrec_4_1', 2, '2');
    await test.redis.zadd('msgRecord_1_4', 4, '4');
    const read = await page(VIDEO_CHAT);
    expect(read.items.map(({ sender, content }) => [sender, content])).toEqual([
      ['4', ''],
      ['1', 'text 3'],
      ['1', 'text 2'],
      ['1', 'text 1'],
    ]);
    expect(read).toMatchObject({ messages: 4, perHour: 60, members: [{ id: '1' }, { id: '4' }] });
    expect((await page({ ...VIDEO_CHAT, id: '4_1' })).items).toHaveLength(4);
  });

  it('reads members that are texts, with the time of their score', async () => {
    await test.redis.zadd('chatrec_1_4', ms(0), 'an old | message', ms(1), 'a new one');
    const { items } = await page(VIDEO_CHAT);
    expect(items.map(({ content, at: time, problem }) => [content, time, problem])).toEqual([
      ['a new one', '2023-08-30T10:01:00.000Z', null],
      ['an old | message', '2023-08-30T10:00:00.000Z', null],
    ]);
  });

  it.skipIf(IS_REDIS_6)('reads the time of a row of the table', async () => {
    const { redis } = test;
    const row = { ID: '1', FromID: '1', ToID: '4', Content: 'x' };
    await redis.hset('content_1', { ...row, CreatedAt: '2023-08-30T18:01:00.123456789+08:00' });
    await redis.hset('content_2', { ...row, Content: 'y'.repeat(20_000), CreatedAt: `${ms(2)}` });
    await redis.zadd('chatrec_1_4', 1, '1', 2, '2');
    const { items } = await page(VIDEO_CHAT);
    expect(items.map(({ at: time, problem }) => [time, problem])).toEqual([
      ['2023-08-30T10:02:00.000Z', null],
      ['2023-08-30T10:01:00.123Z', null],
    ]);
  });

  it('says what is wrong with a record', async () => {
    await storeMessage(1, 1, { CreateTime: 'noon' });
    await test.redis.hset('content_2', { ID: '2' });
    await test.redis.set('content_3', 'text');
    await storeMessage(5, 5);
    await test.redis.zadd('chatrec_1_4', 1, '1', 2, '2', 3, '3', 4, '4', 5, '5');
    const { items } = await page(VIDEO_CHAT);
    expect(items.map(({ problem, content, time }) => [problem, content, time])).toEqual([
      [null, 'text 5', `${ms(5)}`],
      ['missing', null, null],
      ['unreadable', null, null],
      ['unreadable', null, null],
      ['noTime', 'text 1', 'noon'],
    ]);
  });

  it.skipIf(IS_REDIS_6)('reads the beginning of a long record', async () => {
    await storeMessage(1, 1, { Content: `hey ${'x'.repeat(100_000)}` });
    await test.redis.zadd('chatrec_1_4', 1, '1');
    const { items } = await page(VIDEO_CHAT);
    expect(items[0]).toMatchObject({ sender: '1', truncated: true, content: `hey ${'x'.repeat(2044)}` });
    expect((await page({ ...VIDEO_CHAT, q: 'HEY' })).items).toHaveLength(1);
  });
});

it('links no sender that is masked, cut or no text', async () => {
  const sender = (id: number, value: string | Buffer) =>
    test.redis.hset(`content_${id}`, 'FromID', value as string);
  for (const id of [1, 2, 3, 4]) await storeMessage(id, id);
  await sender(1, '4:x');
  await sender(2, Buffer.from([0x34, 0xff]));
  await sender(3, '4'.repeat(5000));
  await test.redis.zadd('chatrec_1_4', 1, '1', 2, '2', 3, '3', 4, '4');
  const { items } = await page(VIDEO_CHAT);
  expect(items.map(({ senderRef }) => senderRef?.id ?? null)).toEqual(['1', null, null, null]);
  expect(items[2]!.sender).toBe('4\\xff');
});

describe('pages', () => {
  const fill = async (count: number): Promise<void> => {
    const lines = Array.from({ length: count }, (_, i) => `${at(i)}|${i}`);
    await test.redis.rpush('message:u1:u2', ...lines.filter((_, i) => i % 3 > 0));
    await test.redis.lpush('message:u2:u1', ...lines.filter((_, i) => i % 3 === 0));
  };
  const down = (from: number) => Array.from({ length: from }, (_, i) => `${from - 1 - i}`);

  it('have each message once while new ones arrive at both ends', { tags: ['long'] }, async () => {
    await fill(90);
    const { items, pages } = await all({ ...CHAT, limit: 7 }, async (n) => {
      await test.redis.rpush('message:u1:u2', `${at(1000 + n)}|new`);
      await test.redis.lpush('message:u2:u1', `${at(1000 + n)}|new`);
    });
    expect(contents(items)).toEqual(down(90));
    expect(pages).toBe(13);
  });

  it('continue when messages that were shown, or are next, are deleted', async () => {
    await fill(30);
    const { items } = await all({ ...CHAT, limit: 10 }, async (n) => {
      if (n === 1) await test.redis.lrem('message:u1:u2', 0, `${at(20)}|20`);
      if (n === 2) await test.redis.lrem('message:u2:u1', 0, `${at(9)}|9`);
    });
    expect(contents(items)).toEqual(down(30).filter((one) => one !== '9'));
  });

  it('continue when the list is trimmed at its old end', async () => {
    await test.redis.rpush(
      'message:u1:u2',
      ...down(60)
        .reverse()
        .map((n) => `${at(Number(n))}|${n}`),
    );
    const { items } = await all({ ...CHAT, limit: 20 }, async (n) => {
      if (n === 1) await test.redis.ltrim('message:u1:u2', 15, -1);
    });
    expect(contents(items)).toEqual(down(60).slice(0, 45));
  });

  it('are refused with 410 when their place is gone', async () => {
    await fill(60);
    const { nextCursor } = await page({ ...CHAT, limit: 20 });
    await test.redis.ltrim('message:u1:u2', -5, -1);
    expect(await problemOf(page({ ...CHAT, cursor: nextCursor }))).toMatchObject({ code: 'cursor_expired' });
    await test.redis.del('message:u1:u2', 'message:u2:u1');
    expect(await problemOf(page({ ...CHAT, cursor: nextCursor }))).toMatchObject({ code: 'cursor_expired' });
  });

  it('do not accept the cursor of another conversation', async () => {
    await fill(30);
    const { nextCursor } = await page({ ...CHAT, limit: 5 });
    await test.redis.rpush('message:u3:u4', `${at(0)}|x`, `${at(1)}|y`);
    const other = page({ ...CHAT, id: 'u3:u4', cursor: nextCursor });
    expect(await problemOf(other)).toMatchObject({ code: 'cursor_expired' });
  });
});

describe('a million messages', () => {
  const COUNT = 1_000_000;
  /** A thousand messages in each call; only the last of them differ from each other. */
  const FILL = `
    local batch = {}
    for i = 1, 1000 do batch[i] = 'nick|1600000000|an early message' end
    for from = 1, ${COUNT}, 1000 do
      if from > ${COUNT - 5000} then
        for i = 1, 1000 do batch[i] = 'nick|' .. (1600000000 + from + i) .. '|message ' .. (from + i - 1) end
      end
      redis.call('RPUSH', KEYS[1], unpack(batch))
    end`;
  const fill = () => test.redis.eval(FILL, 1, 'topic:9:摄影');

  it('are paged and searched a bounded number at a time', { tags: ['long'] }, async () => {
    await fill();
    const first = await page({ ...ROOM, limit: 50 });
    expect(first).toMatchObject({ messages: COUNT, examined: 50, perHour: 3600 });
    expect(first.items[0]).toMatchObject({ content: `message ${COUNT}`, sender: 'nick' });
    const second = await page({ ...ROOM, limit: 50, cursor: first.nextCursor });
    expect(second.items[0]!.content).toBe(`message ${COUNT - 50}`);
    const none = await page({ ...ROOM, q: 'no such words' });
    expect(none.items).toEqual([]);
    expect(none.examined).toBeGreaterThan(0);
    expect(none.examined).toBeLessThanOrEqual(20_000);
    expect(none.nextCursor).not.toBeNull();
    const { items } = await page({ ...ROOM, q: `MESSAGE ${COUNT - 70}` });
    expect(contents(items)).toEqual([`message ${COUNT - 70}`]);
    const next = await page({ ...ROOM, q: 'message', limit: 1, cursor: none.nextCursor });
    const [, place] = next.items[0]!.id.split('.');
    expect(Number(place)).toBe(COUNT - none.examined - 1);
  });
});
