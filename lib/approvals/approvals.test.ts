import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApiToken } from '@/lib/access/api-tokens';
import { updateUser } from '@/lib/access/users';
import type { Actor } from '@/lib/actor';
import { findEntry, listEntries } from '@/lib/audit/reads';
import type { Command } from '@/lib/command/define';
import { type Call, runCommand } from '@/lib/command/run';
import { parseInput } from '@/lib/command/validate';
import { runLineCommand } from '@/lib/command-line/run';
import { registerDomains } from '@/lib/domains/all';
import { createVariableCommand, setVariableCommand } from '@/lib/env/commands';
import { importVariablesCommand } from '@/lib/env/import';
import { listVariables } from '@/lib/env/reads';
import { envContracts } from '@/lib/env/schema';
import { invalidate } from '@/lib/families/commands';
import { readRequests } from '@/lib/flags/requests';
import { addToBlacklist, removeFromBlacklist } from '@/lib/guard/commands';
import { runJob } from '@/lib/jobs/runner';
import { deleteKeyCommand } from '@/lib/keys/commands/delete';
import { keyId } from '@/lib/keyspace/display';
import { type ConnectionHandle, connections, openConnection } from '@/lib/redis/connections';
import { handleOf } from '@/lib/sessions/keys';
import { revokeSessions } from '@/lib/sessions/revocation/commands';
import { HOUR } from '@/lib/time';
import { undoChange } from '@/lib/undo/commands';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { flagsOn, keyOf, user } from '@/scripts/testing/flags';
import { problemOf } from '@/scripts/testing/problem-of';
import { seedSession } from '@/scripts/testing/sessions';
import { approveRequest } from './approve';
import { declineRequest, withdrawRequest } from './close';
import { getApproval, listApprovals } from './reads';
import { requestApproval } from './request';
import { approvalContracts } from './schema';

const SECRET = 'hunter2-hunter2-hunter2';
const RULE = {
  approvals: { operations: ['env.*', 'guard.blacklist.add'], expiresHours: 24, bound: 0.1 },
  limits: { support: { 'sessions.revoke': 2 }, product: { 'families.invalidate': 3 } },
};

let test: TestContext;
let [ann, ben, sam, pam]: Actor[] = [];
const opened: ConnectionHandle[] = [];
beforeAll(async () => {
  test = await testContext({ apps: ['discours', 'hawk'], ...RULE });
  registerDomains();
});
beforeEach(async () => {
  for (const handle of opened.splice(0)) handle.topology.close();
  await test.empty();
  connections.replace(new Map([['main', test.handle]]));
  ann = await user(test, 'ann', 'admin');
  ben = await user(test, 'ben', 'admin');
  sam = await user(test, 'sam', 'support');
  pam = await user(test, 'pam', 'product');
});
afterAll(async () => {
  for (const handle of opened) handle.topology.close();
  connections.forget();
  await test.close();
});

const on = (connection: ConnectionHandle) => ({
  run: <C extends Command['contract']>(actor: Actor, command: Command<C>, raw: object) =>
    runCommand(command, { actor, requestId: randomUUID(), connection, raw }),
});
const run = <C extends Command['contract']>(actor: Actor, command: Command<C>, raw: object) =>
  on(test.handle).run(actor, command, raw);
const ask = async (actor: Actor, command: Command<never>, input: object, reason = 'ticket 7') => {
  const { id: operation } = (command as unknown as Command).contract;
  return (await run(actor, requestApproval, { operation, input, reason })).request;
};
const approve = (actor: Actor, id: string, more: object = {}) => run(actor, approveRequest, { id, ...more });
const list = async (actor: Actor) =>
  approvalContracts.list.result.parse(await listApprovals(test.as({ actor }), { limit: 100 }));
const get = async (actor: Actor, id: string) =>
  approvalContracts.get.result.parse(await getApproval(test.as({ actor }), { id }));
