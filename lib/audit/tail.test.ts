import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemActor } from '@/lib/actor';
import { forgetEnv } from '@/lib/configuration';
import { newId } from '@/lib/ids';
import { digest } from '@/lib/keyring';
import { closeStore, openStore, type Store, store } from '@/lib/redis/store';
import { HOUR, MINUTE } from '@/lib/time';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { auditKeys, chainOf, headMac } from './chain';
import { appendIntent } from './log';
import { listEntries } from './reads';
import { trimAudit } from './retention';
import { verifyChain } from './verify';
import { auditStatus, verifyHourly, verifyNow, watchHead } from './watch';
import type { SentHead } from './webhook';

let test: TestContext;
const opened: Store[] = [];
beforeAll(async () => {
  test = await testContext();
});
const logged: string[] = [];
const keepLine = (line: unknown) => {
  logged.push(String(line));
  return true;
};
beforeEach(async () => {
  logged.length = 0;
  vi.spyOn(console, 'error').mockImplementation(keepLine);
  vi.spyOn(process.stdout, 'write').mockImplementation(keepLine);
  for (const each of opened.splice(0)) each.close();
  closeStore();
  await test.empty();
});
afterAll(async () => {
  vi.restoreAllMocks();
  for (const each of opened) each.close();
  await test.close();
});

/** What another process has: its own client, chain and memory. */
const another = (): Store => {
  const made = openStore(process.env.KEYWARD_STORE_URL!);
  opened.push(made);
  return made;
};

const write = async (count: number, into = store()): Promise<void> => {
  for (let i = 0; i < count; i++)
    await appendIntent(into, {
      id: newId(),
      actor: systemActor('somebody'),
      action: 'test.write',
      connection: null,
      target: null,
      reason: null,
      input: null,
      requestId: null,
    });
};

/** What an intruder does: writes down the head, lets `count` entries come, removes them and puts the head back. */
const cutTail = async (count: number, into = store()): Promise<void> => {
  const head = await test.storeRedis.hgetall(auditKeys.head);
  await write(count, into);
  const rows = await test.storeRedis.xrevrange(auditKeys.stream, '+', '-', 'COUNT', count);
  await test.storeRedis.xdel(auditKeys.stream, ...rows.map(([id]) => id));
  await test.storeRedis.hset(auditKeys.head, head);
};

/** The log as it was when it had `count` entries, with the head it had then. */
const restoreHead = async (count: number): Promise<void> => {
  const rows = await test.storeRedis.xrange(auditKeys.stream, '-', '+');
  await test.storeRedis.xdel(auditKeys.stream, ...rows.slice(count).map(([id]) => id));
  const [, fields] = rows[count - 1]!;
  const { id } = JSON.parse(fields[1]!) as { id: string };
  const head = { digest: fields[3]!, seq: count };
  await test.storeRedis.hset(auditKeys.head, { ...head, id, mac: headMac('head', head, id) });
};

it('a tail that was cut together with its head is found, however many entries followed', async () => {
  await write(4);
  await cutTail(3);
  expect(await verifyChain(store())).toMatchObject({ ok: false });
  for (const follow of [2, 1, 1, 10]) {
    await write(follow);
    expect(await verifyChain(store())).toMatchObject({
      ok: false,
      problem: expect.stringContaining('were removed'),
    });
  }
});

it('a tail that was cut is found by a process that saw it, when others wrote what followed', async () => {
  await write(4);
  await cutTail(3);
  await write(10, another());
  expect(await verifyChain(store())).toMatchObject({
    ok: false,
    problem: expect.stringContaining('were removed'),
  });
});

const alarms = async () =>
  (await listEntries(store())).items.filter(({ action }) => action === 'audit.alarm');
const admin = () => ({ store: store(), actor: testActor('admin'), requestId: 'r' });

