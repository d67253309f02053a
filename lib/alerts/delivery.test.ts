import { createHmac } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommand } from '@/lib/command/run';
import { forgetEnv } from '@/lib/configuration';
import { sendMail } from '@/lib/mail';
import { HOUR, SECOND } from '@/lib/time';
import { undoChange } from '@/lib/undo/commands';
import { registerUndoable } from '@/lib/undo/registry';
import { alertsOn } from '@/scripts/testing/alerts';
import { testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { readMail } from '@/scripts/testing/read-mail';
import { webhookReceiver } from '@/scripts/testing/webhook-receiver';
import { failingChannels } from './attention';
import { sealSecrets } from './channel';
import { createChannel, deleteChannel, testChannel, updateChannel } from './channel-commands';
import { deleteAlert } from './commands';
import { post } from './post';
import { listChannels } from './reads';
import { enter, leave } from './room';
import { silenceAlert, unsilenceAlert } from './silence-commands';
import { isPublic } from './target';

const test = await testContext({ apps: ['discours'] });
const alerts = alertsOn(test);
let receiver: Awaited<ReturnType<typeof webhookReceiver>>;
const { id: connection } = test.handle.config;

const configure = (variables: Record<string, string>) => {
  Object.assign(process.env, variables);
  forgetEnv();
};

beforeEach(async () => {
  await test.empty();
  alerts.set(null);
  receiver = await webhookReceiver();
  configure({ KEYWARD_ALERT_ALLOWED_NETWORKS: '127.0.0.0/8', KEYWARD_SMTP_URL: '', KEYWARD_SMTP_FROM: '' });
});
afterEach(() => receiver.close());
afterAll(() => {
  alerts.end();
  return test.close();
});

const T = Date.now();
const at = (seconds: number) => T + seconds * SECOND;

/** A webhook and a rule that uses it. */
const watched = async (kind: 'webhook' | 'slack' = 'webhook', rule: object = {}) => {
  const channel = await alerts.run(createChannel, { name: 'Pager', kind, url: receiver.url });
  const id = await alerts.create({ channels: [channel.id!], ...rule });
  return { channel, id };
};

const fire = async () => {
  await alerts.at(at(0), 11);
  await alerts.deliver(at(0));
};

const deliveries = async () => (await alerts.history())[0]!.deliveries;

describe('a webhook', () => {
  it('gets a signed message when an alert fires and when it resolves', { tags: ['long'] }, async () => {
    const { channel } = await watched('webhook', { name: 'Load <b>', description: 'Look at the queue' });
    await fire();
    await alerts.at(at(5), 1);
    await alerts.deliver(at(5));
    expect(receiver.received).toHaveLength(2);
    for (const { headers, body } of receiver.received) {
      const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-keyward-signature']))!;
      expect(createHmac('sha256', channel.secret!).update(`${t}.${body}`).digest('hex')).toBe(v1);
      expect(headers['x-keyward-id']).toBe(JSON.parse(body).id);
    }
    const [fired, resolved] = receiver.received.map(({ body }) => JSON.parse(body));
    expect(fired).toMatchObject({
      event: 'firing',
      name: 'Load <b>',
      description: 'Look at the queue',
      value: 11,
      severity: 'warning',
      metric: 'keyward_test_load',
      text: 'keyward_test_load: 11, above 10.',
      resolvedAt: null,
    });
    expect(resolved).toMatchObject({ event: 'resolved', value: 1 });
    expect(resolved.id).not.toBe(fired.id);
    expect(await deliveries()).toMatchObject([
      { channel: 'Pager', kind: 'webhook', event: 'firing', state: 'delivered', attempts: 1, error: null },
      { event: 'resolved', state: 'delivered', attempts: 1 },
    ]);
  });

  it('is tried again after 500, under the same id, and resolved only after that', async () => {
    await watched();
    receiver.answer = (_, response) => void response.writeHead(500).end();
    await fire();
    expect(await deliveries()).toMatchObject([
      {
        state: 'pending',
        attempts: 1,
        error: 'The receiver answered 500.',
        nextAt: new Date(at(1)).toISOString(),
      },
    ]);
    await alerts.at(at(0.5), 1);
    await alerts.deliver(at(0.5));
    expect(receiver.received).toHaveLength(1);
    receiver.answer = (_, response) => void response.end();
    await alerts.deliver(at(1));
    await alerts.deliver(at(3));
    expect(receiver.received.map(({ body }) => JSON.parse(body).event)).toEqual([
      'firing',
      'firing',
      'resolved',
    ]);
    const [first, second] = receiver.received;
    expect(second!.headers['x-keyward-id']).toBe(first!.headers['x-keyward-id']);
    expect(await deliveries()).toMatchObject([
      { state: 'delivered', attempts: 2, error: null },
      { state: 'delivered', attempts: 1 },
    ]);
  });

  it('that fails needs attention after a minute, until a message is delivered', async () => {
    const { channel } = await watched();
    receiver.answer = (_, response) => void response.writeHead(503).end();
    await fire();
    const later = test.as({ now: () => at(61) });
    expect(await failingChannels(test.as({ now: () => at(59) }))).toEqual([]);
    expect(await failingChannels(later)).toMatchObject([
      { text: 'Messages to Pager are not delivered', detail: 'The receiver answered 503.' },
    ]);
    expect((await listChannels(test.ctx, { limit: 50 })).items).toMatchObject([
      { failingSince: new Date(at(0)).toISOString(), error: 'The receiver answered 503.' },
    ]);
    receiver.answer = (_, response) => void response.end();
    await alerts.run(testChannel, { id: channel.id });
    expect(await failingChannels(later)).toEqual([]);
  });

  it('fails after six attempts in thirteen minutes', async () => {
    await watched();
    receiver.answer = (_, response) => void response.writeHead(503).end();
    await fire();
    for (const seconds of [1, 6, 36, 156, 756, 5000]) await alerts.deliver(at(seconds));
    expect(receiver.received).toHaveLength(6);
    expect(await deliveries()).toMatchObject([{ state: 'failed', attempts: 6, nextAt: null }]);
    expect(await test.storeRedis.exists(`keyward:alert-due:${connection}`)).toBe(0);
  });

  it.each([
    [404, 'failed'],
    [401, 'failed'],
    [408, 'pending'],
    [429, 'pending'],
  ])('that answers %i: %s', async (status, state) => {
    await watched();
    receiver.answer = (_, response) => void response.writeHead(status).end();
    await fire();
    expect(await deliveries()).toMatchObject([{ state, error: `The receiver answered ${status}.` }]);
  });

  it('is not followed to another address', async () => {
    await watched();
    receiver.answer = (_, response) => void response.writeHead(302, { location: '/elsewhere' }).end();
    await fire();
    expect(receiver.received).toHaveLength(1);
    expect(await deliveries()).toMatchObject([
      { state: 'failed', error: 'The receiver answered 302, a redirect, which is not followed.' },
    ]);
  });

  it('that answers without end is left after 64 KiB', async () => {
    await watched();
    let written = 0;
    const closed = new Promise<void>((resolve) => {
      receiver.answer = (_, response) => {
        const more = () => {
          while (written < 10 * 2 ** 20 && response.write(Buffer.alloc(16_384))) written += 16_384;
        };
        response.on('drain', more).on('close', resolve);
        more();
      };
    });
    await fire();
    await closed;
    expect(written).toBeLessThan(9 * 2 ** 20);
    expect(await deliveries()).toMatchObject([{ state: 'delivered' }]);
  });

  it('is tried again so long after the end of the attempt before', async () => {
    await watched();
    let now = at(0);
    receiver.answer = (_, response) => {
      now = at(9);
      response.writeHead(500).end();
    };
    await alerts.at(at(0), 11);
    await alerts.deliver(() => now);
    expect(await deliveries()).toMatchObject([
      { at: new Date(at(9)).toISOString(), nextAt: new Date(at(10)).toISOString() },
    ]);
  });

  it('that hangs holds up no other', async () => {
    const healthy = await webhookReceiver();
    const metric = 'keyward_test_of_family';
    const hanging = await alerts.run(createChannel, { name: 'A', kind: 'webhook', url: receiver.url });
    const other = await alerts.run(createChannel, { name: 'B', kind: 'webhook', url: healthy.url });
    await alerts.create({ source: { metric }, channels: [hanging.id!] });
    receiver.answer = () => undefined;
    alerts.setAll(
      Array.from({ length: 100 }, (_, i) => ({ name: metric, labels: { family: `${i}` }, value: 11 })),
    );
    await alerts.evaluate(at(0));
    await alerts.create({ channels: [other.id!] });
    await alerts.at(at(1), 11);
    const running = alerts.deliver(at(2));
    await vi.waitFor(() => expect(healthy.received).toHaveLength(1));
    await vi.waitFor(() => expect(receiver.received).toHaveLength(2));
    receiver.close();
    await running;
    healthy.close();
    expect(receiver.received).toHaveLength(2);
  });

  it('without room holds up no other, however much is due', { tags: ['long'] }, async () => {
    const { channel } = await watched();
    await alerts.at(at(0), 11);
    const [[id, text]] = Object.entries(
      await test.storeRedis.hgetall(`keyward:alert-events:${connection}`),
    ) as [[string, string]];
    const pipeline = test.storeRedis.pipeline();
    for (let i = 0; i < 1000; i++) {
      const event = { ...JSON.parse(text), id: `${id}-${i}` };
      pipeline.hset(`keyward:alert-events:${connection}`, event.id, JSON.stringify(event));
      pipeline.zadd(`keyward:alert-due:${connection}`, at(0), event.id);
    }
    await pipeline.exec();
    const healthy = await webhookReceiver();
    const other = await alerts.run(createChannel, { name: 'B', kind: 'webhook', url: healthy.url });
    await alerts.create({ source: { metric: 'keyward_test_of_family' }, channels: [other.id!] });
    alerts.setAll([{ name: 'keyward_test_of_family', labels: { family: 'a' }, value: 11 }]);
    await alerts.evaluate(at(1));
    const place = { kind: 'webhook', channel: channel.id! } as const;
    expect([enter(place), enter(place), enter(place)]).toEqual([true, true, false]);
    await alerts.deliver(at(2));
    await alerts.deliver(at(3));
    for (const each of [place, place]) leave(each);
    expect(healthy.received).toHaveLength(1);
    expect(receiver.received).toEqual([]);
    healthy.close();
  });

  it('whose address cannot be read is a failed attempt', async () => {
    const { channel } = await watched();
    const key = `keyward:alert-channels:${connection}`;
    const stored = JSON.parse((await test.storeRedis.hget(key, channel.id!))!);
    const sealed = sealSecrets(connection, channel.id!, { url: 5 as never });
    await test.storeRedis.hset(key, channel.id!, JSON.stringify({ ...stored, sealed }));
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await fire();
    logged.mockRestore();
    expect(await deliveries()).toMatchObject([
      { state: 'pending', attempts: 1, error: expect.stringContaining('could not be sent') },
    ]);
  });

  it('that does not answer is left in time', async () => {
    receiver.answer = () => undefined;
    const hung = await post({ url: receiver.url, body: '{}', headers: {}, timeoutMs: 50 });
    expect(hung).toMatchObject({
      delivered: false,
      retry: true,
      status: null,
      error: 'No answer within 0.05 s.',
    });
  });
});

describe('a crash', () => {
  it('between firing and delivery loses nothing and sends nothing twice', async () => {
    await watched();
    await alerts.at(at(0), 11);
    // All that another process has is the store. Several of them are there.
    await Promise.all([1, 2, 3, 4].map(() => alerts.deliver(at(5))));
    await alerts.evaluate(at(5));
    await alerts.deliver(at(60));
    expect(receiver.received).toHaveLength(1);
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 1 }]);
  });

  it('during an attempt repeats it under the same id, once its claim has ended', async () => {
    await watched();
    await alerts.at(at(0), 11);
    const key = `keyward:alert-events:${connection}`;
    const before = await test.storeRedis.hgetall(key);
    await alerts.deliver(at(0));
    const claimed = Object.entries(before).map(([id, text]) => {
      const event = JSON.parse(text);
      event.deliveries[0].nextAt = at(30);
      return [id, JSON.stringify(event)] as const;
    });
    // As it was while the attempt ran: claimed, without a result.
    for (const [id, text] of claimed) {
      await test.storeRedis.hset(key, id, text);
      await test.storeRedis.zadd(`keyward:alert-due:${connection}`, at(30), id);
    }
    await alerts.deliver(at(29));
    expect(receiver.received).toHaveLength(1);
    await alerts.deliver(at(30));
    const ids = receiver.received.map(({ headers }) => headers['x-keyward-id']);
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe(ids[1]);
  });
});

