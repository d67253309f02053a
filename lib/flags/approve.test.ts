import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApiToken } from '@/lib/access/api-tokens';
import { updateUser } from '@/lib/access/users';
import type { Actor } from '@/lib/actor';
import { listEntries } from '@/lib/audit/reads';
import type { Command } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import { registerScheduled } from '@/lib/jobs/schedule';
import { type ConnectionHandle, connections } from '@/lib/redis/connections';
import { HOUR, iso } from '@/lib/time';
import { undoChange } from '@/lib/undo/commands';
import { registerUndoable } from '@/lib/undo/registry';
import { forgetNames } from '@/lib/values/named-keys';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { flagsOn, keyOf, user } from '@/scripts/testing/flags';
import { problemOf } from '@/scripts/testing/problem-of';
import { executeDue } from '@/scripts/testing/scheduled';
import { approveFlagChange } from './approve';
import { createFlagCommand, deleteFlagCommand, describeFlagCommand, setFlagCommand } from './commands';
import { declineFlagChange, requestFlagChange, withdrawFlagChange } from './request-commands';
import { flagSchedule, scheduleFlag, unscheduleFlag } from './schedule';

let test: TestContext;
let careful: ConnectionHandle;
let on: ReturnType<typeof flagsOn>;
let ann: Actor;
let ben: Actor;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'], flags: { approval: 'two-person' } });
  careful = test.handle;
  registerScheduled(flagSchedule);
  registerUndoable([setFlagCommand, createFlagCommand, deleteFlagCommand]);
  on = flagsOn(test, careful);
});
beforeEach(async () => {
  await test.empty();
  forgetNames(careful);
  connections().set('main', careful);
  [ann, ben] = [await user(test, 'ann'), await user(test, 'ben', 'admin')];
  await test.redis.set(keyOf(NAME), 'Off');
});
afterAll(() => test.close());

const NAME = 'FEATURE_A';
const value = (name = NAME) => test.redis.get(keyOf(name));
const ask = async (more: object = {}, actor = ann) => {
  const etag = await on.etagOf(actor, NAME);
  return (await on.run(actor, requestFlagChange, { name: NAME, enabled: true, etag, ...more })).request;
};
const approve = (id: string, actor = ben) => on.run(actor, approveFlagChange, { id });