describe('a head that goes back', () => {
  it('raises an alarm at the next append, once, until somebody acknowledges it', async () => {
    const checks: Promise<void>[] = [];
    chainOf(store()).known.onBack = () => checks.push(watchHead(store()));
    await write(4);
    await cutTail(3);
    expect(checks).toHaveLength(0);
    await write(1);
    await Promise.all(checks);
    expect(checks).toHaveLength(1);
    const problem = expect.stringContaining('went back from entry 7 to 4');
    expect(await alarms()).toMatchObject([{ actor: 'Keyward', outcome: 'failed', detail: problem }]);
    expect(logged[0]).toContain('ALARM');
    await write(10);
    await watchHead(store());
    expect(await verifyNow(admin(), {})).toMatchObject({ ok: false });
    expect(await auditStatus(store())).toMatchObject({ verified: { ok: false }, alarm: { problem } });
    expect(await alarms()).toHaveLength(1);

    expect(await verifyNow(admin(), { acknowledge: true })).toMatchObject({ ok: true });
    expect(await auditStatus(store())).toMatchObject({ verified: { ok: true }, alarm: null });
    await watchHead(store());
    expect(await verifyNow(admin(), { acknowledge: true })).toMatchObject({ ok: true });
    expect((await listEntries(store(), { action: 'audit.verify' })).items).toMatchObject([
      {
        actor: 'admin@example.org',
        detail: expect.stringMatching(/^acknowledged the alarm of 2.*went back/),
      },
    ]);
    await cutTail(1);
    await watchHead(store());
    expect(await auditStatus(store())).toMatchObject({ alarm: { problem: expect.anything() } });
  });

  it('is no alarm any more for a process that was idle, or is started, after it was acknowledged', async () => {
    const idle = another();
    await write(7);
    await watchHead(idle);
    await restoreHead(4);
    await watchHead(store());
    expect(await alarms()).toHaveLength(1);
    expect(await verifyNow(admin(), { acknowledge: true })).toMatchObject({ ok: true });
    for (const each of [idle, another(), store()]) {
      await watchHead(each);
      expect(await verifyChain(each)).toMatchObject({ ok: true });
      expect(await auditStatus(each)).toMatchObject({ alarm: null });
    }
    expect(await test.storeRedis.llen('keyward:audit-heads')).toBe(1);
  });

  it('is an alarm at the next look of a process that only looks, or that was started since', async () => {
    const watcher = another();
    await write(4);
    await watchHead(watcher);
    await cutTail(3);
    await watchHead(watcher);
    expect(await alarms()).toEqual([]);
    const head = await test.storeRedis.hgetall(auditKeys.head);
    await write(2, another());
    await watchHead(watcher, Date.now() + MINUTE);
    await test.storeRedis.hset(auditKeys.head, head);
    for (const looking of [watcher, another()]) {
      await test.storeRedis.hdel('keyward:audit-watch', 'alarm');
      await watchHead(looking);
      expect(await auditStatus(looking)).toMatchObject({
        alarm: { problem: expect.stringContaining('back from') },
      });
    }
  });

  it('is missed by a process started later when it was surpassed long ago', async () => {
    await write(7);
    await watchHead(store());
    await restoreHead(4);
    const later = another();
    await write(10, later);
    await verifyHourly(later, Date.now());
    expect(await auditStatus(later)).toMatchObject({
      verified: { ok: false, problem: expect.stringContaining('were removed') },
      alarm: { problem: expect.stringContaining('were removed') },
    });
  });

  it('is no alarm where retention forgot what was known, nor where many write and look at once', async () => {
    await write(5);
    await watchHead(store());
    await trimAudit(store(), 1, Date.now() + 3 * 24 * HOUR);
    await watchHead(store());
    await Promise.all(
      [store(), another(), another()].flatMap((each) => [
        write(30, each),
        ...Array.from({ length: 30 }, () => watchHead(each)),
      ]),
    );
    expect(await verifyNow(admin(), {})).toMatchObject({ ok: true, entries: 90 });
    expect(await auditStatus(store())).toMatchObject({ alarm: null });
  });

  it('cannot be forged away by who writes into the store', async () => {
    await write(4);
    await cutTail(3);
    await watchHead(store());
    const watch = await test.storeRedis.hgetall('keyward:audit-watch');
    await test.storeRedis.hset('keyward:audit-watch', {
      alarm: watch.alarm!.replace('back', 'on'),
      acknowledged: `${'A'.repeat(43)}${Date.now() + HOUR}`,
    });
    await watchHead(store());
    expect(await auditStatus(store())).toMatchObject({ alarm: { problem: expect.stringContaining('back') } });
    expect(await verifyNow(admin(), {})).toMatchObject({ ok: false });
  });

  it('is reported although the data beside the log was damaged', async () => {
    await write(4);
    await cutTail(3);
    await test.storeRedis.set('keyward:lease:audit-alarm', 'x');
    await Promise.all([watchHead(store()), watchHead(store()), watchHead(store())]);
    expect(await auditStatus(store())).toMatchObject({ alarm: { problem: expect.stringContaining('back') } });
    expect(logged.filter((line) => line.includes('ALARM'))).toHaveLength(1);
    for (const key of ['keyward:audit-heads', 'keyward:audit-watch', 'keyward:audit-refusals']) {
      await test.storeRedis.del(key);
      await test.storeRedis.sadd(key, 'x');
      await watchHead(store());
      expect(await auditStatus(store())).toMatchObject({
        alarm: { problem: expect.stringContaining('back') },
      });
      expect(await test.storeRedis.type(key)).not.toBe('set');
    }
    expect(await verifyNow(admin(), { acknowledge: true })).toMatchObject({ ok: true });
    await test.storeRedis.del('keyward:audit-watch');
    await test.storeRedis.sadd('keyward:audit-watch', 'x');
    await watchHead(store());
    expect(await auditStatus(store())).toMatchObject({
      alarm: { problem: expect.stringContaining('replaced') },
    });
  });
});

