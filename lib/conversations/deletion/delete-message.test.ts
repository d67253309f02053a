import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listEntries } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { readUndo } from '@/lib/command/undo-record';
import { parseInput } from '@/lib/command/validate';
import type { Result } from '@/lib/contract';
import { deleteKeyCommand } from '@/lib/keys/commands/delete';
import { keyId } from '@/lib/keyspace/display';
import { type ConnectionHandle, openConnection } from '@/lib/redis/connections';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { listMessages } from '../reads';
import { conversationContracts, type Message } from '../schema';
import { deleteMessageCommand } from './delete-message';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['qianxun', 'minidouyin'] });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const START = 1_693_390_000;
const CHAT = { kind: 'qianxun.chat', id: 'u1:u2' };
const VIDEO_CHAT = { kind: 'minidouyin.chat', id: '1_4' };
const LIST = 'message:u1:u2';
const ZSET = 'chatrec_1_4';

const line = (n: number): string => `${START + n}|message ${n}`;
const lines = (count: number): string[] => Array.from({ length: count }, (_, i) => line(i));

const read = async (of: object): Promise<Message[]> =>
  (await listMessages(test.ctx, parseInput(conversationContracts.messages, of))).items;
const idOf = async (of: object, content: string): Promise<string> =>
  (await read(of)).find((message) => message.content === content)!.id;

type Deleted = Result<typeof conversationContracts.deleteMessage>;
const send = (
  of: object,
  messageId: string,
  { role = 'admin' as 'admin' | 'product', connection = test.handle, ...more } = {},
) =>
  runCommand(deleteMessageCommand, {
    actor: testActor(role),
    requestId: randomUUID(),
    connection,
    raw: { ...of, messageId, ...more },
  }) as Promise<Deleted>;
const remove = async (of: object, content: string) => send(of, await idOf(of, content));
const undo = async ({ auditId }: Deleted) =>
  deleteMessageCommand.undo!(test.as({}), (await readUndo(test.ctx.store, auditId))!);

const storeRecord = (id: number, content = `text ${id}`) =>
  test.redis.hset(`content_${id}`, {
    ID: `${id}`,
    FromID: '1',
    ToID: '4',
    Content: content,
    CreateTime: `${START + id}000`,
  });