describe('where approval is needed', () => {
  it('direct changes, scheduling and undo are refused: 409 approval_required', async () => {
    const etag = await on.etagOf(ann, NAME);
    const at = iso(Date.now() + HOUR);
    const direct: [Command, object][] = [
      [setFlagCommand as Command, { name: NAME, enabled: true, etag }],
      [createFlagCommand as Command, { name: 'FEATURE_B', enabled: true }],
      [deleteFlagCommand as Command, { name: NAME, etag }],
      [scheduleFlag as Command, { name: NAME, enabled: true, at, etag }],
    ];
    for (const [command, raw] of direct)
      expect(await problemOf(on.run(ben, command, raw))).toMatchObject({
        status: 409,
        code: 'approval_required',
      });
    expect([await value(), await value('FEATURE_B')]).toEqual(['Off', null]);
    await on.run(ann, describeFlagCommand, { name: NAME, description: 'Changes nothing.' });
    expect(await on.list(ann)).toMatchObject({ approval: 'two-person', newFlags: [] });

    const loose = { ...careful, config: { ...careful.config, flags: { approval: 'none' as const } } };
    const set = await flagsOn(test, loose).run(ann, setFlagCommand, { name: NAME, enabled: true, etag });
    const undo = { actor: ann, requestId: 'r', connection: null, raw: { auditId: set.auditId } };
    expect((await problemOf(runCommand(undoChange, undo))).code).toBe('approval_required');
    expect(await value()).toBe('On');
    expect((await on.history(ann, NAME))[0]?.undoUntil).toBeNull();
  });

  it('one requests with a reason, another approves, and both are in the log and the history', async () => {
    const request = await ask({ reason: 'ticket 7' });
    expect(request).toMatchObject({
      action: 'set',
      from: 'Off',
      to: 'On',
      enabled: true,
      by: 'ann@example.org',
      reason: 'ticket 7',
      state: 'pending',
      mayDecide: false,
    });
    expect(await value()).toBe('Off');
    expect((await on.flagOf(ann, NAME)).request).toEqual(request);
    expect((await on.flagOf(ben, NAME)).request).toEqual({ ...request, mayDecide: true });
    expect((await on.flagOf(testActor('viewer'), NAME)).request?.mayDecide).toBe(false);

    const approved = await approve(request.id);
    expect(approved).toMatchObject({ name: NAME, state: 'applied', why: null });
    expect(await value()).toBe('On');
    const both = 'ann@example.org, approved by ben@example.org';
    expect(await on.flagOf(ann, NAME)).toMatchObject({
      etag: approved.etag,
      request: null,
      updatedBy: both,
      reason: 'ticket 7',
    });
    expect(await on.history(ann, NAME)).toMatchObject([
      { action: 'flags.approve', actor: both, from: 'Off', to: 'On', reason: 'ticket 7', undoUntil: null },
    ]);
    expect((await listEntries(test.ctx.store)).items[0]).toMatchObject({
      action: 'flags.approve',
      target: NAME,
      actor: 'ben@example.org',
      before: { raw: 'Off' },
      after: { raw: 'On', requestedBy: 'ann@example.org', state: 'applied' },
    });
    expect((await problemOf(approve(request.id))).status).toBe(404);
  });

  it('creating and deleting work the same way', async () => {
    const asked = { name: 'FEATURE_NEW', action: 'create', enabled: false };
    const { request } = await on.run(ann, requestFlagChange, asked);
    expect(request).toMatchObject({ from: null, to: 'Off' });
    expect((await on.list(ben)).newFlags).toMatchObject([{ name: 'FEATURE_NEW', id: request.id }]);
    await approve(request.id);
    expect(await value('FEATURE_NEW')).toBe('Off');
    expect((await on.list(ben)).newFlags).toEqual([]);

    const deletion = await ask({ action: 'delete', enabled: undefined });
    expect(deletion).toMatchObject({ from: 'Off', to: null, enabled: null });
    expect(await approve(deletion.id)).toMatchObject({ state: 'applied', etag: null });
    expect(await value()).toBeNull();
    expect((await on.history(ann, NAME))[0]).toMatchObject({ from: 'Off', to: null });
  });

  it("a request for a time is scheduled under the requester's name, and runs then", async () => {
    const at = iso(Date.now() + HOUR);
    const request = await ask({ at, reason: 'launch' });
    expect(request.at).toBe(at);
    expect(await approve(request.id)).toMatchObject({ state: 'scheduled' });
    const flag = await on.flagOf(ann, NAME);
    expect(flag.request).toBeNull();
    expect(flag.schedule).toMatchObject([{ at, by: 'ann@example.org', reason: 'launch', state: 'waiting' }]);
    expect(await on.history(ann, NAME)).toEqual([]);
    await executeDue(test.ctx.store, Date.parse(at));
    expect(await value()).toBe('On');
    const actor = 'schedule, on behalf of ann@example.org, approved by ben@example.org';
    expect(await on.history(ann, NAME)).toMatchObject([{ action: 'flags.set', actor, to: 'On' }]);
  });
});

describe('an approved scheduled change', () => {
  const planned = async () => {
    const at = iso(Date.now() + HOUR);
    await approve((await ask({ at })).id);
    const [plan] = (await on.flagOf(ann, NAME)).schedule;
    return plan!;
  };
  const cancel = (id: string, actor = ann) =>
    on.run(actor, requestFlagChange, { name: NAME, action: 'unschedule', plan: id, reason: 'not yet' });

  it('cannot be cancelled directly by anyone', async () => {
    const { id } = await planned();
    const cat = await user(test, 'cat', 'admin');
    for (const actor of [ann, ben, cat])
      expect(await problemOf(on.run(actor, unscheduleFlag, { name: NAME, id }))).toMatchObject({
        status: 409,
        code: 'approval_required',
      });
    expect((await on.flagOf(ann, NAME)).schedule).toMatchObject([{ id, state: 'waiting' }]);
  });

  it('is cancelled when one requests it and another approves', async () => {
    const { id, at } = await planned();
    const { request } = await cancel(id);
    expect(request).toMatchObject({
      action: 'unschedule',
      plan: id,
      at,
      enabled: true,
      from: null,
      to: null,
    });
    expect((await problemOf(approve(request.id, ann))).status).toBe(403);
    expect((await on.flagOf(ann, NAME)).schedule).toHaveLength(1);
    expect(await approve(request.id)).toMatchObject({ state: 'applied', why: null });
    expect(await on.flagOf(ann, NAME)).toMatchObject({ schedule: [], request: null });
    await executeDue(test.ctx.store, Date.parse(at));
    expect(await value()).toBe('Off');
    expect((await listEntries(test.ctx.store)).items[0]).toMatchObject({
      action: 'flags.approve',
      before: { planned: id, at, enabled: true },
      after: { unscheduled: 1, requestedBy: 'ann@example.org', requestReason: 'not yet' },
    });
  });

  it('runs if its cancellation is not approved in time; then the request is suspended', async () => {
    const { id, at } = await planned();
    const { request } = await cancel(id);
    await executeDue(test.ctx.store, Date.parse(at));
    expect(await value()).toBe('On');
    expect(await approve(request.id)).toMatchObject({
      state: 'suspended',
      why: 'This change is no longer scheduled.',
    });
  });

  it('can be cancelled directly once suspended, or once no approval is needed', async () => {
    const { id, at } = await planned();
    await test.redis.set(keyOf(NAME), 'no');
    await executeDue(test.ctx.store, Date.parse(at));
    expect((await problemOf(cancel(id))).status).toBe(409);
    expect(await on.run(ann, unscheduleFlag, { name: NAME, id })).toMatchObject({ id });
    await test.redis.set(keyOf(NAME), 'Off');
    const second = await planned();
    const loose = { ...careful, config: { ...careful.config, flags: { approval: 'none' as const } } };
    await flagsOn(test, loose).run(ann, unscheduleFlag, { name: NAME, id: second.id });
    expect((await on.flagOf(ann, NAME)).schedule).toEqual([]);
  });

  it.each([
    [{ action: 'unschedule' }, 400, 'plan'],
    [{ plan: 'x' }, 400, 'plan'],
    [{ action: 'unschedule', plan: 'x' }, 404, null],
  ])('%j is refused with %i', async (more, status, path) => {
    const problem = await problemOf(ask(more));
    expect(problem.status).toBe(status);
    if (path) expect(problem.extensions).toMatchObject({ errors: [{ path }] });
  });
});