const silence = (id: string) =>
  alerts.run(silenceAlert, { id, until: new Date(T + HOUR).toISOString(), reason: 'planned' });

it('a silenced alert is delivered when the silence ends while it fires', async () => {
  const { id } = await watched();
  await silence(id);
  await fire();
  expect(receiver.received).toEqual([]);
  expect(await alerts.history()).toMatchObject([{ silenced: true, deliveries: [] }]);
  await alerts.run(unsilenceAlert, { id });
  await alerts.at(at(5), 11);
  await alerts.deliver(at(5));
  expect(receiver.received).toHaveLength(1);
  expect(await alerts.history()).toMatchObject([{ silenced: false, deliveries: [{ event: 'firing' }] }]);
});

it('a silence removes what was not attempted yet', async () => {
  const { id } = await watched();
  await alerts.at(at(0), 11);
  await silence(id);
  await alerts.deliver(at(0));
  expect(await alerts.history()).toMatchObject([{ silenced: true, deliveries: [] }]);
  expect(receiver.received).toEqual([]);
});

it('a silence ends attempts, which go on under their id when it ends while the alert fires', async () => {
  const { id } = await watched();
  receiver.answer = (_, response) => void response.writeHead(500).end();
  await fire();
  await silence(id);
  for (const seconds of [2, 30]) await alerts.deliver(at(seconds));
  expect(receiver.received).toHaveLength(1);
  const error = 'A silence held it back.';
  expect(await alerts.history()).toMatchObject([
    { silenced: true, deliveries: [{ state: 'failed', attempts: 1, error, nextAt: null }] },
  ]);
  await alerts.run(unsilenceAlert, { id });
  receiver.answer = (_, response) => void response.end();
  await alerts.at(at(35), 11);
  await alerts.deliver(at(35));
  const [first, second] = receiver.received;
  expect(second!.headers['x-keyward-id']).toBe(first!.headers['x-keyward-id']);
  expect(await alerts.history()).toMatchObject([
    { silenced: false, deliveries: [{ state: 'delivered', attempts: 2, error: null }] },
  ]);
});

