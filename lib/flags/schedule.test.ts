import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { updateUser } from '@/lib/access/users';
import type { Actor } from '@/lib/actor';
import { listEntries } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { registerScheduled } from '@/lib/jobs/schedule';
import { executeScheduled } from '@/lib/jobs/scheduler';
import { connections, openConnection } from '@/lib/redis/connections';
import { DAY, HOUR, iso, MINUTE, SECOND } from '@/lib/time';
import { undoChange } from '@/lib/undo/commands';
import { registerUndoable } from '@/lib/undo/registry';
import { forgetNames } from '@/lib/values/named-keys';
import { freePort } from '@/scripts/redis-server.mjs';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { flagsOn, keyOf, user } from '@/scripts/testing/flags';
import { problemOf } from '@/scripts/testing/problem-of';
import { executeDue } from '@/scripts/testing/scheduled';
import { setFlagCommand } from './commands';
import { flagSchedule, scheduleFlag, unscheduleFlag } from './schedule';

let test: TestContext;
let on: ReturnType<typeof flagsOn>;
let ann: Actor;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  registerScheduled(flagSchedule);
  registerUndoable([setFlagCommand, unscheduleFlag] as never);
  on = flagsOn(test, test.handle);
});
beforeEach(async () => {
  await test.empty();
  forgetNames(test.handle);
  connections().set('main', test.handle);
  ann = await user(test, 'ann');
});
afterAll(() => test.close());

const NAME = 'FEATURE_A';
const soon = (ms: number): string => iso(Date.now() + ms);
const plan = async (enabled: boolean, at: string, more: object = {}) => {
  const etag = await on.etagOf(ann, NAME);
  return (await on.run(ann, scheduleFlag, { name: NAME, enabled, at, etag, ...more })).planned;
};
const value = () => test.redis.get(keyOf(NAME));
const schedule = async () => (await on.flagOf(ann, NAME)).schedule;
const dueAt = (at: string) => executeDue(test.ctx.store, Date.parse(at));

describe('a scheduled change', () => {
  it("waits, and runs at its time under its user's name in the stored format", async () => {
    await test.redis.set(keyOf(NAME), 'OFF', 'EX', 5000);
    const planned = await plan(true, soon(HOUR), { reason: 'launch' });
    expect(planned).toMatchObject({ enabled: true, by: 'ann@example.org', reason: 'launch', why: null });
    expect(await schedule()).toEqual([planned]);
    expect(await executeDue(test.ctx.store)).toBe(0);
    expect(await value()).toBe('OFF');
    expect(await dueAt(planned.at)).toBe(1);
    expect(await value()).toBe('ON');
    expect(await test.redis.ttl(keyOf(NAME))).toBeGreaterThan(4900);
    expect(await on.flagOf(ann, NAME)).toMatchObject({
      schedule: [],
      updatedBy: 'schedule, on behalf of ann@example.org',
      reason: 'launch',
    });
    const [change] = await on.history(ann, NAME);
    expect(change).toMatchObject({
      action: 'flags.set',
      actor: 'schedule, on behalf of ann@example.org',
      from: 'OFF',
      to: 'ON',
      reason: 'launch',
      undoUntil: expect.any(String),
    });
    const undo = { actor: ann, requestId: 'r', connection: null, raw: { auditId: change!.auditId } };
    expect(await runCommand(undoChange, undo)).toMatchObject({ undone: 1 });
    expect(await value()).toBe('OFF');
  });

  it('may be followed by others: each expects the value that the one before sets', async () => {
    await test.redis.set(keyOf(NAME), 'no');
    const [nine, friday, monday] = [soon(HOUR), soon(2 * DAY), soon(5 * DAY)];
    // Planned out of order.
    await plan(true, monday);
    await plan(true, nine);
    await plan(false, friday);
    expect((await schedule()).map(({ at, enabled }) => [at, enabled])).toEqual([
      [nine, true],
      [friday, false],
      [monday, true],
    ]);
    for (const [at, text] of [
      [nine, 'yes'],
      [friday, 'no'],
      [monday, 'yes'],
    ] as const) {
      await dueAt(at);
      expect(await value()).toBe(text);
    }
    expect(await schedule()).toEqual([]);
  });

  it('scheduled before another makes that one expect its value', async () => {
    await test.redis.set(keyOf(NAME), 'no');
    const later = await plan(false, soon(2 * HOUR));
    const sooner = await plan(true, soon(HOUR));
    await dueAt(sooner.at);
    expect(await value()).toBe('yes');
    await dueAt(later.at);
    expect([await value(), await schedule()]).toEqual(['no', []]);
  });

  it('cancelled and restored runs as before, between others; not once its time has passed', async () => {
    await test.redis.set(keyOf(NAME), '0');
    const first = await plan(true, soon(HOUR), { reason: 'launch' });
    const second = await plan(false, soon(2 * HOUR));
    const { auditId } = await on.run(ann, unscheduleFlag, { name: NAME, id: first.id });
    const undo = { actor: ann, requestId: 'r', connection: null, raw: { auditId } };
    expect(await runCommand(undoChange, undo)).toMatchObject({ undone: 1, conflicts: [] });
    expect(await schedule()).toMatchObject([
      { enabled: true, at: first.at, by: first.by },
      { id: second.id },
    ]);
    await dueAt(first.at);
    expect(await value()).toBe('1');
    await dueAt(second.at);
    expect([await value(), await schedule()]).toEqual(['0', []]);

    const third = await plan(true, soon(HOUR));
    const gone = await on.run(ann, unscheduleFlag, { name: NAME, id: third.id });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(third.at) + SECOND });
    const late = { ...undo, raw: { auditId: gone.auditId } };
    expect(await runCommand(undoChange, late)).toMatchObject({
      undone: 0,
      conflicts: [{ what: NAME, why: 'Its time has passed.' }],
    });
    vi.useRealTimers();
  });

  it('cancelled between two others lets both still apply', async () => {
    await test.redis.set(keyOf(NAME), '0');
    const [first, second, third] = [
      await plan(true, soon(HOUR)),
      await plan(false, soon(2 * HOUR)),
      await plan(true, soon(3 * HOUR)),
    ];
    expect(await on.run(ann, unscheduleFlag, { name: NAME, id: second.id })).toMatchObject({ id: second.id });
    await dueAt(first.at);
    await dueAt(third.at);
    expect([await value(), await schedule()]).toEqual(['1', []]);
    expect((await problemOf(on.run(ann, unscheduleFlag, { name: NAME, id: second.id }))).status).toBe(404);
    expect((await problemOf(on.run(ann, unscheduleFlag, { name: 'FEATURE_B', id: 'x' }))).status).toBe(404);
  });
});