describe('an approval', () => {
  it("is not for whoever asked, nor for who may not approve; a token of one's own is no second person", async () => {
    const { id } = await ask();
    expect(await problemOf(approve(id, ann))).toMatchObject({ status: 403, code: 'forbidden' });
    for (const role of ['viewer', 'support'] as const)
      expect((await problemOf(approve(id, testActor(role)))).status).toBe(403);
    expect((await problemOf(on.run(ann, declineFlagChange, { id }))).status).toBe(403);
    expect(await value()).toBe('Off');
    const own: Actor = { kind: 'token', id: 't1', name: 'own', role: 'admin', owner: ann.id };
    expect(await problemOf(approve(id, own))).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await problemOf(on.run(own, declineFlagChange, { id }))).status).toBe(403);
    expect(await value()).toBe('Off');
    const others: Actor = { kind: 'token', id: 't2', name: 'ci', role: 'admin', owner: ben.id };
    expect((await approve(id, others)).state).toBe('applied');
  });

  it("is not for whoever's token asked, nor for another token of the same user", async () => {
    const asking: Actor = { kind: 'token', id: 't1', name: 'asking', role: 'product', owner: ben.id };
    const { id } = await ask({}, asking);
    expect((await problemOf(approve(id, ben))).status).toBe(403);
    const second: Actor = { kind: 'token', id: 't2', name: 'second', role: 'admin', owner: ben.id };
    expect((await problemOf(approve(id, second))).status).toBe(403);
    const cat = await user(test, 'cat', 'admin');
    // Nobody can say who holds the token that asked now that it is gone.
    expect((await approve(id, cat)).state).toBe('suspended');
  });

  it("is not for the configuration's token, nor for what it made: nobody says that it is a second person", async () => {
    const configured: Actor = { kind: 'token', id: 'environment', name: 'KEYWARD_API_TOKEN', role: 'admin' };
    const madeByIt = async (name: string): Promise<Actor> => {
      const made = { name, role: 'admin' as const, createdBy: configured.name, expiresAt: null };
      const { apiToken } = await createApiToken(test.ctx.store, made, Date.now());
      return { kind: 'token', id: apiToken.id, name, role: 'admin' };
    };
    const [first, second] = [await madeByIt('first'), await madeByIt('second')];
    const { id } = await ask({}, first);
    for (const actor of [second, configured, first]) {
      expect((await on.flagOf(actor, NAME)).request?.mayDecide).toBe(false);
      expect(await problemOf(approve(id, actor))).toMatchObject({ status: 403, code: 'forbidden' });
    }
    expect(await value()).toBe('Off');
    expect((await approve(id)).state).toBe('applied');
    const { id: declined } = await ask({ enabled: false });
    await on.run(second, declineFlagChange, { id: declined });
    expect(await value()).toBe('On');
  });

  it('by several at once is applied once', async () => {
    const { id } = await ask();
    const others = await Promise.all(['cat', 'dan', 'eve', 'fay'].map((name) => user(test, name)));
    const tries = await Promise.allSettled(others.map((actor) => approve(id, actor)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const each of tries)
      if (each.status === 'rejected')
        expect([404, 409]).toContain((each.reason as { status: number }).status);
    expect(await value()).toBe('On');
    expect(await on.history(ann, NAME)).toHaveLength(1);
  });

  it('of a flag that was changed, deleted or created since is suspended with the reason, and not applied later', async () => {
    const { id } = await ask();
    await test.redis.set(keyOf(NAME), 'off');
    const why = 'The flag was changed after this request.';
    expect(await approve(id)).toMatchObject({ state: 'suspended', why });
    expect((await on.flagOf(ben, NAME)).request).toMatchObject({ state: 'suspended', why });
    expect((await problemOf(approve(id))).status).toBe(409);
    expect([await value(), await on.history(ann, NAME)]).toEqual(['off', []]);

    // A new request takes its place.
    const second = await ask();
    await test.redis.del(keyOf(NAME));
    expect(await approve(second.id)).toMatchObject({ state: 'suspended', why: 'The flag was deleted.' });
    expect((await on.list(ben)).newFlags).toMatchObject([{ name: NAME, state: 'suspended' }]);

    const asked = { name: 'FEATURE_NEW', action: 'create', enabled: true };
    const { request } = await on.run(ann, requestFlagChange, asked);
    await test.redis.set(keyOf('FEATURE_NEW'), 'no');
    expect(await approve(request.id)).toMatchObject({ state: 'suspended' });
    expect(await value('FEATURE_NEW')).toBe('no');
  });

  it('checks again that the requester still may, and that the time has not passed', async () => {
    const first = await ask();
    await updateUser(test.ctx.store, ann.id, { role: 'viewer' });
    expect(await approve(first.id)).toMatchObject({
      state: 'suspended',
      why: 'ann@example.org may no longer change flags.',
    });
    await updateUser(test.ctx.store, ann.id, { role: 'product' });
    const at = iso(Date.now() + 200);
    const second = await ask({ at });
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(at));
    expect((await approve(second.id)).why).toContain('Its time passed');
    expect(await value()).toBe('Off');
  });

  it('on a read-only connection is 423', async () => {
    const { id } = await ask();
    const locked = flagsOn(test, { ...careful, config: { ...careful.config, readOnly: true } });
    expect((await problemOf(locked.run(ben, approveFlagChange, { id }))).status).toBe(423);
  });
});

