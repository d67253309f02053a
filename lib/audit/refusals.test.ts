import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ensureSealed } from '@/lib/access/seal-records';
import { signIn } from '@/lib/access/sign-in';
import type { Actor } from '@/lib/actor';
import { runCommand } from '@/lib/command/run';
import { closeStore, openStore, type Store, store } from '@/lib/redis/store';
import { MINUTE } from '@/lib/time';
import { changePassword, signOutEverywhere } from '@/lib/users/commands';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { auditKeys } from './chain';
import { listEntries } from './reads';
import { closeRefusals, recordRefusal } from './record';
import { verifyChain } from './verify';

let test: TestContext;
const opened: Store[] = [];
/** The middle of a minute. */
const NOW = 1_800_000_030_000;
beforeAll(async () => {
  test = await testContext();
});
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  closeStore();
  await test.empty();
});
afterAll(async () => {
  vi.useRealTimers();
  for (const each of opened) each.close();
  await test.close();
});

const evaluator: Actor = { kind: 'token', id: 'token-1', name: 'flags', role: 'evaluator' };
const refusal = (change: Partial<Parameters<typeof recordRefusal>[0]> = {}) => ({
  actor: evaluator,
  action: 'users.list',
  connection: null,
  requestId: 'r',
  detail: 'refused: needs users:manage',
  ...change,
});
const times = (count: number, work: (i: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));
const rows = () => test.storeRedis.xlen(auditKeys.stream);
const entries = async () => (await listEntries(store(), { limit: 1000 })).items;
const details = async () => (await entries()).map(({ detail }) => detail);
const closeMinute = () => closeRefusals(store(), NOW + MINUTE);
const counters = () => test.storeRedis.keys('keyward:audit-refusals');

describe('what is refused', () => {
  it('is one entry of an actor, action and minute, there at once and with its number afterwards', async () => {
    await recordRefusal(refusal());
    expect(await details()).toEqual(['refused: needs users:manage']);
    await times(499, () => recordRefusal(refusal()));
    expect(await rows()).toBe(1);
    await closeRefusals(store(), NOW);
    expect(await rows()).toBe(1);
    await closeMinute();
    expect(await rows()).toBe(2);
    expect(await entries()).toMatchObject([
      { outcome: 'failed', detail: 'refused: needs users:manage (500 times within the minute)' },
    ]);
    await closeMinute();
    expect([await rows(), await counters()]).toEqual([2, []]);
    expect(await verifyChain(store())).toMatchObject({ ok: true, entries: 2 });
  });

  it('does not flood the log by other connections, targets and actions either', async () => {
    const actions = ['users.list', 'jobs.list', 'audit.list'];
    await times(500, (i) =>
      recordRefusal(
        refusal({ action: actions[i % 3]!, connection: `c${i}`, target: `t${i}`, detail: `d${i}` }),
      ),
    );
    await closeMinute();
    expect(await rows()).toBe(6);
    expect((await entries()).map(({ action }) => action).sort()).toEqual([...actions].sort());
    for (const detail of await details())
      expect(detail).toMatch(/^d\d \(16[67] times within the minute, not all with the same connection/);
  });

  it('is counted together with what other processes count, and apart from the next minute and other actors', async () => {
    // Another process is another chain on another client: what it knows of refusals is in the store only.
    for (let i = 0; i < 3; i++) {
      closeStore();
      await times(10, () => recordRefusal(refusal()));
    }
    await recordRefusal(refusal({ actor: { ...evaluator, id: 'token-2' } }));
    vi.setSystemTime(NOW + MINUTE);
    await recordRefusal(refusal());
    await closeMinute();
    expect(await details()).toEqual([
      'refused: needs users:manage',
      'refused: needs users:manage',
      'refused: needs users:manage (30 times within the minute)',
    ]);
    await Promise.all([1, 2, 3].map(() => closeRefusals(store(), NOW + 2 * MINUTE)));
    expect([await rows(), await counters()]).toEqual([4, []]);
  });

  it('is not lost where the first was counted and a crash kept it from the log', async () => {
    await times(3, () => recordRefusal(refusal()));
    await test.storeRedis.del(auditKeys.stream, auditKeys.head);
    await test.storeRedis.unlink(await test.storeRedis.keys('keyward:audit-entry:*'));
    closeStore();
    await closeMinute();
    expect(await details()).toEqual(['refused: needs users:manage (3 times within the minute)']);
  });

  it('is no way into the log for who writes into the store', async () => {
    await recordRefusal(refusal());
    const [[field, text]] = Object.entries(await test.storeRedis.hgetall('keyward:audit-refusals')) as [
      [string, string],
    ];
    const forged = JSON.parse(text) as { record: string; count: number };
    forged.record = forged.record.replace('users.list', 'users.nope');
    await test.storeRedis.hset('keyward:audit-refusals', {
      [field]: JSON.stringify({ ...forged, count: 7 }),
      [`${field}x`]: 'nonsense',
    });
    await closeMinute();
    expect([await rows(), await counters()]).toEqual([1, []]);
  });

  it('makes nobody fail where the store cannot take it', async () => {
    const gone = openStore('redis://127.0.0.1:1');
    opened.push(gone);
    closeStore();
    store.replace(gone);
    await recordRefusal(refusal());
    closeStore();
  });
});

it('what an API token may not do to an account it has not leaves one entry, and no intent', async () => {
  const call = { actor: evaluator, requestId: 'r', connection: null };
  const passwords = { currentPassword: 'something', newPassword: 'something else 1' };
  await times(250, async () => {
    expect(await problemOf(runCommand(changePassword, { ...call, raw: passwords }))).toMatchObject({
      status: 403,
    });
    expect(await problemOf(runCommand(signOutEverywhere, { ...call, raw: {} }))).toMatchObject({
      status: 403,
    });
  });
  await closeMinute();
  expect(await rows()).toBe(4);
  for (const detail of await details())
    expect(detail).toBe('refused: forbidden (250 times within the minute)');
});

it('sign-ins that fail or are throttled have an entry each at first, and are counted from there on', async () => {
  const credentials = { email: 'nobody@example.org', password: 'a wrong password', address: '203.0.113.1' };
  // Of a new store the first look-up of a user says that its records are sealed.
  await ensureSealed(store());
  const others = await rows();
  await times(60, () => signIn(credentials));
  expect((await rows()) - others).toBe(20);
  await closeMinute();
  expect((await rows()) - others).toBe(21);
  const summary = (await details()).filter((detail) => detail?.includes('60 times within the minute'));
  expect(summary).toHaveLength(1);
});