describe('is suspended, and says why, when', () => {
  it('the flag was changed; and so are the changes after it', async () => {
    await test.redis.set(keyOf(NAME), 'off');
    const first = await plan(true, soon(HOUR));
    const second = await plan(false, soon(2 * HOUR));
    await test.redis.set(keyOf(NAME), 'Off');
    await dueAt(first.at);
    expect(await value()).toBe('Off');
    expect(await schedule()).toMatchObject([
      { id: first.id, state: 'suspended', why: expect.stringContaining('was changed after') },
      { id: second.id, state: 'waiting' },
    ]);
    await dueAt(second.at);
    expect((await schedule())[1]).toMatchObject({
      state: 'suspended',
      why: expect.stringContaining('scheduled change before this one was suspended'),
    });
    expect(await value()).toBe('Off');
    // A suspended change blocks no other, and is cancelled by hand.
    await on.run(ann, unscheduleFlag, { name: NAME, id: first.id });
    const third = await plan(true, soon(30 * MINUTE));
    await dueAt(third.at);
    expect(await value()).toBe('On');
  });

  it('a change is scheduled before one that expects another value', async () => {
    await test.redis.set(keyOf(NAME), 'off');
    const later = await plan(true, soon(2 * HOUR));
    await test.redis.set(keyOf(NAME), 'OFF');
    const sooner = await plan(true, soon(HOUR));
    await dueAt(sooner.at);
    expect(await value()).toBe('ON');
    await dueAt(later.at);
    expect(await schedule()).toMatchObject([{ id: later.id, state: 'suspended' }]);
  });

  it('not if Redis is unreachable: changes run in order once it is back', async () => {
    await test.redis.set(keyOf(NAME), 'off');
    const first = await plan(true, soon(HOUR));
    const second = await plan(false, iso(Date.parse(first.at) + 2 * SECOND));
    const away = openConnection({ ...test.handle.config, url: 'redis://127.0.0.1:1' });
    connections().set('main', away);
    expect(await dueAt(first.at)).toBe(0);
    away.topology.close();
    connections().set('main', test.handle);
    expect(await schedule()).toMatchObject([{ why: 'Redis is unreachable.' }, { why: null }]);
    // The second wakes before the first is tried again.
    const woken = { connection: 'main', id: second.id };
    expect(await executeScheduled(test.ctx.store, woken, Date.parse(second.at))).toBe('waiting');
    expect(await value()).toBe('off');
    expect((await schedule())[1]).toMatchObject({
      state: 'waiting',
      why: expect.stringContaining('earlier scheduled change'),
    });
    expect(await dueAt(iso(Date.parse(second.at) + MINUTE))).toBe(2);
    expect(await value()).toBe('off');
    expect((await on.history(ann, NAME)).map(({ to }) => to)).toEqual(['off', 'on']);
  });

  it('the flag was deleted or holds another type', async () => {
    await test.redis.set(keyOf(NAME), 'off');
    const first = await plan(true, soon(HOUR));
    await test.redis.del(keyOf(NAME));
    await dueAt(first.at);
    await test.redis.hset(keyOf(NAME), 'a', 'b');
    expect(await schedule()).toMatchObject([{ state: 'suspended', why: 'The flag was deleted.' }]);
  });

  it('its user lost the permission or is disabled', async () => {
    await test.redis.set(keyOf(NAME), 'off');
    const first = await plan(true, soon(HOUR));
    const second = await plan(true, soon(2 * HOUR));
    await updateUser(test.ctx.store, ann.id, { role: 'viewer' });
    await dueAt(first.at);
    await updateUser(test.ctx.store, ann.id, { disabled: true, role: 'product' });
    await dueAt(second.at);
    const why = 'ann@example.org may no longer change flags.';
    expect(await schedule()).toMatchObject([{ why }, { why }]);
    expect(await value()).toBe('off');
    const [entry] = (await listEntries(test.ctx.store, { action: 'flags.set' })).items;
    expect(entry).toMatchObject({ outcome: 'failed' });
  });

  it('the server has become a replica', async () => {
    await test.redis.set(keyOf(NAME), 'off');
    const { at } = await plan(true, soon(HOUR));
    await test.redis.call('REPLICAOF', '127.0.0.1', await freePort());
    try {
      await dueAt(at);
    } finally {
      await test.redis.call('REPLICAOF', 'NO', 'ONE');
    }
    expect(await schedule()).toMatchObject([{ state: 'suspended', why: expect.stringContaining('replica') }]);
    expect(await value()).toBe('off');
  });

  it('the connection has become read-only or requires approval', async () => {
    await test.redis.set(keyOf(NAME), 'off');
    const first = await plan(true, soon(HOUR));
    const second = await plan(true, soon(2 * HOUR));
    const { config } = test.handle;
    connections().set('main', { ...test.handle, config: { ...config, readOnly: true } });
    await dueAt(first.at);
    const flags = { approval: 'two-person' } as const;
    connections().set('main', { ...test.handle, config: { ...config, flags } });
    await dueAt(second.at);
    expect(await schedule()).toMatchObject([
      { state: 'suspended', why: expect.stringContaining('read-only') },
      { state: 'suspended', why: expect.stringContaining('need approval') },
    ]);
    expect(await value()).toBe('off');
  });
});

