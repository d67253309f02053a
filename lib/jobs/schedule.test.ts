import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApiToken, revokeApiToken } from '@/lib/access/api-tokens';
import { createUser, updateUser } from '@/lib/access/users';
import type { Actor } from '@/lib/actor';
import { Problem } from '@/lib/errors';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { connections } from '@/lib/redis/connections';
import { HOUR, SECOND } from '@/lib/time';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { executeDue } from '@/scripts/testing/scheduled';
import { addEntry, closeQueue, QUEUE_PREFIX, removeEntry } from './queue';
import type { Runner } from './runner';
import {
  changeItem,
  type Executed,
  findScheduled,
  registerScheduled,
  type ScheduledItem,
  saveItem,
  schedule,
  scheduledOf,
  unschedule,
} from './schedule';
import { executeScheduled, reconcileScheduled, startScheduler } from './scheduler';

let test: TestContext;
let by: Actor;
const executed: { actor: Actor; data: unknown }[] = [];
let answer: () => Promise<Executed>;
let schedulers: Runner[] = [];

beforeAll(async () => {
  test = await testContext();
  connections().set('main', test.handle);
  registerScheduled({
    action: 'test.later',
    payload: z.string(),
    execute: async ({ actor, connection }, { data }) => {
      expect(connection.config.id).toBe('main');
      executed.push({ actor, data });
      return answer();
    },
  });
});
beforeEach(async () => {
  await test.empty();
  executed.length = 0;
  answer = async () => ({ state: 'done' });
  const created = await createUser(
    test.ctx.store,
    { email: 'ann@example.org', name: 'Ann', role: 'product', passwordHash: '-' },
    { now: Date.now() },
  );
  if (!created.ok) throw new Error(created.reason);
  const { id, email, name, role } = created.user;
  by = { kind: 'user', id, email, name, role };
});
afterEach(async () => {
  await Promise.all(schedulers.map((each) => each.close()));
  schedulers = [];
});
afterAll(async () => {
  await closeQueue();
  await test.close();
});

const NOW = Date.now();
const plan = (at: number, data = 'it', actor = by) =>
  schedule(test.as({ actor, reason: 'why' }), { action: 'test.later', target: 'thing', at, data });
const planned = () => scheduledOf(test.ctx.store, 'main', 'test.later');
const due = (now: number) => executeDue(test.ctx.store, now);
const start = (retryAfterMs = 20) => {
  schedulers.push(startScheduler(test.ctx.store, { retryAfterMs, stalledMs: 50 }));
};
const stateOf = async (item: ScheduledItem) =>
  (await findScheduled(test.ctx.store, 'main', item.id))?.state ?? 'gone';
const over = (item: ScheduledItem) => expect.poll(() => stateOf(item)).toBe('gone');
const reconcile = () => reconcileScheduled(test.ctx.store, ['main']);
const gate = () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};

