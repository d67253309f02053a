import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deleteChannel } from '@/lib/alerts/channel-commands';
import { registerChannelUses } from '@/lib/alerts/channel-uses';
import { listEntries } from '@/lib/audit/reads';
import { acknowledgeAlarm, storeAlarm } from '@/lib/audit/watch-record';
import { forgetEnv } from '@/lib/configuration';
import type { Locale } from '@/lib/locales';
import { closeStore, store } from '@/lib/redis/store';
import { HOUR, MINUTE, SECOND } from '@/lib/time';
import { testContext } from '@/scripts/testing/context';
import { notificationsOn } from '@/scripts/testing/notifications';
import { problemOf } from '@/scripts/testing/problem-of';
import { webhookReceiver } from '@/scripts/testing/webhook-receiver';
import { deleteNotification, testNotification, updateNotification } from './commands';
import { deleteOldMessages } from './messages';
import { notificationsOf } from './reads';

const test = await testContext({ apps: ['discours'] });
const on = notificationsOn(test);
const { id: connection } = test.handle.config;
let receiver: Awaited<ReturnType<typeof webhookReceiver>>;

beforeEach(async () => {
  await test.empty();
  closeStore();
  receiver = await webhookReceiver();
  Object.assign(process.env, {
    KEYWARD_ALERT_ALLOWED_NETWORKS: '127.0.0.0/8',
    NEXTAUTH_URL: 'https://ops.example.org',
  });
  forgetEnv();
});
afterEach(() => receiver.close());
afterAll(() => {
  process.env.NEXTAUTH_URL = '';
  forgetEnv();
  return test.close();
});

const bodies = () => receiver.received.map(({ body }) => JSON.parse(body));
const titles = () => bodies().map(({ title }) => title);
/** A channel has two places at the same time, so several passes deliver a burst. */
const pass = async (now = Date.now()) => {
  await on.follow(now);
  for (let i = 0; i < 8; i++) await on.deliver(now);
};

describe('an entry of the audit log', () => {
  it('is sent to a signed webhook, if the filter matches it', async () => {
    const channel = await on.webhook(receiver.url);
    await on.create([channel.id!], { filter: { action: 'flags.', outcome: 'failed', actor: 'product' } });
    await on.change({ outcome: 'failed' });
    await on.change({ role: 'product' });
    await on.change({ role: 'product', outcome: 'failed', action: 'env.set' });
    const id = await on.change({ role: 'product', outcome: 'failed', reason: 'release 12' });
    await pass();
    await pass();
    expect(receiver.received).toHaveLength(1);
    const { headers, body } = receiver.received[0]!;
    const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-keyward-signature']))!;
    expect(createHmac('sha256', channel.secret!).update(`${t}.${body}`).digest('hex')).toBe(v1);
    const sent = JSON.parse(body);
    expect(headers['x-keyward-id']).toBe(sent.id);
    expect(sent).toMatchObject({
      event: 'entry',
      notification: 'Ops',
      title: `Failed: Change a feature flag: FEATURE_X (${connection})`,
      href: `https://ops.example.org/audit?entry=${id}`,
      entry: { id, action: 'flags.set', outcome: 'failed', target: 'FEATURE_X', reason: 'release 12' },
    });
    for (const part of ['Who: product@example.org (product)', 'Target: FEATURE_X', 'Outcome: Failed'])
      expect(sent.text).toContain(part);
    expect((await on.list()).items).toMatchObject([{ name: 'Ops', waiting: 0, channels: [{ error: null }] }]);
  });

  it('is sent once its outcome is known, and as pending only to those who ask for it', async () => {
    const channel = await on.webhook(receiver.url);
    await on.create([channel.id!]);
    await on.create([channel.id!], { name: 'Stuck', filter: { action: 'flags.', outcome: 'pending' } });
    await on.begin();
    await pass();
    expect(titles()).toEqual([]);
    const later = Date.now() + 6 * MINUTE;
    await pass(later);
    await pass(later);
    expect(bodies()).toMatchObject([{ notification: 'Stuck', entry: { outcome: 'pending' } }]);
  });

  it('of before the notification is not sent', async () => {
    const channel = await on.webhook(receiver.url);
    await on.change();
    const written = Date.now();
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(written), { interval: 1 });
    await on.create([channel.id!]);
    await pass();
    expect(titles()).toEqual([]);
  });

  it('names no key, no secret of its reason, and writes no markup for Slack', async () => {
    const secret = 'sk_live_51Hx9dKq2eZvKYlo2C0aBcDeF';
    const channel = await on.webhook(receiver.url, 'slack');
    await on.create([channel.id!], { name: 'All <!channel>', filter: {} });
    await on.change({
      action: 'keys.delete',
      target: 'session:private-key',
      reason: `old ${secret}\nBcc: x`,
    });
    await on.change({ target: '<!channel> & <https://evil.example|x>' });
    await pass();
    const text = receiver.received.map(({ body }) => body).join('\n');
    expect(receiver.received.length).toBeGreaterThanOrEqual(2);
    for (const absent of [secret, 'private-key', '<!channel>', '<https://evil'])
      expect(text).not.toContain(absent);
    expect(text).toContain('&lt;https://evil.example|x&gt;');
    expect(text).toContain('Bcc: x');
  });

  it('that a message causes does not exist: neither a delivery nor a test is sent', async () => {
    const channel = await on.webhook(receiver.url);
    await on.create([channel.id!], { filter: {} });
    const ref = { connection, channel: channel.id! };
    const tested = await on.run(testNotification, { name: 'Ops', channels: [ref] });
    expect(tested).toMatchObject({ results: [{ name: 'Pager', state: 'delivered', status: 200 }] });
    expect(bodies()).toMatchObject([{ event: 'test', title: 'Test: Ops' }]);
    await pass();
    const before = (await listEntries(store())).items.length;
    await pass();
    expect((await listEntries(store())).items).toHaveLength(before);
    // The creation of the notification itself is the only other entry since.
    expect(titles()).toEqual(['Test: Ops', 'Succeeded: Create a notification: Ops']);
  });
});