it('a silence leaves an attempt that runs, and that it resolved reaches whoever may have the message', async () => {
  const slow = await webhookReceiver();
  let answer = (): void => undefined;
  slow.answer = (_, response) => {
    answer = () => void response.end();
  };
  receiver.answer = (_, response) => void response.writeHead(500).end();
  const channels: string[] = [];
  for (const { url } of [slow, receiver])
    channels.push((await alerts.run(createChannel, { name: 'Pager', kind: 'webhook', url })).id!);
  const id = await alerts.create({ channels });
  await alerts.at(at(0), 11);
  const running = alerts.deliver(at(0));
  await vi.waitFor(async () => {
    expect(slow.received).toHaveLength(1);
    expect(await deliveries()).toMatchObject([{ attempts: 0 }, { attempts: 1 }]);
  });
  await silence(id);
  await alerts.deliver(at(2));
  expect(await deliveries()).toMatchObject([{ state: 'pending' }, { state: 'failed' }]);
  answer();
  await running;
  expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 1 }, { state: 'failed' }]);
  for (const each of [slow, receiver]) each.answer = (_, response) => void response.end();
  await alerts.at(at(5), 1);
  await alerts.deliver(at(5));
  for (const { received } of [slow, receiver])
    expect(received.map(({ body }) => JSON.parse(body).event)).toEqual(['firing', 'resolved']);
  slow.close();
});