describe('a request', () => {
  it('is unique per flag, and can be withdrawn by the requester and declined by others', async () => {
    const first = await ask();
    expect((await problemOf(ask())).status).toBe(409);
    expect((await problemOf(ask({}, ben))).message).toContain('ann@example.org');
    expect((await problemOf(on.run(ben, withdrawFlagChange, { id: first.id }))).status).toBe(403);
    await on.run(ann, withdrawFlagChange, { id: first.id });
    expect((await on.flagOf(ann, NAME)).request).toBeNull();
    const second = await ask();
    await on.run(ben, declineFlagChange, { id: second.id, reason: 'not on a Friday' });
    expect((await on.flagOf(ann, NAME)).request).toBeNull();
    expect((await problemOf(approve(second.id))).status).toBe(404);
    expect(await on.history(ann, NAME)).toMatchObject([
      { action: 'flags.decline', actor: 'ben@example.org', from: null, to: null, reason: 'not on a Friday' },
    ]);
    expect(await value()).toBe('Off');
  });

  it('by several at once is stored once', async () => {
    const etag = await on.etagOf(ann, NAME);
    const tries = await Promise.allSettled(
      [ann, ben, ann].map((actor) => on.run(actor, requestFlagChange, { name: NAME, enabled: true, etag })),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it.each([
    [{ enabled: undefined }, 400, 'enabled'],
    [{ etag: undefined }, 400, 'etag'],
    [{ action: 'delete', at: '2999-01-01T00:00:00Z' }, 400, 'at'],
    [{ at: '2020-01-01T00:00:00Z' }, 400, 'at'],
    [{ action: 'create', name: 'feature_lower' }, 400, 'name'],
    [{ action: 'create' }, 409, null],
    [{ etag: 'stale' }, 412, null],
    [{ name: 'FEATURE_GONE' }, 404, null],
    [{ name: 'JWT_SECRET' }, 404, null],
  ])('%j is refused with %i', async (more, status, path) => {
    const problem = await problemOf(ask(more));
    expect(problem.status).toBe(status);
    if (path) expect(problem.extensions).toMatchObject({ errors: [{ path }] });
  });

  it('cannot be made without permission, and an unknown id is not found', async () => {
    for (const role of ['viewer', 'support'] as const)
      expect((await problemOf(ask({}, testActor(role)))).status).toBe(403);
    expect((await problemOf(approve('nonsense'))).status).toBe(404);
  });
});