describe('by itself', () => {
  it('the log is verified after each start and once an hour, by one process', async () => {
    await write(3);
    const lines = () => logged.filter((line) => /^Audit log: head \d+:[\w-]{43}, verified\.\n$/.test(line));
    const started = Date.now();
    const verifyAll = (startedAt: number, now?: number) =>
      Promise.all([store(), another(), another()].map((each) => verifyHourly(each, startedAt, now)));
    await verifyAll(started);
    expect(lines()).toHaveLength(1);
    expect(await auditStatus(store())).toMatchObject({
      rows: 3,
      verified: { ok: true, entries: 3 },
      alarm: null,
    });
    await verifyAll(started);
    expect(lines()).toHaveLength(1);
    await verifyHourly(store(), started, Date.now() + HOUR);
    expect(lines()).toHaveLength(2);
    await verifyHourly(store(), Date.now() + 1);
    expect(lines()).toHaveLength(3);
  });
});

describe('the webhook', () => {
  it('gets the head after each verification and alarm, signed, and never the address into the log', async () => {
    const got: { body: string; signature: unknown }[] = [];
    let status = 302;
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => (body += part));
      request.on('end', () => {
        got.push({ body, signature: request.headers['x-keyward-signature'] });
        response.writeHead(status, { location: '/elsewhere' }).end();
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    process.env.KEYWARD_AUDIT_WEBHOOK = `http://127.0.0.1:${(server.address() as AddressInfo).port}/s3cret`;
    forgetEnv();
    try {
      await write(4);
      await verifyHourly(store(), Date.now());
      status = 204;
      await cutTail(2);
      await watchHead(store());
      const sent = got.map(({ body }) => JSON.parse(body) as SentHead);
      expect(sent).toMatchObject([
        { seq: 4, digest: expect.stringMatching(/^[\w-]{43}$/), entries: 4, ok: true, problem: null },
        { seq: 5, ok: false, alarm: expect.stringContaining('went back from entry 6 to 4') },
      ]);
      expect(sent[0]).not.toHaveProperty('alarm');
      for (const { body, signature } of got) expect(signature).toBe(digest('audit-webhook', body));
      await new Promise((done) => server.close(done));
      await verifyHourly(store(), Date.now() + 1);
      expect(logged.filter((line) => line.includes('WEBHOOK'))).toEqual([
        'KEYWARD_AUDIT_WEBHOOK answered 302.',
        'KEYWARD_AUDIT_WEBHOOK was not reached: TypeError.',
      ]);
      expect(logged.join()).not.toContain('s3cret');
    } finally {
      server.close();
      delete process.env.KEYWARD_AUDIT_WEBHOOK;
      forgetEnv();
    }
  });
});