describe('is refused', () => {
  it('for the past, for more than a year ahead, and for a time in use', async () => {
    await test.redis.set(keyOf(NAME), 'off');
    for (const at of [soon(-1000), iso(0), soon(366 * DAY)])
      expect(await problemOf(plan(true, at))).toMatchObject({
        status: 400,
        extensions: { errors: [{ path: 'at' }] },
      });
    expect((await problemOf(plan(true, 'tomorrow'))).status).toBe(400);
    const at = soon(HOUR);
    await plan(true, at);
    expect((await problemOf(plan(false, at))).status).toBe(409);
    expect(await schedule()).toHaveLength(1);
  });

  it('with a stale etag, for a missing flag, and for a non-boolean', async () => {
    await test.redis.mset({ [keyOf(NAME)]: 'off', [keyOf('FEATURE_WORD')]: 'maybe' });
    const input = { enabled: true, at: soon(HOUR) };
    const stale = on.run(ann, scheduleFlag, { ...input, name: NAME, etag: 'x' });
    expect(await problemOf(stale)).toMatchObject({ status: 412, extensions: { raw: 'off' } });
    const gone = on.run(ann, scheduleFlag, { ...input, name: 'FEATURE_GONE', etag: 'x' });
    expect((await problemOf(gone)).status).toBe(404);
    const etag = await on.etagOf(ann, 'FEATURE_WORD');
    const word = on.run(ann, scheduleFlag, { ...input, name: 'FEATURE_WORD', etag });
    expect((await problemOf(word)).status).toBe(409);
  });
});