it('a burst is ten messages, then one with the number of the others and a link to them', async () => {
  const channel = await on.webhook(receiver.url);
  await on.create([channel.id!]);
  await Promise.all(Array.from({ length: 47 }, () => on.change()));
  const now = Date.now();
  await pass(now);
  expect(receiver.received).toHaveLength(10);
  await pass(now + 30 * SECOND);
  expect(receiver.received).toHaveLength(10);
  await pass(now + MINUTE);
  await pass(now + 2 * MINUTE);
  expect(receiver.received).toHaveLength(11);
  expect(bodies()[10]).toMatchObject({ event: 'more', title: 'and 37 more entries: Ops', count: 37 });
  expect(bodies()[10].href).toMatch(/^https:\/\/ops\.example\.org\/audit\?action=flags\.&from=20/);
});

it('a restart goes on where the log was read, and two processes send an entry once', async () => {
  const channel = await on.webhook(receiver.url);
  await on.create([channel.id!]);
  await on.change({ target: 'FEATURE_A' });
  await pass();
  closeStore();
  await on.change({ target: 'FEATURE_B' });
  closeStore();
  await Promise.all([on.follow(), on.follow(), on.follow()]);
  await Promise.all([on.deliver(), on.deliver(), on.deliver()]);
  await pass();
  expect(bodies().map(({ entry }) => entry.target)).toEqual(['FEATURE_A', 'FEATURE_B']);
});

describe('a channel', () => {
  it('that hangs delays no other, and is named with its failure', async () => {
    const healthy = await webhookReceiver();
    const slow = await on.webhook(receiver.url, 'webhook', 'Slow');
    const quick = await on.webhook(healthy.url, 'webhook', 'Quick');
    const held: { end: () => void }[] = [];
    receiver.answer = (_, response) => void held.push(response);
    await on.create([slow.id!], { name: 'A' });
    await on.create([slow.id!, quick.id!], { name: 'B' });
    for (let i = 0; i < 3; i++) await on.change();
    await on.follow();
    const running = on.deliver();
    // One pass has a place for two to each; the next ones are made while these hang.
    await vi.waitFor(() => expect(healthy.received.length).toBeGreaterThan(0));
    await vi.waitFor(async () => {
      await Promise.race([on.deliver(), new Promise(setImmediate)]);
      expect(healthy.received).toHaveLength(3);
    });
    expect(held).toHaveLength(2);
    receiver.answer = (_, response) => void response.writeHead(404).end();
    receiver.close();
    await running;
    expect((await on.list()).items[0]).toMatchObject({
      name: 'A',
      waiting: 3,
      channels: [{ name: 'Slow', failingSince: expect.any(String), error: expect.any(String) }],
    });
    healthy.close();
  });

  it('that fails is tried six times, under one id', async () => {
    const channel = await on.webhook(receiver.url);
    await on.create([channel.id!]);
    receiver.answer = (_, response) => void response.writeHead(503).end();
    await on.change();
    await on.follow();
    const now = Date.now() + SECOND;
    for (const seconds of [0, 2, 8, 40, 200, 900, 5000]) await on.deliver(now + seconds * SECOND);
    expect(receiver.received).toHaveLength(6);
    expect(new Set(receiver.received.map(({ headers }) => headers['x-keyward-id'])).size).toBe(1);
    expect((await on.list()).items[0]).toMatchObject({
      waiting: 0,
      channels: [{ error: 'The receiver answered 503.' }],
    });
    expect(await test.storeRedis.exists('keyward:notification-due', 'keyward:notification-history')).toBe(0);
  });

  it('that is down for long holds back no more than 30 messages, and the number of the others', {
    tags: 'long',
  }, async () => {
    const channel = await on.webhook(receiver.url);
    await on.create([channel.id!]);
    let now = Date.now();
    for (let minutes = 0; minutes < 5; minutes++) {
      await Promise.all(Array.from({ length: 12 }, () => on.change()));
      now += MINUTE;
      await on.follow(now);
    }
    expect((await on.list()).items[0]!.waiting).toBe(30);
    while ((await on.list()).items[0]!.waiting > 0) await on.deliver(now);
    await pass(now + MINUTE);
    expect(bodies().reduce((sum, { event, count }) => sum + (event === 'more' ? count : 1), 0)).toBe(60);
  });

  it('leaves no message for longer than a day', async () => {
    const channel = await on.webhook(receiver.url);
    await on.create([channel.id!]);
    await on.change();
    await on.follow();
    await deleteOldMessages(store(), Date.now() + HOUR);
    expect((await on.list()).items[0]!.waiting).toBe(1);
    await deleteOldMessages(store(), Date.now() + 25 * HOUR);
    expect((await on.list()).items[0]!.waiting).toBe(0);
  });

  it('that a notification uses is not deleted', async () => {
    registerChannelUses(notificationsOf);
    const { id, etag } = await on.webhook(receiver.url);
    await on.create([id!]);
    const refused = await problemOf(on.run(deleteChannel, { id, etag }, test.handle));
    expect(refused.message).toContain('A notification uses this channel: Ops.');
  });
});