it('a silence of what was delivered repeats nothing when it ends', async () => {
  const { id } = await watched();
  await fire();
  await silence(id);
  await alerts.at(at(5), 11);
  await alerts.run(unsilenceAlert, { id });
  await alerts.at(at(10), 11);
  await alerts.deliver(at(10));
  expect(receiver.received).toHaveLength(1);
});

it('Slack gets text that cannot mention or link anything', async () => {
  await watched('slack', { name: '<!channel> & *all*', description: '<https://evil.example|click>' });
  await fire();
  const body = JSON.parse(receiver.received[0]!.body);
  expect(body.text).toBe(`Firing: &lt;!channel&gt; &amp; *all* (${connection})`);
  expect(body.attachments[0].text).toContain('&lt;https://evil.example|click&gt;');
  expect(body.mrkdwn).toBe(false);
  expect(receiver.received[0]!.headers['x-keyward-signature']).toBeUndefined();
});

describe('the language of a channel', () => {
  const channelIn = (language: string, kind: 'webhook' | 'slack' = 'webhook') =>
    alerts.run(createChannel, { name: language, kind, url: receiver.url, language });
  const languages = async () =>
    (await listChannels(test.ctx, { limit: 50 })).items.map(({ language }) => language);
  const bodies = () => receiver.received.map(({ body }) => JSON.parse(body));

  it('is that of its messages, in each of an alert', async () => {
    const channels = await Promise.all(['en', 'ru', 'zh'].map((language) => channelIn(language)));
    await alerts.create({ description: 'Look', channels: channels.map(({ id }) => id!) });
    await fire();
    const texts = () => bodies().map(({ text }) => text);
    const fired = bodies();
    expect(texts().sort()).toEqual([
      'keyward_test_load: 11, above 10.',
      'keyward_test_load: 11, выше 10.',
      'keyward_test_load：11，高于 10。',
    ]);
    for (const { id: _, text: __, ...rest } of fired) {
      const { id: ___, text: ____, ...first } = fired[0];
      expect(rest).toEqual(first);
    }
    receiver.received.splice(0);
    await alerts.at(at(5), 1);
    await alerts.deliver(at(5));
    expect(texts().sort()).toEqual([
      'keyward_test_load: 1; the limit is above 10.',
      'keyward_test_load: 1; лимит: выше 10.',
      'keyward_test_load：1；阈值：高于 10。',
    ]);
  });

  it.each([
    ['ru', 'Тест: проверка канала оповещений (main)', 'Кто отправил: Test admin. Всё в порядке.'],
    ['zh', '测试：通知渠道（main）', '由 Test admin 发送，一切正常。'],
  ])('is that of a test: %s', async (language, title, text) => {
    const slack = await channelIn(language, 'slack');
    const webhook = await channelIn(language);
    await alerts.run(testChannel, { id: slack.id });
    await alerts.run(testChannel, { id: webhook.id });
    const [inSlack, sent] = bodies();
    expect(inSlack.text).toBe(title.replace('main', connection));
    expect(inSlack.attachments[0].text).toBe(text);
    expect(sent).toMatchObject({ name: 'Test of an alert channel', severity: 'warning', text });
  });

  it('is English where an older version stored it, until it is changed, with undo', async () => {
    const { channel } = await watched();
    const key = `keyward:alert-channels:${connection}`;
    const { language: _, ...stored } = JSON.parse((await test.storeRedis.hget(key, channel.id!))!);
    await test.storeRedis.hset(key, channel.id!, JSON.stringify(stored));
    await fire();
    expect(bodies()).toMatchObject([{ text: 'keyward_test_load: 11, above 10.' }]);
    expect(await languages()).toEqual(['en']);
    const { etag } = (await listChannels(test.ctx, { limit: 50 })).items[0]!;
    const { auditId } = await alerts.run(updateChannel, { id: channel.id, etag, language: 'zh' });
    expect(await languages()).toEqual(['zh']);
    registerUndoable([updateChannel as never]);
    await runCommand(undoChange, {
      actor: testActor('admin'),
      requestId: 'test',
      connection: null,
      raw: { auditId },
    });
    expect(await languages()).toEqual(['en']);
  });

  it('is one of those of the console', async () => {
    expect((await problemOf(channelIn('de'))).extensions.errors).toMatchObject([{ path: 'language' }]);
  });
});