const BANS = { ips: ['192.0.2.1', '192.0.2.2'] };
const askBans = (actor = ann!) => ask(actor, addToBlacklist as never, BANS);
const banned = () => test.redis.smembers('BlacklistIPsSet');
const intents = async () => (await listEntries(test.ctx.store)).items;

describe('a change that needs approval', () => {
  it('is refused by name and by pattern before its intent, with the rule; a dry run is not', async () => {
    const problem = await problemOf(run(ann!, addToBlacklist, BANS));
    expect(problem).toMatchObject({ status: 409, code: 'approval_required' });
    expect(problem.extensions).toMatchObject({
      operation: 'guard.blacklist.add',
      rule: 'guard.blacklist.add',
      limit: null,
      askable: true,
    });
    const set = run(ann!, createVariableCommand, { name: 'A_B', value: '1' });
    expect((await problemOf(set)).extensions.rule).toBe('env.*');
    expect(await intents()).toEqual([]);
    expect(await run(ann!, addToBlacklist, { ...BANS, dryRun: true })).toMatchObject({ added: 2 });
    expect(await banned()).toEqual([]);
    await run(ann!, removeFromBlacklist, { ips: ['192.0.2.9'] });
  });

  it('is made when another user approves; its entry names both with their reasons, and it can be undone', async () => {
    const request = await askBans();
    expect(request).toMatchObject({
      operation: 'guard.blacklist.add',
      target: '2 addresses',
      by: 'ann@example.org',
      reason: 'ticket 7',
      state: 'pending',
      was: { count: 2 },
      own: true,
      mayDecide: false,
    });
    expect(await banned()).toEqual([]);
    expect((await list(ben!)).items).toMatchObject([{ id: request.id, own: false, mayDecide: true }]);
    expect((await list(sam!)).items).toEqual([]);
    expect(await get(ben!, request.id)).toMatchObject({ now: { count: 2 }, obstacle: null, bound: 0.1 });
    expect((await problemOf(get(sam!, request.id))).status).toBe(404);

    const approved = await approve(ben!, request.id, { reason: 'looks right' });
    expect(approved).toMatchObject({
      state: 'applied',
      why: null,
      change: { undoUntil: expect.any(String) },
    });
    expect((await banned()).sort()).toEqual(BANS.ips);
    expect(await findEntry(test.ctx.store, approved.change!.auditId)).toMatchObject({
      action: 'guard.blacklist.add',
      actor: 'ben@example.org',
      reason: 'ticket 7',
      outcome: 'succeeded',
      approval: {
        request: request.id,
        requestedBy: 'ann@example.org',
        requestReason: 'ticket 7',
        approvedBy: 'ben@example.org',
        approvalReason: 'looks right',
      },
    });
    expect((await list(ben!)).items).toEqual([]);
    expect((await problemOf(approve(ben!, request.id))).status).toBe(404);

    // An undo restores, so one user is enough.
    const undo = {
      actor: ann!,
      requestId: 'r',
      connection: null,
      raw: { auditId: approved.change!.auditId },
    };
    expect(await runCommand(undoChange, undo)).toMatchObject({ undone: 2 });
    expect(await banned()).toEqual([]);
  });

  it('is asked for only by who may make it, with an input that it takes, and once', async () => {
    expect(await problemOf(askBans(sam!))).toMatchObject({ status: 403 });
    expect(await problemOf(ask(ann!, addToBlacklist as never, { wrong: 1 }))).toMatchObject({ status: 400 });
    const none = run(ann!, requestApproval, { operation: 'flags.set', input: {} });
    expect(await problemOf(none)).toMatchObject({ code: 'bad_input' });
    await askBans();
    expect(await problemOf(askBans())).toMatchObject({ status: 409, code: 'conflict' });
  });

  it('is asked for with the confirmation of production, which the approver types too', async () => {
    const handle = openConnection({ ...test.handle.config, environment: 'production' });
    opened.push(handle);
    const { run: there } = on(handle);
    const asked = { operation: 'guard.blacklist.add', input: BANS };
    expect(await problemOf(there(ann!, requestApproval, asked))).toMatchObject({
      code: 'confirmation_required',
    });
    const { request } = await there(ann!, requestApproval, {
      ...asked,
      input: { ...BANS, confirm: 'main' },
    });
    expect(await problemOf(there(ben!, approveRequest, { id: request.id }))).toMatchObject({
      code: 'confirmation_required',
    });
    expect(await there(ben!, approveRequest, { id: request.id, confirm: 'main' })).toMatchObject({
      state: 'applied',
    });
  });
});