describe('requests that wait', () => {
  const asks = { action: 'flags.request', after: { id: 'request-1' } };
  const about = { about: ['approvals' as const], remindAfterHours: 2 };

  it('are sent, with one reminder', async () => {
    const channel = await on.webhook(receiver.url);
    await on.create([channel.id!], about);
    await on.change({ ...asks, reason: 'for the launch' });
    await on.change();
    await pass();
    expect(bodies()).toMatchObject([
      { event: 'approval', title: expect.stringMatching(/^Approval needed: .*: FEATURE_X \(/) },
    ]);
    await pass(Date.now() + HOUR);
    for (const hours of [3, 4, 30]) await pass(Date.now() + hours * HOUR);
    expect(titles().slice(1)).toEqual(['1 request still waits for approval']);
    expect(bodies()[1].text).toContain('FEATURE_X');
  });

  it.each([
    ['by its id', 'flags.decline', { input: { id: 'request-1' }, target: 'no request' }],
    ['by its target', 'flags.withdraw', {}],
  ])('have no reminder once decided, %s', async (_, action, decision) => {
    const channel = await on.webhook(receiver.url);
    await on.create([channel.id!], about);
    await on.change(asks);
    await on.change({ action, ...decision });
    await pass();
    await pass(Date.now() + 3 * HOUR);
    expect(receiver.received).toHaveLength(1);
  });

  it('are forgotten when they expire, and name no key', async () => {
    const channel = await on.webhook(receiver.url);
    await on.create([channel.id!], about);
    const expiresAt = new Date(Date.now() + HOUR).toISOString();
    await on.change({
      action: 'approvals.request',
      target: 'keys.delete: user:4',
      after: { id: 'a', expiresAt },
    });
    await pass();
    await pass(Date.now() + 3 * HOUR);
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]!.body).toContain('Target: keys.delete');
    expect(receiver.received[0]!.body).not.toContain('user:4');
  });

  it('go on waiting after a decision that failed, or one about another', async () => {
    const channel = await on.webhook(receiver.url);
    await on.create([channel.id!], about);
    await on.change({ action: 'approvals.request', target: 'X' });
    await on.change({ action: 'approvals.approve', target: 'X', outcome: 'failed' });
    await on.change({ action: 'approvals.approve', target: 'Y' });
    await on.change({ action: 'flags.approve', target: 'X' });
    await pass();
    await pass(Date.now() + 3 * HOUR);
    expect(bodies().map(({ event }) => event)).toEqual(['approval', 'reminder']);
  });
});

it('an alarm of the audit chain is sent once', async () => {
  const channel = await on.webhook(receiver.url);
  await on.create([channel.id!], { about: ['audit', 'alarms'], filter: { action: 'audit.alarm' } });
  await storeAlarm(store(), { since: Date.now(), problem: 'an entry was changed' });
  await on.event({ action: 'audit.alarm', outcome: 'failed', connection: null, target: null });
  await pass();
  await pass();
  expect(bodies()).toMatchObject([{ event: 'alarm', alarm: { problem: 'an entry was changed' } }]);
  await acknowledgeAlarm(store());
  await pass();
  await storeAlarm(store(), { since: Date.now() + 1, problem: 'the head was changed' });
  await pass();
  expect(receiver.received).toHaveLength(2);
});