describe('scheduled work', () => {
  it('is executed when it is due, on behalf of the user who scheduled it', async () => {
    const item = await plan(NOW + SECOND);
    expect(await planned()).toMatchObject([{ id: item.id, state: 'waiting', reason: 'why', data: 'it' }]);
    expect(await due(NOW)).toBe(0);
    expect(await due(NOW + SECOND)).toBe(1);
    expect(executed).toEqual([
      {
        data: 'it',
        actor: { kind: 'schedule', id: item.id, onBehalfOf: by.id, name: 'ann@example.org', role: 'product' },
      },
    ]);
    expect(await planned()).toEqual([]);
    expect(await due(NOW + SECOND)).toBe(0);
  });

  it('starts by itself, not before its time', async () => {
    start();
    const at = Date.now() + 300;
    let woken = 0;
    answer = async () => {
      woken = Date.now();
      return { state: 'done' };
    };
    const item = await plan(at);
    await over(item);
    expect(woken).toBeGreaterThanOrEqual(at);
    expect(executed).toMatchObject([{ data: 'it', actor: { kind: 'schedule', id: item.id } }]);
  });

  it('is executed after connections to the store were lost', { tags: ['long'] }, async () => {
    start();
    const item = await plan(Date.now() + 500);
    for (let i = 0; i < 5; i++) {
      await test.storeRedis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await expect.poll(() => scheduledOf(test.ctx.store, 'main').catch(() => null)).not.toBeNull();
    }
    await expect.poll(() => stateOf(item)).toBe('gone');
    expect(executed).toHaveLength(1);
    // The queue's own connection may still be away.
    await closeQueue();
  });

  it('is executed by exactly one of several processes', async () => {
    for (let i = 0; i < 3; i++) start();
    const at = Date.now() + 200;
    for (let i = 0; i < 20; i++) await plan(at, `${i}`);
    await expect.poll(planned).toEqual([]);
    expect(new Set(executed.map(({ data }) => data)).size).toBe(20);
    expect(executed).toHaveLength(20);
  });

  it('runs with the role its user has when it is due', async () => {
    const at = async (change: () => Promise<unknown>, actor = by) => {
      await plan(NOW, 'it', actor);
      await change();
      await due(NOW);
      return executed.at(-1)?.actor.role;
    };
    expect(await at(() => updateUser(test.ctx.store, by.id, { role: 'viewer' }))).toBe('viewer');
    expect(await at(() => updateUser(test.ctx.store, by.id, { disabled: true }))).toBeNull();
    const made = { name: 'ci', role: 'product', createdBy: 'x', expiresAt: null } as const;
    const { apiToken } = await createApiToken(test.ctx.store, made, NOW);
    const token: Actor = { kind: 'token', id: apiToken.id, name: 'ci', role: 'product' };
    expect(await at(async () => undefined, token)).toBe('product');
    expect(await at(() => revokeApiToken(test.ctx.store, apiToken.id), token)).toBeNull();
  });

  it('is suspended with the reason when it no longer applies, until it is cancelled or rescheduled', async () => {
    answer = async () => ({ state: 'suspended', why: 'It changed meanwhile.' });
    const item = await plan(NOW);
    await due(NOW);
    const [kept] = await planned();
    expect(kept).toMatchObject({ state: 'suspended', why: 'It changed meanwhile.' });
    expect(await due(NOW + SECOND)).toBe(0);
    start();
    answer = async () => ({ state: 'done' });
    await changeItem(test.ctx.store, kept!, 'suspended', { state: 'waiting', why: null, at: Date.now() });
    await reconcile();
    await over(item);
    expect(await unschedule(test.ctx.store, 'main', item.id)).toBeNull();
  });

  it('retries while Redis is unreachable, and suspends what is refused', async () => {
    start();
    answer = () => Promise.reject(new Problem('unreachable', 'gone'));
    const item = await plan(NOW);
    await expect.poll(() => executed.length).toBeGreaterThan(3);
    const waits = { state: 'waiting', at: NOW, why: expect.stringContaining('reach') };
    await expect.poll(planned).toMatchObject([waits]);
    answer = () => Promise.reject(new Problem('forbidden', 'Not any more.'));
    await expect.poll(() => stateOf(item)).toBe('suspended');
    expect(await planned()).toMatchObject([{ why: 'Not any more.' }]);
    const tries = executed.length;
    expect(await reconcile()).toBe(0);
    expect(executed).toHaveLength(tries);
  });

  it('keeps the order of one target after an outage, also with several processes', {
    tags: ['long'],
  }, async () => {
    answer = () => Promise.reject(new Problem('unreachable', 'gone'));
    for (let i = 0; i < 3; i++) start();
    const order = ['a', 'b', 'c', 'd', 'e'];
    for (const [i, data] of [...order.entries()].reverse()) await plan(NOW + i, data);
    await expect.poll(() => executed.length).toBeGreaterThan(3);
    const done: unknown[] = [];
    answer = async () => {
      done.push(executed.at(-1)?.data);
      return { state: 'done' };
    };
    await expect.poll(planned).toEqual([]);
    expect(done).toEqual(order);
  });

  it('can be cancelled before, but not while it is executed', async () => {
    const item = await plan(NOW);
    expect(await unschedule(test.ctx.store, 'main', item.id)).toMatchObject({ id: item.id });
    expect(await due(NOW)).toBe(0);
    start();
    let refused: unknown;
    answer = async () => {
      const { id } = executed.at(-1)!.actor;
      refused = await unschedule(test.ctx.store, 'main', id!).catch((error: unknown) => error);
      return { state: 'done' };
    };
    await over(await plan(Date.now() + 50));
    expect(refused).toMatchObject({ code: 'conflict' });
    await expect.poll(() => test.storeRedis.keys(`${QUEUE_PREFIX}:scheduled:*-*-*`)).toEqual([]);
  });

  it('is suspended when its process died, and left alone while the process lives', async () => {
    const goOn = gate();
    answer = async () => {
      await goOn.opened;
      return { state: 'done' };
    };
    start();
    const item = await plan(NOW);
    await expect.poll(() => stateOf(item)).toBe('running');
    expect(await reconcile()).toBe(0);
    // Its lock is not renewed in time: for all others its process is dead.
    await test.storeRedis.del(`${QUEUE_PREFIX}:scheduled:${item.id}:lock`);
    await expect.poll(reconcile).toBe(1);
    expect(await planned()).toMatchObject([{ state: 'suspended', why: expect.stringContaining('stopped') }]);
    expect(await reconcile()).toBe(0);
    expect(executed).toHaveLength(1);
    goOn.open();
  });

  it('is executed once, also when a process taken for dead continues beside the next', async () => {
    const { id } = await plan(NOW);
    const both = [1, 2].map(() => executeScheduled(test.ctx.store, { connection: 'main', id }, NOW));
    await Promise.all(both);
    expect(executed).toHaveLength(1);
    expect(await planned()).toEqual([]);
  });

  it('stays cancelled when a process was reading it', async () => {
    const item = await plan(NOW);
    const { store } = test.ctx;
    const run = (name: string, keys: Buffer[], args: Buffer[]) =>
      unschedule(store, 'main', item.id).then(() => store.run(name, keys, args));
    const slow = { ...store, run } as typeof store;
    expect(await executeScheduled(slow, { connection: 'main', id: item.id }, NOW)).toBe('done');
    expect(executed).toEqual([]);
    expect(await planned()).toEqual([]);
  });

  it('refuses cancellation when its execution has started', async () => {
    const { id } = await plan(NOW);
    const { store } = test.ctx;
    let looks = 0;
    const use: typeof store.use = async (work) => {
      looks += 1;
      if (looks === 2) await executeScheduled(store, { connection: 'main', id }, NOW);
      return store.use(work);
    };
    await expect(unschedule({ ...store, use }, 'main', id)).rejects.toMatchObject({ code: 'conflict' });
    expect(executed).toHaveLength(1);
  });

  it('is executed when it is due although the queue lost it or an earlier version scheduled it', async () => {
    const [lost, later] = [await plan(NOW), await plan(NOW + HOUR)];
    for (const { id } of [lost, later]) await removeEntry(test.ctx.store, 'scheduled', id);
    const earlier = { ...lost, id: randomUUID(), owner: null };
    await saveItem(test.ctx.store, earlier);
    start();
    expect(await reconcile()).toBe(0);
    for (const item of [lost, earlier]) await over(item);
    expect(executed).toHaveLength(2);
    expect(await planned()).toMatchObject([{ id: later.id, state: 'waiting' }]);
  });

  it('is suspended with the reason when another version wrote its payload', async () => {
    await schedule(test.as({ actor: by }), { action: 'test.later', target: 'x', at: NOW, data: { it: 1 } });
    expect(await due(NOW)).toBe(1);
    expect(await planned()).toMatchObject([
      { state: 'suspended', why: 'The scheduled change cannot be read by this version of the console.' },
    ]);
    expect(executed).toEqual([]);
  });

  it('of an unknown kind, a removed connection or a broken record stops nothing else', async () => {
    await schedule(test.as({ actor: by }), { action: 'test.unknown', target: 'x', at: NOW, data: null });
    for (const data of [{ connection: 'main', id: 'none' }, { nonsense: true }])
      await addEntry(test.ctx.store, 'scheduled', { id: randomUUID(), action: 'test.later', data });
    await test.storeRedis.hset(consoleFamilies.scheduled.key({ connection: 'main' }), 'broken', '{');
    await plan(NOW);
    start();
    await expect.poll(() => executed.length).toBe(1);
    await expect
      .poll(() => scheduledOf(test.ctx.store, 'main'))
      .toMatchObject([{ action: 'test.unknown', state: 'suspended' }]);
    await expect.poll(() => test.storeRedis.keys(`${QUEUE_PREFIX}:scheduled:*-*-*`)).toEqual([]);
  });
});
