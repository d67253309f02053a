import { SMTPServer } from 'smtp-server';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storeAlarm } from '@/lib/audit/watch-record';
import { runCommand } from '@/lib/command/run';
import { forgetEnv } from '@/lib/configuration';
import { declineFlagChange, requestFlagChange } from '@/lib/flags/request-commands';
import { closeStore, store } from '@/lib/redis/store';
import { DAY, HOUR, MINUTE } from '@/lib/time';
import { testActor, testContext } from '@/scripts/testing/context';
import { notificationsOn } from '@/scripts/testing/notifications';
import { webhookReceiver } from '@/scripts/testing/webhook-receiver';
import { updateNotification } from './commands';
import { dueDay, storeDigests } from './daily';

const test = await testContext({ apps: ['discours'] });
const on = notificationsOn(test);
const { id: connection } = test.handle.config;
let receiver: Awaited<ReturnType<typeof webhookReceiver>>;

const configure = (variables: Record<string, string>) => {
  Object.assign(process.env, variables);
  forgetEnv();
};
beforeEach(async () => {
  await test.empty();
  closeStore();
  receiver = await webhookReceiver();
  configure({ KEYWARD_ALERT_ALLOWED_NETWORKS: '127.0.0.0/8' });
});
afterEach(() => receiver.close());
afterAll(() => test.close());

const bodies = () => receiver.received.map(({ body }) => JSON.parse(body));
const digests = async (now: number) => {
  await storeDigests(store(), now);
  await on.deliver(now);
};
/** Days from now, at this hour of UTC. */
const at = (days: number, hour: number): number => {
  const today = new Date(Date.now() + days * DAY).toISOString().slice(0, 10);
  return Date.parse(`${today}T00:00:00Z`) + hour * HOUR;
};
const DAILY = { when: 'daily', hour: 9, timeZone: 'UTC' } as const;

describe('the day whose digest is due', () => {
  const berlin = (hour: number) => ({ hour, timeZone: 'Europe/Berlin' });
  it.each([
    ['2026-05-04T06:59:00Z', 9, '2026-05-03'],
    ['2026-05-04T07:00:00Z', 9, '2026-05-04'],
    ['2026-12-04T07:59:00Z', 9, '2026-12-03'],
    ['2026-12-04T08:00:00Z', 9, '2026-12-04'],
    // On 29 March clocks go from 2 to 3: there is no 2:30.
    ['2026-03-29T00:59:00Z', 2, '2026-03-28'],
    ['2026-03-29T01:00:00Z', 2, '2026-03-29'],
    // On 25 October it is twice between 2 and 3.
    ['2026-10-24T23:59:00Z', 2, '2026-10-24'],
    ['2026-10-25T00:00:00Z', 2, '2026-10-25'],
    ['2026-10-25T01:30:00Z', 2, '2026-10-25'],
    ['2026-01-01T00:30:00Z', 23, '2025-12-31'],
  ])('at %s for %i:00 in Berlin is %s', (time, hour, day) => {
    expect(dueDay(Date.parse(time), berlin(hour))).toBe(day);
  });
});

it('a digest is sent once a day, also by two processes and after a restart', async () => {
  const channel = await on.webhook(receiver.url);
  await on.create([channel.id!], { ...DAILY, filter: {} });
  await on.change();
  await on.change({ outcome: 'failed', action: 'env.set' });
  await on.follow();
  await digests(Date.now());
  const first = at(1, 9);
  await digests(first - MINUTE);
  expect(bodies().length).toBeLessThanOrEqual(1);
  receiver.received.splice(0);
  await Promise.all([1, 2, 3].map(() => storeDigests(store(), first + MINUTE)));
  closeStore();
  await digests(first + 2 * MINUTE);
  await digests(first + 10 * HOUR);
  expect(receiver.received).toHaveLength(1);
  await digests(at(2, 9));
  expect(bodies()).toMatchObject([{ event: 'digest' }, { event: 'digest', digest: { entries: 0 } }]);
  expect(bodies()[1].text).toContain('Nothing happened.');
});