describe('changes', () => {
  it('are compare-and-set, and a deleted notification sends nothing more', async () => {
    const channel = await on.webhook(receiver.url);
    const { id, etag } = await on.create([channel.id!]);
    await on.change();
    await on.follow();
    const given = { name: 'New', about: ['audit'], channels: [{ connection, channel: channel.id! }] };
    const updated = await on.run(updateNotification, { id, etag, ...given });
    expect((await problemOf(on.run(updateNotification, { id, etag, ...given }))).code).toBe('changed');
    await on.run(deleteNotification, { id, etag: updated.etag });
    await pass();
    expect(receiver.received).toEqual([]);
    expect((await on.list()).items).toEqual([]);
    expect((await problemOf(on.run(deleteNotification, { id, etag }))).code).toBe('not_found');
  });

  it.each([
    [{ channels: [{ connection: 'x', channel: 'y' }] }, 'channels'],
    [{ timeZone: 'Nowhere/City' }, 'timeZone'],
    [{ about: [] }, 'about'],
    [{ filter: { from: '2026-01-01T00:00:00Z' } }, 'filter'],
  ])('with %j are refused', async (given, path) => {
    const channel = await on.webhook(receiver.url);
    const refused = await problemOf(on.create([channel.id!], given as never));
    expect(refused.extensions.errors).toMatchObject([{ path: expect.stringContaining(path) }]);
  });
});

const MESSAGES = 'keyward:notification-messages';

describe('the language of a channel', () => {
  const channelIn = (language: Locale, kind: 'webhook' | 'slack' = 'webhook') =>
    on.webhook(receiver.url, kind, language, language);

  it('is that of its messages, also where others of the notification have another', async () => {
    const ids = await Promise.all(
      (['en', 'ru', 'zh'] as const).map(async (each) => (await channelIn(each)).id!),
    );
    await on.create(ids);
    await on.change({ role: 'product', outcome: 'failed', reason: 'release 12' });
    await pass();
    expect(titles().sort()).toEqual([
      `Failed: Change a feature flag: FEATURE_X (${connection})`,
      `Не удалось: Изменить флаг функции: FEATURE_X (${connection})`,
      `失败：更改功能开关：FEATURE_X（${connection}）`,
    ]);
    const texts = bodies()
      .map(({ text }) => text)
      .join('\n');
    for (const part of ['Кто: product@example.org (продукт)', 'Результат: Не удалось', 'Причина: release 12'])
      expect(texts).toContain(part);
    for (const part of ['操作者：product@example.org（产品）', '结果：失败', '原因：release 12'])
      expect(texts).toContain(part);
    const facts = bodies().map(({ id: _, title: __, text: ___, ...rest }) => JSON.stringify(rest));
    expect(new Set(facts).size).toBe(1);
  });

  it.each([
    ['ru', 'Тест: Ops', 'Кто отправил: Test admin. Ничего не произошло.', 'Открыть в Keyward'],
    ['zh', '测试：Ops', '由 Test admin 发送，没有发生任何事。', '在 Keyward 中打开'],
  ] as const)('is that of a test: %s', async (language, title, text, link) => {
    const channel = await channelIn(language, 'slack');
    await on.run(testNotification, { name: 'Ops', channels: [{ connection, channel: channel.id! }] });
    expect(bodies()).toMatchObject([{ text: title, attachments: [{ text, title: link }] }]);
  });

  it('has its plurals and durations', async () => {
    const channel = await channelIn('ru');
    await on.create([channel.id!], { about: ['approvals'], remindAfterHours: 2 });
    await on.change({ action: 'flags.request', after: { id: 'request-1' } });
    await on.change({ action: 'flags.request', after: { id: 'request-2' } });
    await pass();
    await pass(Date.now() + 27 * HOUR);
    expect(titles()[0]).toBe(`Нужно согласование: Запросить изменение флага: FEATURE_X (${connection})`);
    expect(titles()[2]).toBe('2 запроса всё ещё ожидают согласования');
    expect(bodies()[2].text.replace(/\s/g, ' ')).toContain('admin@example.org, 1 д 3 ч назад');
  });

  it('is not that of a message which an older version stored in English', async () => {
    const channel = await channelIn('ru');
    await on.create([channel.id!]);
    await on.change();
    await on.follow();
    const [[id, text]] = Object.entries(await test.storeRedis.hgetall(MESSAGES)) as [[string, string]];
    const { notice, ...rest } = JSON.parse(text);
    const { translations: _, ...older } = notice;
    await test.storeRedis.hset(MESSAGES, id, JSON.stringify({ ...rest, notice: older }));
    await on.deliver();
    expect(titles()).toEqual([`Succeeded: Change a feature flag: FEATURE_X (${connection})`]);
  });
});