describe('addresses', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.1',
    '172.16.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '::1',
    '::',
    'fe80::1',
    'fd00:ec2::254',
    'fec0::1',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::a00:1',
    '2002:7f00:1::',
    '::7f00:1',
    'ff02::1',
  ])('%s is not public', (address) => expect(isPublic(address)).toBe(false));
  it.each(['1.1.1.1', '2606:4700::1111'])('%s is public', (address) => expect(isPublic(address)).toBe(true));

  it.each([
    'https://127.0.0.1/x',
    'https://2130706433/x',
    'https://0x7f.1/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://[fd00::1]/x',
    'http://1.1.1.1/x',
    'ftp://1.1.1.1/x',
    'https://user:hunter2@example.org/x',
  ])('a channel to %s is refused', async (url) => {
    configure({ KEYWARD_ALERT_ALLOWED_NETWORKS: '' });
    const problem = await problemOf(alerts.run(createChannel, { name: 'x', kind: 'webhook', url }));
    expect(problem.extensions.errors).toMatchObject([{ path: 'url' }]);
    expect(problem.message).not.toContain('hunter2');
  });

  it('a name that resolves to a private address is refused when it is connected', async () => {
    const { port } = new URL(receiver.url);
    configure({ KEYWARD_ALERT_ALLOWED_NETWORKS: '10.0.0.0/8' });
    for (const protocol of ['http', 'https']) {
      const url = `${protocol}://localhost:${port}/x`;
      const refused = await post({ url, body: '{}', headers: {} });
      expect(refused).toMatchObject({ delivered: false, retry: false, status: null });
      expect(refused.error).toContain('private network');
    }
    expect(receiver.received).toEqual([]);
    configure({ KEYWARD_ALERT_ALLOWED_NETWORKS: '127.0.0.0/8' });
    const allowed = await post({ url: `http://localhost:${port}/x`, body: '{}', headers: {} });
    expect(allowed.delivered).toBe(true);
  });
});

