import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { MINUTE } from '@/lib/time';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { forget } from '@/scripts/testing/forget';
import { problemOf } from '@/scripts/testing/problem-of';
import { ANNOUNCED, MARK } from '@/scripts/testing/secret-shapes';
import { TailReader } from '@/scripts/testing/tail';
import { IS_REDIS_6 } from '@/scripts/testing/this-redis';
import { listChannels } from './channels';
import { Message } from './heard';
import { readHistory } from './history';
import { closeHubs, hubOf } from './hub';
import { readAudience } from './publish';
import { channelContracts } from './schema';
import { Watch } from './watch';

const TOKEN = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'s'.repeat(43)}`;
const NEWS = 'notifications:global';

let test: TestContext;
let readers: TailReader[] = [];
beforeAll(async () => {
  test = await testContext({ apps: ['discours', 'qianxun', 'minidouyin'] });
});
beforeEach(async () => {
  await Promise.all(readers.map((reader) => reader.close()));
  readers = [];
  closeHubs();
  forget('pubsub state');
  await test.empty();
});
afterAll(async () => {
  await Promise.all(readers.map((reader) => reader.close()));
  closeHubs();
  await test.close();
});

const tail = (raw: object): Promise<TailReader> => {
  const reader = new TailReader(test.ctx, raw);
  readers.push(reader);
  return reader.begun();
};

const idOf = (name: string | Buffer): string => Buffer.from(name).toString('base64url');

const list = async (raw: object = {}) => {
  const { input, result } = channelContracts.list;
  return result.parse(await listChannels(test.ctx, input.parse(raw)));
};

const history = async (raw: object) => {
  const { input, result } = channelContracts.history;
  return result.parse(await readHistory(test.ctx, input.parse(raw)));
};

const audience = async (raw: object) => {
  const { input, result } = channelContracts.audience;
  return result.parse(await readAudience(test.ctx, input.parse(raw)));
};

const notification = (change: object = {}) =>
  JSON.stringify({
    type: 'comment',
    user_id: 123,
    entity_type: 'shout',
    entity_id: 456,
    action: 'created',
    data: { title: 'On rivers', author: 'Ada' },
    timestamp: 1640995200,
    ...change,
  });

/** Publishes many messages in one go. */
const publishMany = async (channel: string, count: number, payload: (i: number) => string): Promise<void> => {
  const pipeline = test.redis.pipeline();
  for (let i = 0; i < count; i++) pipeline.publish(channel, payload(i));
  await pipeline.exec();
};

describe('a tail', () => {
  it('gets messages with the fields of a notification, once each, however it hears them', async () => {
    const reader = await tail({ channels: [NEWS], patterns: ['notifications:*', '*'] });
    await test.redis.publish(NEWS, notification());
    await test.redis.publish('notifications:topic:5', '{"payload":{"id":7,"kind":"like"},"action":"create"}');
    await test.redis.publish('other', 'hello');
    await test.redis.publish('other', '{"user_id":1189723456789012481,"payload":{"id":1.5}}');
    await reader.until(({ messages }) => messages.length === 4);
    const [first, second, third, fourth] = reader.messages;
    expect(fourth!.fields).toEqual({ user_id: '1189723456789012481', 'payload.id': 1.5 });
    expect(first).toMatchObject({
      kind: 'channel',
      channel: NEWS,
      channelId: idOf(NEWS),
      pattern: null,
      bytes: 156,
      family: 'discours.notifications-global',
      truncated: false,
      masked: false,
      payload: notification(),
      fields: {
        type: 'comment',
        user_id: 123,
        entity_type: 'shout',
        entity_id: 456,
        action: 'created',
        timestamp: 1640995200,
        'data.title': 'On rivers',
        'data.author': 'Ada',
      },
    });
    expect(second).toMatchObject({
      kind: 'pattern',
      pattern: 'notifications:*',
      family: 'discours.notifications-topic',
      fields: { action: 'create', 'payload.id': 7, 'payload.kind': 'like' },
    });
    expect(third).toMatchObject({
      channel: 'other',
      pattern: '*',
      family: null,
      payload: 'hello',
      fields: {},
    });
  });

  it('is one of several on one subscription, each with its own filter', async () => {
    const all = await tail({ channels: [NEWS] });
    const deleted = await tail({ channels: [NEWS], filter: { action: 'Deleted' } });
    const entity = await tail({ channels: [NEWS], filter: { entity: 'shout:456' } });
    const text = await tail({ channels: [NEWS], filter: { text: 'RIVERS', type: 'comment' } });
    await test.redis.publish(NEWS, notification());
    await test.redis.publish(NEWS, notification({ action: 'deleted', entity_id: 7, data: {} }));
    await test.redis.publish(NEWS, 'no JSON, of rivers');
    await all.until(({ messages }) => messages.length === 3);
    await Promise.all(
      [deleted, entity, text].map((each) => each.until(({ messages }) => messages.length === 1)),
    );
    expect(deleted.messages[0]!.fields.entity_id).toBe(7);
    expect([entity, text].map(({ messages }) => messages[0]!.fields.entity_id)).toEqual([456, 456]);
    expect(await test.redis.pubsub('NUMSUB', NEWS)).toEqual([NEWS, 1]);
  });

  it('is subscribed for a minute after its last listener, and no longer', async () => {
    const reader = await tail({ channels: [NEWS], patterns: ['x*'] });
    await reader.close();
    expect(await test.redis.pubsub('NUMSUB', NEWS)).toEqual([NEWS, 1]);
    await test.redis.publish(NEWS, 'later');
    const again = await tail({ channels: [NEWS] });
    const kept = async () => (await history({ channelId: idOf(NEWS) })).items.map(({ payload }) => payload);
    await expect.poll(kept).toEqual(['later']);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      await again.close();
      vi.advanceTimersByTime(MINUTE - 1);
      expect(await test.redis.pubsub('NUMSUB', NEWS)).toEqual([NEWS, 1]);
      vi.advanceTimersByTime(1);
    } finally {
      vi.useRealTimers();
    }
    await expect.poll(() => test.redis.pubsub('NUMSUB', NEWS)).toEqual([NEWS, 0]);
  });

  it('counts exactly what it skips of a burst, and sends the newest', { tags: 'long' }, async () => {
    const reader = await tail({ channels: ['busy'] });
    await publishMany('busy', 5000, (i) => String(i));
    await test.redis.publish('busy', 'last');
    await reader.until(({ messages, skipped }) => messages.length + skipped === 5001);
    expect(reader.messages.length).toBeGreaterThanOrEqual(100);
    expect(reader.messages.length).toBeLessThan(400);
    expect(reader.payloads.at(-1)).toBe('last');
    const numbers = reader.payloads.slice(0, -1).map(Number);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    const { matched } = (
      await reader.until(({ progress }) => {
        const { sent, skipped } = progress.at(-1)!;
        return sent + skipped === 5001;
      })
    ).progress.at(-1)!;
    expect(matched).toBe(5001);
  });

  it('that reads slowly delays nobody, and keeps no more than a hundred', async () => {
    const slow = await tail({ channels: ['busy'] });
    const fast = await tail({ channels: ['busy'] });
    const go = slow.stall();
    await publishMany('busy', 1, () => 'first');
    await slow.until(({ messages }) => messages.length === 1);
    await fast.until(({ messages }) => messages.length === 1);
    for (let round = 0; round < 4; round++) await publishMany('busy', 500, (i) => `${round} ${i}`);
    await fast.until(({ messages, skipped }) => messages.length + skipped === 2001);
    expect(slow.messages).toHaveLength(1);
    go();
    await slow.until(({ messages, skipped }) => messages.length + skipped === 2001);
    expect(slow.skipped).toBe(1900);
    expect(slow.payloads.at(-1)).toBe('3 499');
    expect(slow.gaps[0]).toEqual({ skipped: 1900, reason: 'too_many', since: null, until: null });
  });

  it('goes on after its connection was cut, and says since when it heard nothing', async () => {
    const reader = await tail({ channels: [NEWS], patterns: ['reac*'] });
    await test.redis.publish(NEWS, 'before');
    await reader.until(({ messages }) => messages.length === 1);
    await test.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await reader.until(({ gaps }) => gaps.some(({ until }) => until !== null));
    const [lost, back] = reader.gaps;
    expect(lost).toMatchObject({ skipped: null, reason: 'connection_lost', until: null });
    expect(back).toMatchObject({ skipped: null, since: lost!.since });
    expect(Date.parse(back!.until!)).toBeGreaterThanOrEqual(Date.parse(back!.since!));
    await test.redis.publish(NEWS, 'after');
    await test.redis.publish('reaction', 'too');
    await reader.until(({ messages }) => messages.length === 3);
    expect(reader.payloads).toEqual(['before', 'after', 'too']);
    expect((await history({ channelId: idOf(NEWS) })).gaps).toEqual([
      { since: back!.since, until: back!.until },
    ]);
  });

  it('that begins while the connection is lost says so, and one that replays says when it was', async () => {
    const first = await tail({ channels: [NEWS] });
    await test.redis.publish(NEWS, 'before');
    await first.until(({ messages }) => messages.length === 1);
    const isLost = { skipped: null, reason: 'connection_lost', until: null };
    // What is connected stays so.
    await list();
    await test.redis.config('SET', 'requirepass', 'x');
    try {
      await test.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await first.until(({ gaps }) => gaps.length === 1);
      const second = await tail({ channels: [NEWS] });
      await second.until(({ gaps }) => gaps.length === 1);
      expect(second.gaps).toMatchObject([isLost]);
      expect((await list({ q: NEWS })).items[0]).toMatchObject({ watched: true, messagesPerSecond: null });
    } finally {
      await test.redis.config('SET', 'requirepass', '');
    }
    await first.until(({ gaps }) => gaps.length === 2);
    const third = await tail({ channels: [NEWS], replay: 100 });
    await third.until(({ messages }) => messages.length === 1);
    expect(third.gaps).toEqual([first.gaps[1]]);
  });

  it('ends where the server no longer allows a channel, and the others go on', async () => {
    const kept = await tail({ channels: ['kept'] });
    const withdrawn = await new TailReader(test.ctx, { channels: ['withdrawn'] }).begun();
    await test.redis.call('ACL', 'SETUSER', 'default', 'resetchannels', '&kept');
    try {
      expect(await problemOf(withdrawn.over)).toMatchObject({ status: 503, code: 'not_permitted' });
      await kept.until(({ gaps }) => gaps.some(({ until }) => until !== null));
      await test.redis.publish('kept', 'x');
      await kept.until(({ messages }) => messages.length === 1);
      const hub = hubOf(test.handle);
      expect(hub.watched().map(({ name }) => name.toString())).toEqual(['kept']);
      expect(hub.isSubscribed({ kind: 'channel', name: Buffer.from('withdrawn') })).toBe(false);
    } finally {
      await test.redis.call('ACL', 'SETUSER', 'default', 'allchannels');
    }
  });

  it('leaves no subscription behind that the server confirmed too late', {
    tags: ['long'],
    timeout: 15_000,
  }, async () => {
    await tail({ channels: ['other'] });
    await test.redis.client('PAUSE', 4500, 'ALL');
    const late = new TailReader(test.ctx, { channels: ['late'] });
    expect(await problemOf(late.over)).toMatchObject({ status: 503 });
    await expect.poll(() => test.redis.pubsub('NUMSUB', 'late')).toEqual(['late', 0]);
    expect(await test.redis.pubsub('NUMSUB', 'other')).toEqual(['other', 1]);
  });

  it('replays what was heard before through another of its subscriptions', async () => {
    const before = await tail({ patterns: ['notif*'] });
    await test.redis.publish(NEWS, 'earlier');
    await before.until(({ messages }) => messages.length === 1);
    const after = await tail({ channels: [NEWS], patterns: ['notif*'], replay: 100 });
    await test.redis.publish(NEWS, 'now');
    await after.until(({ messages }) => messages.length === 2);
    const again = await tail({ channels: [NEWS], patterns: ['notif*'], replay: 100 });
    await again.until(({ messages }) => messages.length === 2);
    expect([after, again].map(({ payloads }) => payloads)).toEqual([
      ['earlier', 'now'],
      ['earlier', 'now'],
    ]);
  });

  it('has no rate at first, and what is replayed is not part of it', { tags: 'long' }, async () => {
    const before = await tail({ channels: ['busy'] });
    await publishMany('busy', 50, String);
    await before.until(({ messages }) => messages.length === 50);
    const after = await tail({ channels: ['busy'], replay: 50 });
    await after.until(({ progress }) => progress.length === 2);
    expect(after.progress).toMatchObject([
      { matched: 50, messagesPerSecond: null },
      { matched: 50, sent: 50, messagesPerSecond: 0 },
    ]);
  });

  it('hears nothing of what Keyward publishes for itself', async () => {
    const reader = await tail({ patterns: ['*'] });
    await test.redis.publish('keyward:fence:1', 'x');
    await test.redis.publish('news', 'y');
    await reader.until(({ messages }) => messages.length > 0);
    expect(reader.payloads).toEqual(['y']);
    expect((await history({ channelId: idOf('*'), kind: 'pattern' })).items).toHaveLength(1);
  });

  it('keeps no more of a long name than of any other', { tags: ['long'] }, async () => {
    const reader = await tail({ patterns: ['*'] });
    await test.redis.publish(Buffer.alloc(10 * 2 ** 20, 'name '), 'x');
    await reader.until(({ messages }) => messages.length === 1);
    expect(reader.messages[0]).toMatchObject({
      channelId: null,
      channel: expect.stringMatching(/^name .{140,160}….{40,50}name.x20$/),
    });
    const [kept] = hubOf(test.handle)
      .find({ kind: 'pattern', name: Buffer.from('*') })!
      .messages(Date.now());
    expect(kept!.heard.channel.buffer.byteLength).toBeLessThan(100_000);
  });

  it('begins with the last messages that were kept, if asked, without those that do not match', async () => {
    const before = await tail({ channels: [NEWS], patterns: ['*'] });
    for (const action of ['created', 'deleted', 'created'])
      await test.redis.publish(NEWS, notification({ action }));
    await before.until(({ messages }) => messages.length === 3);
    const raw = { channels: [NEWS], patterns: ['*'], filter: { action: 'created' } };
    const after = await tail({ ...raw, replay: 100 });
    await test.redis.publish(NEWS, notification());
    await after.until(({ messages }) => messages.length === 3);
    expect(after.messages.slice(0, 2).map(({ id }) => id)).toEqual([0, 2].map((i) => before.messages[i]!.id));
    const last = await tail({ ...raw, replay: 1 });
    await last.until(({ messages }) => messages.length === 1);
    expect(last.messages[0]!.id).toBe(after.messages[2]!.id);
  });

  it('survives hostile names and payloads', { tags: ['long'] }, async () => {
    const newline = 'room:\n"x"\u202e<b>';
    const reader = await tail({ channels: ['hostile', newline] });
    const huge = Buffer.alloc(10 * 2 ** 20, '<script>alert(1)</script> ');
    await test.redis.publish('hostile', Buffer.from([0xff, 0x00, 0x41]));
    await test.redis.publish('hostile', huge);
    await test.redis.publish('hostile', '{"type": "x", "broken');
    await test.redis.publish('hostile', '');
    await test.redis.publish('hostile', '['.repeat(5000));
    await test.redis.publish(newline, '{"__proto__":{"type":"y"},"type":{"a":1}}');
    await reader.until(({ messages }) => messages.length === 6);
    const [binary, long, broken, empty, deep, named] = reader.messages;
    expect(binary).toMatchObject({ payload: '\\xff\\x00A', truncated: false, bytes: 3, fields: {} });
    expect(long).toMatchObject({ truncated: true, bytes: huge.length });
    expect(long!.payload.length).toBeLessThanOrEqual(8192);
    expect(long!.payload).toContain('<script>');
    expect(broken).toMatchObject({ payload: '{"type": "x", "broken', fields: {} });
    expect(empty).toMatchObject({ payload: '', bytes: 0 });
    expect(deep!.fields).toEqual({});
    expect(named).toMatchObject({ channel: 'room:\\x0a"x"\\xe2\\x80\\xae<b>', fields: {} });
    expect(named!.channelId).toBe(idOf(newline));
    const byId = await tail({ channelIds: [named!.channelId!] });
    await test.redis.publish(newline, 'again');
    await byId.until(({ messages }) => messages.length === 1);
  });

  it('reads the fields of a message that is too long to be kept', async () => {
    const reader = await tail({ channels: [NEWS], filter: { type: 'long' } });
    await test.redis.publish(NEWS, `{"type":"long","data":{"title":"T"},"text":"${'word '.repeat(4000)}"}`);
    await reader.until(({ messages }) => messages.length === 1);
    expect(reader.messages[0]).toMatchObject({
      truncated: true,
      fields: { type: 'long', 'data.title': 'T' },
    });
  });

  it('shows no secret, and none can be guessed by what matches', async () => {
    const reader = await tail({ patterns: ['*'] });
    const guess = await tail({ patterns: ['*'], filter: { text: TOKEN.slice(0, 12) } });
    const word = await tail({ patterns: ['*'], filter: { text: 'hunter2' } });
    await test.redis.publish('plain', `token ${TOKEN}`);
    await test.redis.publish(NEWS, JSON.stringify({ type: TOKEN, password: 'hunter2', ok: 1 }));
    await test.redis.publish('plain', 'redis://user:hunter2@host/0');
    await test.redis.publish(`session:42:${TOKEN}`, 'x');
    await test.redis.publish('__keyevent@0__:del', `session:42:${TOKEN}`);
    await test.redis.publish('__keyspace@0__:toni123456', 'del');
    await reader.until(({ messages }) => messages.length === 6);
    const text = JSON.stringify(reader.messages);
    for (const secret of [TOKEN.slice(0, 12), 'hunter2', 'toni123456', idOf(TOKEN).slice(4, 20)])
      expect(text).not.toContain(secret);
    expect(reader.messages.filter(({ masked }) => masked)).toHaveLength(4);
    expect(reader.messages[1]).toMatchObject({ fields: { type: '•••' } });
    expect(reader.messages[3]!.channelId).toMatch(/^s\./);
    expect(reader.messages[4]!.payload).toBe('session:42:•••');
    await test.redis.publish('plain', 'seen hunter2');
    await word.until(({ messages }) => messages.length === 1);
    expect([guess, word].map(({ messages }) => messages.length)).toEqual([0, 1]);
  });

  it.each(ANNOUNCED)('shows no secret of %j', async (text) => {
    const payloads = [
      text,
      JSON.stringify({ title: text, payload: { title: text } }),
      JSON.stringify([['token', MARK]]),
    ];
    for (const payload of payloads) {
      const bytes = Buffer.from(payload);
      const heard = { number: 1, at: 1, kind: 'channel' as const, channel: Buffer.from(NEWS), pattern: null };
      const message = new Message({ ...heard, head: bytes, bytes: bytes.length });
      expect(JSON.stringify(await message.show(test.ctx, 'p'))).not.toContain(MARK);
      expect(message.contains(MARK.toLowerCase(), test.ctx.catalog)).toBe(false);
    }
  });

  it('shows no secret of an object that is written as a string, whole or in a field', async () => {
    const inner = JSON.stringify({ password: 'hunter2' });
    const reader = await tail({ channels: [NEWS, 'other'] });
    for (const channel of [NEWS, 'other'])
      for (const field of ['payload', 'type', 'data'])
        await test.redis.publish(channel, JSON.stringify({ [field]: inner, action: 'create' }));
    await reader.until(({ messages }) => messages.length === 6);
    expect(JSON.stringify(reader.messages)).not.toContain('hunter2');
    expect(reader.messages[0]!.fields).toEqual({ payload: '{"password":"•••"}', action: 'create' });
  });

  it('matches no text that is masked because of what it is, or decodes to', async () => {
    const encoded = Buffer.from(gzipSync('{"password":"hunter2"}')).toString('base64');
    const name = 'session:42:short';
    const hidden = await tail({ channels: ['x'], filter: { text: encoded.slice(0, 10) } });
    const key = await tail({ channels: ['x'], filter: { text: 'short' } });
    const shown = await tail({ channels: ['x'], filter: { text: 'SESSION' } });
    for (const payload of [encoded, name, 'a short end']) await test.redis.publish('x', payload);
    await Promise.all([key, shown].map((each) => each.until(({ messages }) => messages.length > 0)));
    expect(shown.payloads).toEqual(['session:42:•••']);
    expect(key.payloads).toEqual(['a short end']);
    expect(hidden.messages).toEqual([]);
  });

  it('takes at most twenty names, and only ids of this connection', async () => {
    const parse = (raw: object) => channelContracts.tail.input.safeParse(raw).success;
    expect([{}, { channels: Array(21).fill('x') }, { channels: [''] }].map(parse)).toEqual([
      false,
      false,
      false,
    ]);
    const reader = new TailReader(test.ctx, { channelIds: ['s.AAAA'] });
    expect(await problemOf(reader.over)).toMatchObject({ status: 400 });
  });

  it('is a 503 where our user may not subscribe', async () => {
    await test.redis.call('ACL', 'SETUSER', 'default', 'resetchannels', '&allowed*');
    try {
      const reader = new TailReader(test.ctx, { channels: ['forbidden'] });
      expect(await problemOf(reader.over)).toMatchObject({ status: 503, code: 'not_permitted' });
      await tail({ channels: ['allowed'] });
      expect(hubOf(test.handle).watched()).toHaveLength(1);
    } finally {
      await test.redis.call('ACL', 'SETUSER', 'default', 'allchannels');
    }
  });

  it.skipIf(IS_REDIS_6)('hears sharded channels, which are apart from others of the same name', async () => {
    const reader = await tail({ shardChannels: [NEWS], channels: ['plain'] });
    await test.redis.publish(NEWS, 'not sharded');
    await test.redis.spublish(NEWS, 'sharded');
    await test.redis.publish('plain', 'plain');
    await reader.until(({ messages }) => messages.length === 2);
    expect(reader.messages.map(({ kind, payload }) => `${kind} ${payload}`).sort()).toEqual([
      'channel plain',
      'sharded sharded',
    ]);
    const { items } = await list({ q: NEWS });
    expect(items.map(({ kind, watched }) => [kind, watched])).toEqual([
      ['channel', false],
      ['sharded', true],
    ]);
    expect(await history({ channelId: idOf(NEWS), kind: 'sharded' })).toMatchObject({
      items: [{ payload: 'sharded' }],
    });
  });
});

describe('the watched channels of a connection', () => {
  const LISTENER = { hear: () => {}, gap: () => {}, fail: () => {} };
  const names = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({
      kind: 'channel' as const,
      name: Buffer.from(`c${from + i}`),
    }));

  it('are five hundred, and what is refused holds none', { tags: ['long'] }, async () => {
    const hub = hubOf(test.handle);
    const held = await hub.join(names(0, 490), LISTENER);
    expect(await problemOf(hub.join(names(490, 11), LISTENER))).toMatchObject({ status: 429 });
    expect(hub.find(names(490, 1)[0]!)?.listeners).toBe(0);
    held.leave();
  });

  it('are no hindrance once nobody listens', async () => {
    const hub = hubOf(test.handle);
    const held = await hub.join(names(0, 20), LISTENER);
    (await hub.join(names(20, 480), LISTENER)).leave();
    await hub.join(names(500, 20), LISTENER);
    expect(await test.redis.pubsub('NUMSUB', 'c0', 'c20', 'c39', 'c40', 'c500')).toEqual([
      'c0',
      1,
      'c20',
      0,
      'c39',
      0,
      'c40',
      1,
      'c500',
      1,
    ]);
    held.leave();
  });

  it('share their memory, the quiet ones too', () => {
    const watch = new Watch({ kind: 'channel', name: Buffer.from('x') });
    const at = Date.now();
    const head = Buffer.alloc(8192);
    for (let number = 0; number < 60; number++)
      watch.add(
        new Message({ number, at, kind: 'channel', channel: watch.name, pattern: null, head, bytes: 8192 }),
        1,
      );
    expect(watch.messages(at)).toHaveLength(60);
    watch.trim(500);
    expect(watch.messages(at)).toHaveLength(7);
    expect(watch.dropped).toBe(53);
  });
});

describe('channels', () => {
  it('are listed by family with subscribers other than this console, and always those of one name', async () => {
    // One calls itself as the console's do: it is counted like any other.
    const others = [test.redis.duplicate({ connectionName: 'keyward-live' }), test.redis.duplicate()];
    try {
      for (const other of others) await other.subscribe(NEWS, 'zzz');
      await others[0]!.psubscribe('notifications:*');
      await others[0]!.subscribe('notifications:7');
      await tail({ channels: [NEWS], patterns: ['shout*'] });
      await test.redis.publish(NEWS, 'x');
      const found = await list();
      const rows = Object.fromEntries(found.items.map((row) => [`${row.kind} ${row.channel}`, row]));
      expect(rows[`channel ${NEWS}`]).toMatchObject({ subscribers: 2, watched: true });
      expect(rows[`channel ${NEWS}`]!.messagesPerSecond).toBeGreaterThan(0);
      expect(rows['channel notifications:7']).toMatchObject({
        family: 'discours.notifications',
        subscribers: 1,
        watched: false,
        messagesPerSecond: null,
      });
      expect(rows['channel zzz']).toMatchObject({ family: null, subscribers: 2 });
      expect(rows['channel reaction']).toMatchObject({ family: 'discours.reaction', subscribers: 0 });
      expect(rows['pattern shout*']).toMatchObject({ subscribers: null, watched: true });
      expect(found).toMatchObject({
        active: 3,
        complete: true,
        patterns: 2,
        patternClients: 1,
        sharded: !IS_REDIS_6,
      });
      const families = found.items.map(({ kind, family }) => `${kind} ${family}`);
      expect(families.indexOf('channel null')).toBeGreaterThan(
        families.lastIndexOf('channel discours.shout'),
      );
      expect((await list({ q: 'ZZ' })).items.map(({ channel }) => channel)).toEqual(['zzz']);
      expect(await audience({ channel: NEWS })).toEqual({
        channel: NEWS,
        family: 'discours.notifications-global',
        subscribers: 2,
        patternClients: 1,
      });
    } finally {
      for (const other of others) other.disconnect();
    }
  });

  it('are paged, each once', async () => {
    const other = test.redis.duplicate();
    try {
      const names = Array.from({ length: 120 }, (_, i) => `room:${i}`);
      await other.subscribe(...names);
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ limit: 50, q: 'room:', ...(cursor ? { cursor } : {}) });
        found.push(...page.items.map(({ channel }) => channel));
        cursor = page.nextCursor ?? undefined;
      } while (cursor);
      expect(found.sort()).toEqual(names.sort());
    } finally {
      other.disconnect();
    }
  });

  it('are paged without a digest that a name could be guessed by', async () => {
    const other = test.redis.duplicate();
    try {
      const secrets = ['session:42:a', 'session:42:b'];
      await other.subscribe(...secrets);
      const first = await list({ q: 'session', limit: 1 });
      expect(first.items).toMatchObject([{ channel: 'session:42:•••' }]);
      const cursor = Buffer.from(first.nextCursor!, 'base64url').toString('latin1');
      for (const name of secrets)
        expect(cursor).not.toContain(createHash('sha256').update(name).digest('base64url').slice(0, 8));
      const { items } = await list({ q: 'session', limit: 1, cursor: first.nextCursor! });
      expect(items[0]!.channelId).not.toBe(first.items[0]!.channelId);
    } finally {
      other.disconnect();
    }
  });

  it('and patterns with a secret in their name lead to it by their id', async () => {
    await tail({ patterns: ['session:42:*'] });
    const [row] = (await list({ q: 'session' })).items;
    expect(row).toMatchObject({ kind: 'pattern', channel: 'session:42:•••' });
    const reader = await tail({ patternIds: [row!.channelId] });
    await test.redis.publish('session:42:x', 'heard');
    await reader.until(({ messages }) => messages.length === 1);
    const refused = new TailReader(test.ctx, { patternIds: ['s.AAAA'] });
    expect(await problemOf(refused.over)).toMatchObject({ status: 400 });
  });

  it('with a secret in their name are shown without it, and lead to it', async () => {
    const other = test.redis.duplicate();
    try {
      await other.subscribe(`session:42:${TOKEN}`);
      const { items } = await list({ q: 'session' });
      expect(items).toMatchObject([{ channel: 'session:42:•••', channelId: expect.stringMatching(/^s\./) }]);
      expect((await list({ q: TOKEN.slice(0, 20) })).items).toEqual([]);
      const reader = await tail({ channelIds: [items[0]!.channelId] });
      await test.redis.publish(`session:42:${TOKEN}`, 'x');
      await reader.until(({ messages }) => messages.length === 1);
      expect(reader.messages[0]!.channel).toBe('session:42:•••');
    } finally {
      other.disconnect();
    }
  });
});

describe('history', () => {
  it('has the last messages, newest first, in pages, and says what it did not keep', async () => {
    const reader = await tail({ channels: ['busy'], patterns: ['q*'] });
    await publishMany('busy', 700, (i) => String(i));
    await reader.until(({ messages, skipped }) => messages.length + skipped === 700);
    const first = await history({ channelId: idOf('busy'), limit: 300 });
    const second = await history({ channelId: idOf('busy'), limit: 300, cursor: first.nextCursor! });
    expect(first.items[0]!.payload).toBe('699');
    expect([...first.items, ...second.items].map(({ payload }) => Number(payload))).toEqual(
      Array.from({ length: 500 }, (_, i) => 699 - i),
    );
    expect(second).toMatchObject({ nextCursor: null, droppedFromHistory: 200, since: expect.any(String) });
    const shown = new Set(reader.messages.map(({ id }) => id));
    expect([...first.items, ...second.items].filter(({ id }) => shown.has(id)).length).toBeGreaterThan(0);
    expect(await history({ channelId: idOf('none') })).toMatchObject({ items: [], since: null });
    expect(await history({ channelId: idOf('q*'), kind: 'pattern' })).toMatchObject({
      items: [],
      since: expect.any(String),
      droppedFromHistory: 0,
    });
  });

  it('keeps half a megabyte of large messages', async () => {
    const reader = await tail({ channels: ['large'] });
    await publishMany('large', 100, (i) => `${i}:${'x y '.repeat(4000)}`);
    await reader.until(({ messages, skipped }) => messages.length + skipped === 100);
    const { items, droppedFromHistory } = await history({ channelId: idOf('large'), limit: 500 });
    expect(items.length).toBeGreaterThan(50);
    expect(items.length).toBeLessThanOrEqual(64);
    expect(items.length + droppedFromHistory).toBe(100);
  });
});
