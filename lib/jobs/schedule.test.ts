import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApiToken, revokeApiToken } from '@/lib/access/api-tokens';
import { createUser, updateUser } from '@/lib/access/users';
import type { Actor } from '@/lib/actor';
import { Problem } from '@/lib/errors';
import { connections } from '@/lib/redis/connections';
import { SECOND } from '@/lib/time';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { carryOutDue, reconcileScheduled } from './carry-out';
import { signOfLife } from './process';
import {
  type CarriedOut,
  registerScheduled,
  reschedule,
  schedule,
  scheduledOf,
  scheduleKeys,
  unschedule,
} from './schedule';

let test: TestContext;
let by: Actor;
const carried: { actor: Actor; data: unknown }[] = [];
let answer: () => Promise<CarriedOut>;

beforeAll(async () => {
  test = await testContext();
  connections().set('main', test.handle);
  registerScheduled({
    action: 'test.later',
    payload: z.string(),
    carryOut: async ({ actor, connection }, { data }) => {
      expect(connection.config.id).toBe('main');
      carried.push({ actor, data });
      return answer();
    },
  });
});
beforeEach(async () => {
  await test.empty();
  carried.length = 0;
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
afterAll(() => test.close());

const NOW = Date.now();
const plan = (at: number, data = 'it', actor = by) =>
  schedule(test.as({ actor, reason: 'why' }), { action: 'test.later', target: 'thing', at, data });
const planned = () => scheduledOf(test.ctx.store, 'main', 'test.later');
const due = (now: number) => carryOutDue(test.ctx.store, now);

describe('scheduled work', () => {
  it('is carried out once it is due, in the name of who planned it, and is then over', async () => {
    const item = await plan(NOW + SECOND);
    expect(await planned()).toMatchObject([{ id: item.id, state: 'waiting', reason: 'why', data: 'it' }]);
    expect(await due(NOW)).toBe(0);
    expect(await due(NOW + SECOND)).toBe(1);
    expect(carried).toEqual([
      {
        data: 'it',
        actor: { kind: 'schedule', id: item.id, onBehalfOf: by.id, name: 'ann@example.org', role: 'product' },
      },
    ]);
    expect(await planned()).toEqual([]);
    expect(await due(NOW + SECOND)).toBe(0);
  });

  it('is carried out by exactly one of several processes', async () => {
    for (let i = 0; i < 20; i++) await plan(NOW, `${i}`);
    const done = await Promise.all([due(NOW), due(NOW), due(NOW)]);
    expect(done.reduce((a, b) => a + b)).toBe(20);
    expect(new Set(carried.map(({ data }) => data)).size).toBe(20);
    expect(carried).toHaveLength(20);
  });

  it('has the role its person has by then', async () => {
    const at = async (change: () => Promise<unknown>, actor = by) => {
      await plan(NOW, 'it', actor);
      await change();
      await due(NOW);
      return carried.at(-1)?.actor.role;
    };
    expect(await at(() => updateUser(test.ctx.store, by.id, { role: 'viewer' }))).toBe('viewer');
    expect(await at(() => updateUser(test.ctx.store, by.id, { disabled: true }))).toBeNull();
    const made = { name: 'ci', role: 'product', createdBy: 'x', expiresAt: null } as const;
    const { apiToken } = await createApiToken(test.ctx.store, made, NOW);
    const token: Actor = { kind: 'token', id: apiToken.id, name: 'ci', role: 'product' };
    expect(await at(async () => undefined, token)).toBe('product');
    expect(await at(() => revokeApiToken(test.ctx.store, apiToken.id), token)).toBeNull();
  });

  it('that does not fit any more stays, with the reason, until it is taken out or given another time', async () => {
    answer = async () => ({ state: 'suspended', why: 'It changed meanwhile.' });
    const item = await plan(NOW);
    await due(NOW);
    const [kept] = await planned();
    expect(kept).toMatchObject({ state: 'suspended', why: 'It changed meanwhile.', owner: null });
    expect(await due(NOW + SECOND)).toBe(0);
    answer = async () => ({ state: 'done' });
    await reschedule(test.ctx.store, { ...kept!, state: 'waiting', why: null, at: NOW + 2 * SECOND });
    expect(await due(NOW + 2 * SECOND)).toBe(1);
    expect(await unschedule(test.ctx.store, 'main', item.id)).toBeNull();
  });

  it('waits for a Redis that is out of reach, and suspends what is refused', async () => {
    await plan(NOW);
    answer = () => Promise.reject(new Problem('redis_unavailable', 'gone'));
    expect(await due(NOW)).toBe(0);
    expect(await planned()).toMatchObject([
      { state: 'waiting', at: NOW, why: expect.stringContaining('reach') },
    ]);
    expect(await due(NOW + SECOND)).toBe(0);
    answer = () => Promise.reject(new Problem('forbidden', 'Not any more.'));
    expect(await due(NOW + 10 * SECOND)).toBe(1);
    expect(await planned()).toMatchObject([{ state: 'suspended', why: 'Not any more.' }]);
  });

  it('can be taken out before, never while it is carried out', async () => {
    const item = await plan(NOW);
    expect(await unschedule(test.ctx.store, 'main', item.id)).toMatchObject({ id: item.id });
    expect(await due(NOW)).toBe(0);
    const other = await plan(NOW);
    let refused: unknown;
    answer = async () => {
      refused = await unschedule(test.ctx.store, 'main', other.id).catch((error: unknown) => error);
      return { state: 'done' };
    };
    await due(NOW);
    expect(refused).toMatchObject({ code: 'conflict' });
    expect(await test.storeRedis.zcard(scheduleKeys.due)).toBe(0);
  });

  it('whose process died is shown as suspended; what a living one is at is left alone', async () => {
    const item = await plan(NOW);
    const running = { ...item, state: 'running', owner: 'dead' };
    await test.storeRedis.hset(scheduleKeys.of('main'), item.id, JSON.stringify(running));
    await test.storeRedis.del(scheduleKeys.due);
    expect(await reconcileScheduled(test.ctx.store, ['main'])).toBe(1);
    expect(await planned()).toMatchObject([{ state: 'suspended', why: expect.stringContaining('stopped') }]);
    await signOfLife(test.ctx.store);
    const living = await plan(NOW);
    answer = async () => {
      expect(await reconcileScheduled(test.ctx.store, ['main'])).toBe(0);
      return { state: 'done' };
    };
    expect(await due(NOW)).toBe(1);
    expect((await planned()).some(({ id }) => id === living.id)).toBe(false);
  });

  it('of another version, whose payload cannot be read, is suspended with the reason', async () => {
    await schedule(test.as({ actor: by }), { action: 'test.later', target: 'x', at: NOW, data: { it: 1 } });
    expect(await due(NOW)).toBe(1);
    expect(await planned()).toMatchObject([
      { state: 'suspended', why: 'What was planned cannot be read any more.' },
    ]);
    expect(carried).toEqual([]);
  });

  it('of an unknown kind, a lost connection or a broken record ends nothing else', async () => {
    await schedule(test.as({ actor: by }), { action: 'test.unknown', target: 'x', at: NOW, data: null });
    await test.storeRedis.zadd(scheduleKeys.due, NOW, 'main/none', NOW, 'nonsense');
    await test.storeRedis.hset(scheduleKeys.of('main'), 'broken', '{');
    await plan(NOW);
    await due(NOW);
    expect(carried).toHaveLength(1);
    expect(await scheduledOf(test.ctx.store, 'main')).toMatchObject([
      { action: 'test.unknown', state: 'suspended' },
    ]);
    expect(await test.storeRedis.zcard(scheduleKeys.due)).toBe(0);
  });
});