describe('secrets', () => {
  it('are in no list, no audit entry, no error, and not readable in the store', async () => {
    const { channel } = await watched();
    receiver.close();
    const tested = await alerts.run(testChannel, { id: channel.id });
    expect(tested).toMatchObject({ state: 'failed', status: null, error: 'The connection was refused.' });
    await fire();
    const { items } = await listChannels(test.ctx, { limit: 50 });
    expect(items).toMatchObject([{ name: 'Pager', target: `${new URL(receiver.url).host}/•••`, rules: 1 }]);
    const stored: unknown[] = [];
    for (const key of await test.storeRedis.keys('*')) {
      const type = await test.storeRedis.type(key);
      if (type === 'hash') stored.push(await test.storeRedis.hgetall(key));
      if (type === 'string') stored.push(await test.storeRedis.get(key));
      if (type === 'stream') stored.push(await test.storeRedis.xrange(key, '-', '+'));
    }
    const seen = JSON.stringify([items, stored, tested, await alerts.history(), await alerts.list(at(0))]);
    expect(seen).toContain('alerts.channels.create');
    expect(seen).not.toContain('secret-path');
    expect(seen).not.toContain(channel.secret);
  });

  it('a new signing key and a new name, by compare-and-set', async () => {
    const { channel } = await watched();
    const { id, etag } = channel;
    const changed = await alerts.run(updateChannel, { id, etag, name: 'Ops', newSecret: true });
    expect(changed.secret).not.toBe(channel.secret);
    expect((await problemOf(alerts.run(updateChannel, { id, etag, name: 'Mine' }))).code).toBe('changed');
    await fire();
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
    const [, t, v1] = /^t=(\d+),v1=(.*)$/.exec(String(headers['x-keyward-signature']))!;
    expect(createHmac('sha256', changed.secret!).update(`${t}.${body}`).digest('hex')).toBe(v1);
  });

  it('a channel that a rule uses is not deleted', async () => {
    const { channel } = await watched();
    const refused = await problemOf(alerts.run(deleteChannel, { id: channel.id, etag: channel.etag }));
    expect(refused.message).toContain('A rule uses this channel: Load.');
  });
});

it('a channel that is gone is shown where it is missing', async () => {
  const { channel, id } = await watched();
  const { etag } = (await alerts.list(at(0))).items[0]!;
  registerUndoable([deleteAlert as never]);
  const { auditId } = await alerts.run(deleteAlert, { id, etag });
  await alerts.run(deleteChannel, { id: channel.id, etag: channel.etag });
  const undone = await runCommand(undoChange, {
    actor: testActor('admin'),
    requestId: 'test',
    connection: null,
    raw: { auditId },
  });
  expect(undone).toMatchObject({ undone: 1, conflicts: [{ why: 'One of its channels was deleted.' }] });
  expect((await alerts.list(at(0))).items).toMatchObject([
    { channels: [{ name: 'Deleted channel', kind: null }] },
  ]);
  await fire();
  expect(await deliveries()).toMatchObject([
    { channel: 'Deleted channel', state: 'failed', attempts: 0, error: 'The channel was deleted.' },
  ]);
});

it('ten tests a minute', async () => {
  const { channel } = await watched();
  const { id } = channel;
  for (let i = 0; i < 10; i++)
    expect(await alerts.run(testChannel, { id })).toMatchObject({ state: 'delivered', status: 200 });
  expect((await problemOf(alerts.run(testChannel, { id }))).code).toBe('throttled');
  expect(receiver.received).toHaveLength(10);
  expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
    event: 'test',
    text: expect.stringContaining('Test admin'),
  });
});