it('a digest counts by action and outcome, what failed first, and who was most active', async () => {
  const channel = await on.webhook(receiver.url);
  await on.create([channel.id!], { ...DAILY, about: ['audit', 'alarms'], filter: { connection } });
  for (let i = 0; i < 3; i++) await on.change();
  await on.change({ action: 'env.set', role: 'product', outcome: 'failed' });
  await on.change({ connection: null });
  await on.begin();
  await storeAlarm(store(), { since: Date.now(), problem: 'an entry was changed' });
  await digests(at(2, 9));
  const [{ text, digest, title }] = bodies();
  expect(title).toBe('Daily digest: Ops');
  expect(digest).toMatchObject({ entries: 5, alarms: 1 });
  expect(digest.actions[0]).toEqual({ action: 'env.set', outcome: 'failed', count: 1 });
  expect(digest.actions[1]).toEqual({ action: 'flags.set', outcome: 'pending', count: 1 });
  expect(digest.actors[0]).toEqual({ actor: 'admin@example.org', count: 4 });
  expect(text).toContain('3 succeeded: Change a feature flag');
  expect(text).toContain('Not acknowledged');
});

it.each([
  [
    'ru',
    'Сводка за день: Ops',
    [
      '4 записи в журнале аудита:',
      'Изменить флаг функции — успешно: 3',
      'Изменить переменную — отклонено или не удалось: 1',
      'Самые активные:',
      'Не подтверждена тревога от ',
      'Тревоги журнала аудита:',
    ],
  ],
  [
    'zh',
    '每日摘要：Ops',
    [
      '4 条审计记录：',
      '更改功能开关，成功：3',
      '更改变量，被拒绝或失败：1',
      '最活跃的操作者：',
      '尚未确认：',
      '审计日志警报：',
    ],
  ],
] as const)('a digest is in the language of its channel: %s', async (language, title, parts) => {
  const channel = await on.webhook(receiver.url, 'webhook', 'Pager', language);
  const about = ['audit' as const, 'alarms' as const];
  await on.create([channel.id!], { ...DAILY, about, filter: { connection } });
  for (let i = 0; i < 3; i++) await on.change();
  await on.change({ action: 'env.set', role: 'product', outcome: 'failed' });
  await storeAlarm(store(), { since: Date.now(), problem: 'an entry was changed' });
  await digests(at(1, 9));
  const [body] = bodies();
  expect(body).toMatchObject({ title, digest: { alarms: 1 } });
  for (const part of parts) expect(body.text).toContain(part);
});

it('an empty day is skipped if so chosen, and the next digest begins where the last one ended', async () => {
  const channel = await on.webhook(receiver.url);
  await on.create([channel.id!], { ...DAILY, skipEmpty: true });
  await digests(at(1, 9));
  await digests(at(2, 9));
  expect(receiver.received).toEqual([]);
});

it('a digest lists the requests that wait, and not those that were declined', async () => {
  const channel = await on.webhook(receiver.url);
  await on.create([channel.id!], { ...DAILY, about: ['approvals'] });
  const by = (command: unknown, role: 'admin' | 'product', raw: object) =>
    runCommand(
      command as never,
      {
        actor: testActor(role),
        requestId: 'test',
        connection: test.handle,
        raw,
      } as never,
    ) as Promise<{ request: { id: string } }>;
  const ask = (name: string) =>
    by(requestFlagChange, 'product', { name, action: 'create', enabled: true, reason: 'launch' });
  const { request } = await ask('FEATURE_ONE');
  await ask('FEATURE_TWO');
  await by(declineFlagChange, 'admin', { id: request.id, reason: 'no' });
  await on.follow();
  await digests(at(1, 9));
  const [{ text, digest }] = bodies();
  expect(digest.waiting).toBe(1);
  expect(text).toContain('FEATURE_TWO');
  expect(text).not.toContain('FEATURE_ONE');
});

it('a notification that changes to a digest does not tell of the days before', async () => {
  const channel = await on.webhook(receiver.url);
  const { id, etag } = await on.create([channel.id!]);
  await on.change();
  const given = { name: 'Ops', about: ['audit'], channels: [{ connection, channel: channel.id! }] };
  await on.run(updateNotification, { id, etag, ...given, ...DAILY, hour: new Date().getUTCHours() });
  await digests(Date.now());
  expect(receiver.received).toEqual([]);
});

it('mail gets a digest as text, and a name begins no header', async () => {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: async (stream, _session, done) => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      mails.push(Buffer.concat(chunks).toString());
      done();
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as { port: number };
  configure({ KEYWARD_SMTP_URL: `smtp://127.0.0.1:${port}`, KEYWARD_SMTP_FROM: 'keyward@example.org' });
  const channel = await on.mail(['ops@example.org']);
  await on.create([channel.id!], { ...DAILY, filter: {} });
  await on.change({ role: 'product' });
  await digests(at(1, 9));
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  configure({ KEYWARD_SMTP_URL: '', KEYWARD_SMTP_FROM: '' });
  expect(mails).toHaveLength(1);
  expect(mails[0]).toContain('Subject: Daily digest: Ops');
  expect(mails[0]).toContain('product@example.org: 1');
});