describe('who decides', () => {
  it('never the requester, nor through an API token, nor a token of the configuration', async () => {
    const made = { name: 'ci', role: 'admin', createdBy: 'ann', expiresAt: null, owner: ann!.id } as const;
    const { apiToken } = await createApiToken(test.ctx.store, made, Date.now());
    const tokenOf = (owner: string, id = apiToken.id): Actor => ({
      kind: 'token',
      id,
      name: 'ci',
      role: 'admin',
      owner,
    });
    const request = await askBans();
    for (const actor of [ann!, tokenOf(ann!.id), tokenOf('environment:x', 'environment')])
      expect(await problemOf(approve(actor, request.id))).toMatchObject({ status: 403 });
    const byToken = await askBans(tokenOf(ann!.id)).catch((error: unknown) => error);
    expect(byToken).toMatchObject({ code: 'conflict' });
    await run(ann!, withdrawRequest, { id: request.id });
    const second = await askBans(tokenOf(ann!.id));
    expect(await problemOf(approve(ann!, second.id))).toMatchObject({ status: 403 });
    expect(await banned()).toEqual([]);
  });

  it('nobody without the permission of the change', async () => {
    const request = await askBans();
    expect(await problemOf(approve(sam!, request.id))).toMatchObject({ status: 403 });
    const decline = run(sam!, declineRequest, { id: request.id, reason: 'no' });
    expect(await problemOf(decline)).toMatchObject({ status: 403 });
    expect((await list(ann!)).items).toMatchObject([{ state: 'pending' }]);
  });

  it('declines with a reason; only the requester withdraws', async () => {
    const request = await askBans();
    expect(await problemOf(run(ben!, declineRequest, { id: request.id }))).toMatchObject({ status: 400 });
    const own = run(ann!, declineRequest, { id: request.id, reason: 'x' });
    expect(await problemOf(own)).toMatchObject({ status: 403 });
    expect(await problemOf(run(ben!, withdrawRequest, { id: request.id }))).toMatchObject({ status: 403 });
    await run(ben!, declineRequest, { id: request.id, reason: 'not these' });
    expect((await list(ann!)).items).toEqual([]);
    expect((await intents())[0]).toMatchObject({
      action: 'approvals.decline',
      target: 'guard.blacklist.add: 2 addresses',
      reason: 'not these',
    });
    expect(await test.storeRedis.keys('*approval-input*')).toEqual([]);
  });

  it('one of two at the same moment', async () => {
    const request = await askBans();
    const cat = await user(test, 'cat', 'admin');
    const both = await Promise.allSettled([approve(ben!, request.id), approve(cat, request.id)]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const made = (await intents()).filter(({ action }) => action === 'guard.blacklist.add');
    expect(made).toHaveLength(1);
  });
});

describe('a request is suspended, not executed', () => {
  it('where it would touch more or fewer things than the bound allows', async () => {
    const request = await askBans();
    await test.redis.sadd('BlacklistIPsSet', '192.0.2.1');
    const seen = await get(ben!, request.id);
    expect(seen).toMatchObject({ was: { count: 2 }, now: { count: 1 }, obstacle: expect.any(String) });
    const answer = await approve(ben!, request.id);
    expect(answer).toMatchObject({ state: 'suspended', change: null, bound: 0.1, now: { count: 1 } });
    expect(answer.why).toMatch(/1 things instead of 2; a difference of 10 %/);
    expect(await banned()).toEqual(['192.0.2.1']);
    expect((await list(ben!)).items).toMatchObject([{ state: 'suspended', why: answer.why }]);
    expect(await problemOf(approve(ben!, request.id))).toMatchObject({ status: 409 });
  });

  it('where the requester lost the role', async () => {
    const request = await askBans();
    await updateUser(test.ctx.store, ann!.id, { role: 'viewer' });
    expect(await approve(ben!, request.id)).toMatchObject({
      state: 'suspended',
      why: 'ann@example.org may no longer make this change.',
    });
    expect(await banned()).toEqual([]);
  });

  it('where what it changes was changed since', async () => {
    await test.redis.set(keyOf('A_B'), 'one');
    const { groups } = await listVariables(test.as({ actor: ann! }), parseInput(envContracts.list, {}));
    const [variable] = groups.flatMap(({ variables }) => variables);
    const input = { name: 'A_B', value: 'two', etag: variable!.etag };
    const request = await ask(ann!, setVariableCommand as never, input);
    expect(request.was).toEqual({ count: 1, facts: { before: 'one', after: 'two' } });
    await test.redis.set(keyOf('A_B'), 'three');
    expect((await get(ben!, request.id)).now).toEqual({ count: 1, facts: { before: 'three', after: 'two' } });
    expect(await approve(ben!, request.id)).toMatchObject({ state: 'suspended' });
    expect(await test.redis.get(keyOf('A_B'))).toBe('three');
  });
});

it('expires, with its input', async () => {
  const request = await askBans();
  const key = `keyward:approval-input:main:${request.id}`;
  expect(await test.storeRedis.pttl(key)).toBeGreaterThan(23 * HOUR);
  const later = () => Date.now() + 25 * HOUR;
  const { items } = await listApprovals({ ...test.as({ actor: ben! }), now: later }, { limit: 10 });
  expect(items).toMatchObject([{ state: 'expired' }]);
  const ctx = { ...test.as({ actor: ben! }), now: later };
  expect(await problemOf(approveRequest.run(ctx, { id: request.id }))).toMatchObject({
    status: 410,
    code: 'expired',
  });
  await test.storeRedis.del(key);
  expect(await approve(ben!, request.id)).toMatchObject({ state: 'suspended', why: /expired/ });
});

it('is in doubt after a process died while it executed, and is not executed again', async () => {
  const request = await askBans();
  const hash = 'keyward:approval-request:main';
  const stored = JSON.parse((await test.storeRedis.hget(hash, request.id))!);
  const since = Date.now() - HOUR;
  const died = { ...stored, state: 'executing', executingSince: since };
  await test.storeRedis.hset(hash, request.id, JSON.stringify(died));
  expect((await list(ben!)).items).toMatchObject([{ state: 'inDoubt', why: /outcome is unknown/ }]);
  expect(await problemOf(approve(ben!, request.id))).toMatchObject({ status: 409 });
  await run(ben!, declineRequest, { id: request.id, reason: 'looked at it' });
});

it('opens no input under a record that was altered', async () => {
  const request = await askBans();
  const hash = 'keyward:approval-request:main';
  const stored = JSON.parse((await test.storeRedis.hget(hash, request.id))!);
  const other = { ...stored, by: { ...stored.by, id: pam!.id }, owner: pam!.id };
  await test.storeRedis.hset(hash, request.id, JSON.stringify(other));
  expect(await approve(ann!, request.id)).toMatchObject({ state: 'suspended' });
  expect(await banned()).toEqual([]);
});

it('keeps a secret out of the store, the log, the lists and the errors', async () => {
  const input = { name: 'DB_PASSWORD', value: SECRET };
  const request = await ask(ann!, createVariableCommand as never, input);
  const twice = await problemOf(ask(ann!, createVariableCommand as never, input));
  const shown = [
    request,
    await list(ben!),
    await get(ben!, request.id),
    twice.toDocument('r'),
    await intents(),
  ];
  const kept: string[] = [];
  for (const key of await test.storeRedis.keys('*approval*')) {
    const isHash = (await test.storeRedis.type(key)) === 'hash';
    const value = isHash ? await test.storeRedis.hgetall(key) : await test.storeRedis.get(key);
    kept.push(JSON.stringify(value));
  }
  expect(kept).toHaveLength(2);
  expect(JSON.stringify(shown) + kept.join('')).not.toContain(SECRET);
  expect(await approve(ben!, request.id)).toMatchObject({ state: 'applied' });
  expect(await test.redis.get(keyOf('DB_PASSWORD'))).toBe(SECRET);
  expect(JSON.stringify(await intents())).not.toContain(SECRET);
});

describe('limits of a role', () => {
  it('let support revoke so many sessions at once, and ask for more', async () => {
    const seeded = [];
    for (let i = 0; i < 3; i++) seeded.push(await seedSession(test.redis));
    const handles = seeded.map(({ userId, token }) => handleOf(userId, Buffer.from(token)));
    const problem = await problemOf(run(sam!, revokeSessions, { handles }));
    expect(problem).toMatchObject({ code: 'approval_required' });
    expect(problem.extensions.limit).toEqual({ role: 'support', limit: 2, count: 3 });
    expect(problem.message).toMatch(/touches 3 things; the role support may touch 2/);
    const request = await ask(sam!, revokeSessions as never, { handles });
    expect(await approve(ann!, request.id)).toMatchObject({ state: 'applied' });
    expect(await test.redis.keys('session:*')).toEqual([]);

    const few = [await seedSession(test.redis), await seedSession(test.redis)];
    const two = few.map(({ userId, token }) => handleOf(userId, Buffer.from(token)));
    expect(await run(sam!, revokeSessions, { handles: two })).toMatchObject({ revoked: 2 });
  });

  it('count for the role only, and for what acts as the operation', async () => {
    for (let i = 0; i < 4; i++) await test.redis.set(`topic:id:${i}`, '{}');
    const raw = { family: 'discours.topic-id' };
    expect((await problemOf(run(pam!, invalidate, raw))).extensions.limit).toEqual({
      role: 'product',
      limit: 3,
      count: 4,
    });
    const { setTtl } = await import('@/lib/families/commands');
    const short = run(pam!, setTtl, { ...raw, ttlSeconds: 1 });
    expect(await problemOf(short)).toMatchObject({ code: 'approval_required' });
    expect(await run(ann!, invalidate, raw)).toMatchObject({ jobId: expect.any(String) });
  });
});

describe('there is no way around', () => {
  const KEY = keyOf('A_B');
  const refused = async (call: Promise<unknown>) =>
    expect(await problemOf(call)).toMatchObject({ code: 'approval_required' });

  it('by the command line, as a key, in an invalidation, or in bulk', async () => {
    await test.redis.set(KEY, 'one');
    await refused(run(ann!, runLineCommand, { line: `SET ${KEY} two` }));
    await refused(run(ann!, deleteKeyCommand, { keyId: keyId(Buffer.from(KEY)), etag: 'any' }));
    await refused(run(ann!, invalidate, { keyIds: [keyId(Buffer.from(KEY))], withoutUndo: true }));
    await refused(run(ann!, importVariablesCommand, { text: 'A_B=two' }));
    await refused(run(ann!, runLineCommand, { line: 'SADD BlacklistIPsSet 192.0.2.1' }));
    expect(await run(ann!, runLineCommand, { line: `GET ${KEY}` })).toMatchObject({ kind: 'read' });
    expect(await test.redis.get(KEY)).toBe('one');
    expect(await banned()).toEqual([]);
  });

  it('by a rule for the bulk form of another operation', async () => {
    const approvals = { ...RULE.approvals, operations: ['env.delete', 'keys.delete'] };
    const handle = openConnection({ ...test.handle.config, approvals });
    opened.push(handle);
    await refused(on(handle).run(ann!, runLineCommand, { line: 'DEL some:key' }));
    await test.redis.set('some:key', '1');
    expect(await test.redis.get('some:key')).toBe('1');
  });

  it('but the same as an approved change of the key', async () => {
    await test.redis.set(KEY, 'one');
    const request = await ask(ann!, runLineCommand as never, { line: `SET ${KEY} two`, withoutUndo: true });
    expect(await approve(ben!, request.id)).toMatchObject({ state: 'applied' });
    expect(await test.redis.get(KEY)).toBe('two');
  });

  it('by a job: one that was approved may, another skips the key', async () => {
    await test.redis.set(KEY, 'one');
    const finish = (jobId: string) => runJob(test.ctx.store, jobId, new AbortController().signal);
    const found = { pattern: 'env_vars:*', withoutUndo: true };
    await finish((await run(ann!, invalidate, found)).jobId);
    expect(await test.redis.get(KEY)).toBe('one');
    const request = await ask(ann!, invalidate as never, found);
    const approved = await approve(ben!, request.id);
    expect(approved.state).toBe('started');
    await finish(approved.change!.jobId!);
    expect(await test.redis.get(KEY)).toBeNull();
    expect(await findEntry(test.ctx.store, approved.change!.auditId)).toMatchObject({
      outcome: 'succeeded',
      approval: { requestedBy: 'ann@example.org', approvedBy: 'ben@example.org' },
    });
  });

  it('by another connection to the database without the rule', async () => {
    const none = { operations: [], expiresHours: 24, bound: 0.1 };
    const handle = openConnection({ ...test.handle.config, id: 'lax', approvals: none, limits: {} });
    opened.push(handle);
    connections().set('lax', handle);
    await refused(on(handle).run(ann!, addToBlacklist, BANS));
  });

  it('by scheduled work of an approved change: it inherits', async () => {
    const actor = { kind: 'schedule', id: 's', onBehalfOf: ann!.id, name: 'ann', role: 'admin' } as const;
    const call: Call = { actor, requestId: 'r', connection: test.handle, raw: BANS };
    expect(await runCommand(addToBlacklist, call)).toMatchObject({ added: 2 });
  });
});

it('lists requests of flags and decides on them, by the operations of flags', async () => {
  const handle = openConnection({ ...test.handle.config, flags: { approval: 'two-person' } });
  opened.push(handle);
  connections().set('main', handle);
  const { requestFlagChange } = await import('@/lib/flags/request-commands');
  const flags = flagsOn(test, handle);
  await test.redis.set(keyOf('FEATURE_A'), 'off');
  const etag = await flags.etagOf(pam!, 'FEATURE_A');
  const asked = { name: 'FEATURE_A', enabled: true, etag, reason: 'launch' };
  const { request } = await flags.run(pam!, requestFlagChange, asked);
  const ctx = { ...test.as({ actor: ben! }), connection: handle };
  expect((await listApprovals(ctx, { limit: 10 })).items).toMatchObject([
    { id: request.id, operation: 'flags.set', target: 'FEATURE_A', state: 'pending', mayDecide: true },
  ]);
  const later = { ...ctx, now: () => Date.now() + 25 * HOUR };
  expect((await listApprovals(later, { limit: 10 })).items).toMatchObject([{ state: 'expired' }]);
  expect(await readRequests(later)).toEqual([]);
  expect((await getApproval(ctx, { id: request.id })).now).toEqual({
    count: 1,
    facts: { from: 'off', to: 'on' },
  });
  expect(await problemOf(on(handle).run(pam!, approveRequest, { id: request.id }))).toMatchObject({
    status: 403,
  });
  expect(await on(handle).run(ben!, approveRequest, { id: request.id })).toMatchObject({ state: 'applied' });
  expect(await test.redis.get(keyOf('FEATURE_A'))).toBe('on');
  expect((await flags.history(ben!, 'FEATURE_A'))[0]).toMatchObject({ action: 'flags.approve' });
});