describe('mail', () => {
  let mails: { from: string; to: string[]; text: string }[];
  let server: SMTPServer;
  let port: number;
  let refuse: number | null;
  /** Codes by recipient. */
  let refused: Record<string, number>;
  /** It takes the message and does not answer. */
  let isSlow: boolean;
  let silent: Server | null;

  beforeEach(async () => {
    mails = [];
    refuse = null;
    refused = {};
    isSlow = false;
    silent = null;
    server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      authOptional: true,
      onAuth: ({ username, password }, _session, done) =>
        password === 'hunter2' ? done(null, { user: username! }) : done(new Error('no')),
      onRcptTo: ({ address }, _session, done) => {
        const responseCode = refused[address] ?? refuse;
        if (responseCode === null) return done();
        done(Object.assign(new Error('refused by the test'), { responseCode }));
      },
      onData: async (stream, { envelope }, done) => {
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk as Buffer);
        const from = envelope.mailFrom ? envelope.mailFrom.address : '';
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ from, to, text: Buffer.concat(chunks).toString() });
        if (!isSlow) done();
      },
    });
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
    ({ port } = server.server.address() as { port: number });
    configure({
      KEYWARD_SMTP_URL: `smtp://ops:hunter2@127.0.0.1:${port}`,
      KEYWARD_SMTP_FROM: 'keyward@example.org',
    });
  });
  afterEach(() => {
    silent?.close();
    return new Promise<void>((resolve) => void server.close(() => resolve()));
  });

  const to = ['ann@example.org', 'ben@example.org'];

  it('gets the alert as text, and no header of a name', async () => {
    const channel = await alerts.run(createChannel, { name: 'Mail', kind: 'email', to });
    await alerts.create({ name: 'Load', description: 'Bcc: x@evil.example', channels: [channel.id!] });
    await fire();
    expect(mails).toMatchObject([{ from: 'keyward@example.org', to }]);
    const { text } = mails[0]!;
    const [head, body] = text.split('\r\n\r\n') as [string, string];
    expect(head).toContain(`Subject: Firing: Load (${connection})`);
    expect(head).not.toContain('evil.example');
    expect(body).toContain('keyward_test_load: 11, above 10.');
    expect(await deliveries()).toMatchObject([{ kind: 'email', state: 'delivered' }]);
  });

  it('is in the language of the channel, with the subject on one line', async () => {
    const given = { name: 'Mail', kind: 'email', to, language: 'ru' };
    const channel = await alerts.run(createChannel, given);
    await alerts.create({ name: 'Нагрузка', severity: 'critical', channels: [channel.id!] });
    await fire();
    await alerts.at(at(5), 1);
    await alerts.deliver(at(5));
    const [fired, resolved] = mails.map(({ text }) => readMail(text));
    expect(fired!.subject).toBe(`Сработало: Нагрузка (${connection})`);
    expect(fired!.text).toContain('keyward_test_load: 11, выше 10.');
    expect(fired!.text).toContain('Важность: критично');
    expect(resolved!.subject).toBe(`Снято: Нагрузка (${connection})`);
    expect(resolved!.text).toMatch(/^Снято: \d{4}-.* UTC/m);
  });

  it('a line break in a subject begins no header', async () => {
    await sendMail({ id: 'x', to: ['ann@example.org'], subject: 'a\r\nBcc: x@evil.example', text: 'x' });
    expect(mails[0]!.to).toEqual(['ann@example.org']);
    expect(mails[0]!.text).not.toMatch(/^Bcc:/m);
  });

  it.each([['ann@example.org, x@evil.example'], ['a@b\r\nc'], ['"x" <a@b>'], ['nobody']])(
    'a recipient %j is refused',
    async (address) => {
      const created = alerts.run(createChannel, { name: 'Mail', kind: 'email', to: [address] });
      expect((await problemOf(created)).extensions.errors).toMatchObject([{ path: 'to' }]);
    },
  );

  it('is tried again after 450, and not after 550', async () => {
    const channel = await alerts.run(createChannel, { name: 'Mail', kind: 'email', to });
    await alerts.create({ channels: [channel.id!] });
    refuse = 450;
    await fire();
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({
      state: 'pending',
      error: '2 of 2 recipients were refused (450).',
    });
    refuse = 550;
    await alerts.deliver(at(2));
    expect(await deliveries()).toMatchObject([{ state: 'failed', attempts: 2 }]);
  });

  it('is tried again for the recipients that were refused for now, and only for them', async () => {
    const three = [...to, 'eve@example.org'];
    const channel = await alerts.run(createChannel, { name: 'Mail', kind: 'email', to: three });
    await alerts.create({ channels: [channel.id!] });
    refused = { 'ben@example.org': 450, 'eve@example.org': 550 };
    await fire();
    expect(await deliveries()).toMatchObject([
      { state: 'pending', error: '2 of 3 recipients were refused (450, 550).' },
    ]);
    refused = {};
    await alerts.deliver(at(2));
    expect(mails.map((mail) => mail.to)).toEqual([['ann@example.org'], ['ben@example.org']]);
    expect(await deliveries()).toMatchObject([
      { state: 'failed', attempts: 2, error: '1 of 3 recipients were refused.' },
    ]);
  });

  it('is not sent again to those who have it after an attempt that reached no server', {
    tags: ['long'],
  }, async () => {
    const channel = await alerts.run(createChannel, { name: 'Mail', kind: 'email', to });
    await alerts.create({ channels: [channel.id!] });
    const url = process.env.KEYWARD_SMTP_URL!;
    refused = { 'ben@example.org': 450 };
    await fire();
    refused = {};
    configure({ KEYWARD_SMTP_URL: 'smtp://127.0.0.1:1' });
    await alerts.deliver(at(2));
    expect(await deliveries()).toMatchObject([{ attempts: 2, error: 'The mail server was not reached.' }]);
    configure({ KEYWARD_SMTP_URL: url });
    await alerts.deliver(at(8));
    expect(mails.map((mail) => mail.to)).toEqual([['ann@example.org'], ['ben@example.org']]);
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 3 }]);
  });

  const mail = { id: 'x', to: ['ann@example.org'], subject: 'x', text: 'x' };

  it('is not sent to a recipient that the channel has no more', async () => {
    const rest = { to: ['ben@example.org'], refused: 0 };
    expect(await sendMail({ ...mail, rest })).toMatchObject({ delivered: true });
    expect(mails).toEqual([]);
  });

  it('on a server that hangs holds up no webhook', { tags: 'long' }, async () => {
    const sockets: Socket[] = [];
    silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined).resume()));
    await new Promise<void>((resolve) => void silent!.listen(0, '127.0.0.1', () => resolve()));
    const { port: own } = silent!.address() as { port: number };
    configure({ KEYWARD_SMTP_URL: `smtp://127.0.0.1:${own}` });
    const channels: string[] = [];
    for (let i = 0; i < 6; i++)
      channels.push((await alerts.run(createChannel, { name: 'Mail', kind: 'email', to })).id!);
    await alerts.create({ channels });
    await alerts.create({ channels });
    await alerts.at(at(0), 11);
    await watched();
    await alerts.at(at(1), 11);
    const running = alerts.deliver(at(2));
    await vi.waitFor(() => {
      expect(receiver.received).toHaveLength(1);
      expect(sockets).toHaveLength(2);
    });
    for (const socket of sockets) socket.destroy();
    await running;
    expect(sockets).toHaveLength(2);
  });

  it('ends the connection to a server that does not answer', async () => {
    const closed = new Promise<void>((resolve) => {
      silent = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.on('close', () => resolve()).resume();
      });
    });
    await new Promise<void>((resolve) => void silent!.listen(0, '127.0.0.1', () => resolve()));
    const { port: own } = silent!.address() as { port: number };
    configure({ KEYWARD_SMTP_URL: `smtp://127.0.0.1:${own}` });
    expect(await sendMail(mail, 100)).toMatchObject({ retry: true, error: 'No answer within 0.1 s.' });
    await closed;
  });

  it('is not sent again to a server that has it and does not say so', { tags: 'long' }, async () => {
    isSlow = true;
    expect(await sendMail(mail, 1000)).toMatchObject({
      delivered: false,
      retry: false,
      error: expect.stringContaining('did not confirm'),
    });
    expect(mails).toHaveLength(1);
    await vi.waitFor(() => expect(server.connections.size).toBe(0));
  });

  it('names no password when the server refuses it, or is down', async () => {
    configure({ KEYWARD_SMTP_URL: `smtp://ops:wrong-password@127.0.0.1:${port}` });
    expect(await sendMail(mail)).toMatchObject({
      delivered: false,
      retry: false,
      error: expect.stringContaining('refused the user name or password'),
    });
    await new Promise<void>((resolve) => void server.close(() => resolve()));
    expect(await sendMail(mail)).toEqual({
      delivered: false,
      retry: true,
      status: null,
      error: 'The mail server was not reached.',
    });
  });

  it('without a mail server says so', async () => {
    configure({ KEYWARD_SMTP_URL: '' });
    const channel = await alerts.run(createChannel, { name: 'Mail', kind: 'email', to });
    expect(await alerts.run(testChannel, { id: channel.id })).toMatchObject({
      state: 'failed',
      error: 'KEYWARD_SMTP_URL is not set, so no mail is sent.',
    });
  });
});