describe('a message of a list', () => {
  it('is deleted, and restored at its place', async () => {
    await test.redis.rpush(LIST, ...lines(5));
    await test.redis.expire(LIST, 1000);
    const done = await remove(CHAT, 'message 2');
    expect(done).toMatchObject({ deleted: true, messages: 4, undoUntil: expect.any(String) });
    expect(await test.redis.lrange(LIST, 0, -1)).toEqual(lines(5).filter((one) => one !== line(2)));
    expect(await undo(done)).toEqual({ undone: 1, conflicts: [] });
    expect(await test.redis.lrange(LIST, 0, -1)).toEqual(lines(5));
    expect(await test.redis.ttl(LIST)).toBeGreaterThan(900);
  });

  it('is found among long ones, of which few are read at once', { tags: ['long'] }, async () => {
    const long = (n: number) => `${line(n)} ${'x'.repeat(2 ** 20)}`;
    for (let n = 0; n < 30; n++) await test.redis.rpush(LIST, long(n));
    const found: Message[] = [];
    for (let cursor: string | undefined; ; ) {
      const input = { ...CHAT, ...(cursor && { cursor }) };
      const page = await listMessages(test.ctx, parseInput(conversationContracts.messages, input));
      found.push(...page.items);
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(found.map(({ content }) => content?.split(' ')[1])).toEqual(lines(30).map((_, i) => `${29 - i}`));
    expect(await send(CHAT, found[9]!.id)).toMatchObject({ deleted: true, messages: 29 });
    expect(await test.redis.lindex(LIST, 20)).toBe(long(21));
  });

  it('is found when others have arrived at either end', { tags: ['long'] }, async () => {
    await test.redis.lpush(LIST, ...lines(300));
    const messageId = await idOf({ ...CHAT, limit: 1000 }, 'message 150');
    await test.redis.lpush(LIST, ...Array.from({ length: 250 }, (_, i) => line(1000 + i)));
    expect(await send(CHAT, messageId)).toMatchObject({ deleted: true, messages: 549 });
    expect(await test.redis.lpos(LIST, line(150))).toBeNull();
    expect(await test.redis.llen(LIST)).toBe(549);
  });

  it('is deleted once while others arrive', async () => {
    await test.redis.lpush(LIST, ...lines(50));
    const messageId = await idOf(CHAT, 'message 25');
    let isOver = false;
    let pushed = 0;
    const pushing = (async () => {
      for (; !isOver; pushed++) await test.redis.lpush(LIST, line(100 + pushed));
    })();
    const done = await send(CHAT, messageId).finally(() => {
      isOver = true;
    });
    await pushing;
    expect(done.deleted).toBe(true);
    expect(await test.redis.llen(LIST)).toBe(49 + pushed);
    expect(await test.redis.lpos(LIST, line(25))).toBeNull();
  });

  it('of several equal ones is one', async () => {
    await test.redis.rpush(LIST, line(1), line(1), line(2), line(1));
    expect(await remove(CHAT, 'message 1')).toMatchObject({ deleted: true, messages: 3 });
    expect(await test.redis.lrange(LIST, 0, -1)).toEqual([line(1), line(1), line(2)]);
  });

  it('is restored between its neighbours after others arrived', async () => {
    await test.redis.rpush(LIST, ...lines(5));
    await test.redis.lpush('message:u2:u1', ...lines(5));
    const newest = await remove(CHAT, 'message 4');
    await test.redis.rpush(LIST, line(10), line(11));
    await test.redis.lpush('message:u2:u1', line(10), line(11));
    expect(await undo(newest)).toEqual({ undone: 1, conflicts: [] });
    const all = [...lines(5), line(10), line(11)];
    expect(await test.redis.lrange(LIST, 0, -1)).toEqual(all);
    const middle = await send(
      CHAT,
      (await read(CHAT)).find(({ content, sender }) => sender === 'u2' && content === 'message 2')!.id,
    );
    await test.redis.lpush('message:u2:u1', line(12));
    expect(await undo(middle)).toEqual({ undone: 1, conflicts: [] });
    expect(await test.redis.lrange('message:u2:u1', 0, -1)).toEqual([line(12), ...all.reverse()]);
  });

  it('that was the oldest or the newest is restored in a list trimmed elsewhere', async () => {
    await test.redis.lpush(LIST, ...lines(5));
    const newest = await remove(CHAT, 'message 4');
    await test.redis.lpush(LIST, line(9));
    await test.redis.ltrim(LIST, 0, -2);
    expect(await undo(newest)).toEqual({ undone: 1, conflicts: [] });
    expect(await test.redis.lrange(LIST, 0, -1)).toEqual([9, 4, 3, 2, 1].map(line));
    const oldest = await remove(CHAT, 'message 1');
    await test.redis.lpush(LIST, line(12));
    expect(await undo(oldest)).toEqual({ undone: 1, conflicts: [] });
    expect(await test.redis.lrange(LIST, 0, -1)).toEqual([12, 9, 4, 3, 2, 1].map(line));
  });

  it('is not restored where its neighbours are gone, or the list is another', async () => {
    await test.redis.rpush(LIST, ...lines(5));
    const done = await remove(CHAT, 'message 2');
    await test.redis.lrem(LIST, 1, line(1));
    const { undone, conflicts } = await undo(done);
    expect(undone).toBe(0);
    expect(conflicts).toEqual([{ what: 'message:u1:u2', why: expect.any(String) }]);
    await test.redis.del(LIST);
    await test.redis.set(LIST, 'x');
    expect(await undo(done)).toMatchObject({ undone: 0, conflicts: [{}] });
  });

  it('that was the only one is restored with its key', async () => {
    await test.redis.rpush(LIST, line(1));
    await test.redis.expire(LIST, 1000);
    const done = await remove(CHAT, 'message 1');
    expect(done).toMatchObject({ deleted: true, messages: 0 });
    expect(await undo(done)).toEqual({ undone: 1, conflicts: [] });
    expect(await test.redis.lrange(LIST, 0, -1)).toEqual([line(1)]);
    expect(await test.redis.ttl(LIST)).toBeGreaterThan(900);
  });

  it('of other bytes, or long, is deleted and restored exactly', { tags: 'long' }, async () => {
    const odd = Buffer.concat([Buffer.from(`${START}|<b>🎉`), Buffer.from([0xff, 0, 0x0a])]);
    const long = `${START + 1}|${'x'.repeat(100_000)}`;
    await test.redis.rpush(LIST, odd, long);
    const before = await test.redis.lrangeBuffer(LIST, 0, -1);
    for (const { id } of await read(CHAT)) {
      const done = await send(CHAT, id);
      expect(done).toMatchObject({ deleted: true, messages: 1 });
      expect(await undo(done)).toEqual({ undone: 1, conflicts: [] });
      expect(await test.redis.lrangeBuffer(LIST, 0, -1)).toEqual(before);
    }
  });

  it('that was changed, deleted or trimmed is refused with 412', async () => {
    await test.redis.rpush(LIST, ...lines(5));
    const messageId = await idOf(CHAT, 'message 2');
    await test.redis.lset(LIST, 2, `${START + 2}|message two`);
    expect(await problemOf(send(CHAT, messageId))).toMatchObject({ code: 'changed', status: 412 });
    await test.redis.del(LIST);
    expect((await problemOf(send(CHAT, messageId))).status).toBe(412);
    await test.redis.set(LIST, 'x');
    expect((await problemOf(send(CHAT, messageId))).status).toBe(412);
  });

  it('is not found by the id of another connection or another conversation', async () => {
    await test.redis.rpush(LIST, line(1));
    await test.redis.rpush('message:u3:u4', line(1));
    const messageId = await idOf(CHAT, 'message 1');
    expect((await problemOf(send({ ...CHAT, id: 'u3:u4' }, messageId))).status).toBe(412);
    for (const id of ['x', '9.0.', `7.0.${'x'.repeat(27)}`])
      expect((await problemOf(send(CHAT, id))).status).toBe(400);
    expect((await problemOf(send({ kind: 'video', id: '4' }, messageId))).status).toBe(400);
  });
});

describe('a message with a record', () => {
  const fill = async () => {
    await Promise.all([1, 2, 3].map((id) => storeRecord(id)));
    await test.redis.zadd(ZSET, 1, '1', 2, '2', 3, '3');
    await test.redis.expire('content_2', 1000);
  };

  it('is deleted with it, and both are restored', async () => {
    await fill();
    const before = await test.redis.hgetall('content_2');
    const done = await remove(VIDEO_CHAT, 'text 2');
    expect(done).toMatchObject({ deleted: true, messages: 2 });
    expect(await test.redis.zrange(ZSET, '0', '-1')).toEqual(['1', '3']);
    expect(await test.redis.exists('content_2')).toBe(0);
    expect(await undo(done)).toEqual({ undone: 2, conflicts: [] });
    expect(await test.redis.zscore(ZSET, '2')).toBe('2');
    expect(await test.redis.hgetall('content_2')).toEqual(before);
    expect(await test.redis.ttl('content_2')).toBeGreaterThan(900);
  });

  it('is refused with 412 when the record or the score was changed', async () => {
    await fill();
    const messageId = await idOf(VIDEO_CHAT, 'text 2');
    await test.redis.hset('content_2', 'Content', 'edited');
    expect((await problemOf(send(VIDEO_CHAT, messageId))).code).toBe('changed');
    await test.redis.hset('content_2', 'Content', 'text 2');
    await test.redis.zadd(ZSET, 7, '2');
    expect((await problemOf(send(VIDEO_CHAT, messageId))).code).toBe('changed');
    expect(await test.redis.exists('content_2')).toBe(1);
    expect(await test.redis.zcard(ZSET)).toBe(3);
  });

  it('says what could not be restored', async () => {
    await fill();
    const first = await remove(VIDEO_CHAT, 'text 1');
    await storeRecord(1, 'another');
    const again = await undo(first);
    expect(again).toMatchObject({
      undone: 1,
      conflicts: [{ what: 'content_1', why: expect.stringContaining('exists again') }],
    });
    expect(await test.redis.hget('content_1', 'Content')).toBe('another');
    expect(await test.redis.zscore(ZSET, '1')).toBe('1');
    const second = await remove(VIDEO_CHAT, 'text 3');
    await test.redis.zadd(ZSET, 99, '3');
    expect(await undo(second)).toMatchObject({ undone: 1, conflicts: [{ what: ZSET }] });
    expect(await test.redis.zscore(ZSET, '3')).toBe('99');
    expect(await test.redis.exists('content_3')).toBe(1);
  });

  it('whose record is gone, or is none, is taken out of the list', async () => {
    await test.redis.zadd(ZSET, 5, '5', START * 1000, 'just a text');
    const [text, missing] = await read(VIDEO_CHAT);
    const done = await send(VIDEO_CHAT, missing!.id);
    expect(done).toMatchObject({ deleted: true, messages: 1 });
    expect(await undo(done)).toEqual({ undone: 1, conflicts: [] });
    const other = await send(VIDEO_CHAT, text!.id);
    expect(other).toMatchObject({ deleted: true, messages: 1 });
    expect(await test.redis.zrange(ZSET, '0', '-1')).toEqual(['5']);
    expect(await undo(other)).toEqual({ undone: 1, conflicts: [] });
    expect(await test.redis.zscore(ZSET, 'just a text')).toBe(`${START * 1000}`);
  });
});

describe('who may delete a message', () => {
  const withConfig = (config: object): ConnectionHandle => ({
    ...test.handle,
    config: { ...test.handle.config, ...config },
  });

  it('are admins, on connections that accept changes', async () => {
    await test.redis.rpush(LIST, ...lines(2));
    const messageId = await idOf(CHAT, 'message 1');
    expect((await problemOf(send(CHAT, messageId, { role: 'product' }))).status).toBe(403);
    const readOnly = withConfig({ readOnly: true });
    expect((await problemOf(send(CHAT, messageId, { connection: readOnly }))).status).toBe(423);
    expect(await test.redis.llen(LIST)).toBe(2);
  });

  it('must confirm it in production', async () => {
    await test.redis.rpush(LIST, ...lines(2));
    const messageId = await idOf(CHAT, 'message 1');
    const connection = withConfig({ environment: 'production' });
    expect((await problemOf(send(CHAT, messageId, { connection }))).code).toBe('confirmation_required');
    const confirm = connection.config.id;
    expect(await send(CHAT, messageId, { connection, confirm } as object)).toMatchObject({ deleted: true });
  });

  it('leaves no text of the message in the audit log', async () => {
    await test.redis.rpush(LIST, `${START}|a very private text`);
    const { auditId } = await remove(CHAT, 'a very private text');
    await storeRecord(1, 'another private text');
    await test.redis.zadd(ZSET, 1, '1');
    await remove(VIDEO_CHAT, 'another private text');
    const { items } = await listEntries(test.ctx.store);
    const entry = items.find(({ id }) => id === auditId)!;
    expect(entry).toMatchObject({
      action: 'conversations.deleteMessage',
      target: 'message:u1:u2',
      outcome: 'succeeded',
      after: { deleted: true, messages: 0 },
    });
    expect(items).toHaveLength(2);
    expect(JSON.stringify(items)).not.toContain('private');
  });
});

it('needs approval under a rule, by whatever operation its keys are changed', async () => {
  await test.redis.lpush(LIST, ...lines(2));
  const { config } = test.handle;
  const approvals = { operations: ['conversations.deleteMessage'], expiresHours: 24, bound: 0.1 };
  const connection = { ...test.handle, config: { ...config, approvals } };
  const change = { keyId: keyId(Buffer.from(LIST)), etag: 'any' };
  const call = { actor: testActor('admin'), requestId: randomUUID(), connection, raw: change };
  expect((await problemOf(runCommand(deleteKeyCommand, call))).code).toBe('approval_required');
});

it('is refused where its record could not be restored, without a remedy that it does not take', async () => {
  await storeRecord(7);
  await test.redis.zadd(ZSET, START, '7');
  await test.redis.call('ACL', 'SETUSER', 'limited', 'reset', 'on', '>pw', '~*', '&*', '+@all', '-restore');
  const url = test.handle.config.url!.replace('//', '//limited:pw@');
  const connection = openConnection({ ...test.handle.config, url });
  const refused = await problemOf(send(VIDEO_CHAT, await idOf(VIDEO_CHAT, 'text 7'), { connection }));
  connection.topology.close();
  expect([refused.code, refused.message]).toEqual([
    'no_undo',
    expect.stringMatching(/^This could not be undone: [^.]*RESTORE[^.]*\.$/),
  ]);
  expect(await read(VIDEO_CHAT)).toHaveLength(1);
});
