import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findEntry, listEntries } from '@/lib/audit/reads';
import { verifyChain } from '@/lib/audit/verify';
import { defineCommand, type Outcome } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import { forgetEnv } from '@/lib/configuration';
import { changeInput, changeResult, contract } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { closeConnections, connections } from '@/lib/redis/connections';
import { closeStore, store } from '@/lib/redis/store';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { undoChange } from './commands';
import { registerUndoable } from './registry';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
  registerUndoable([put, putBroken, setOne]);
});
beforeEach(async () => {
  closeStore();
  closeConnections();
  delete process.env.KEYWARD_READ_ONLY;
  forgetEnv();
  await test.empty();
});
afterAll(async () => {
  closeConnections();
  await test.close();
});

const input = changeInput({ values: z.record(z.string(), z.string()) });
const declared = {
  method: 'POST',
  path: '/api/v1/connections/{connection}/put',
  permission: 'flags:toggle',
  summary: 'Puts values.',
  result: changeResult({ put: z.number() }),
} as const;
const putContract = contract({ ...declared, id: 'test.put', input });
const brokenContract = contract({ ...declared, id: 'test.broken', input });

const kept = z.record(z.string(), z.string());

/** Puts strings; undoing takes away those that are still as they were put. */
const put = defineCommand({
  contract: putContract,
  target: ({ values }) => Object.keys(values).join(', '),
  redact: ({ values }) => ({ keys: Object.keys(values) }),
  run: async (ctx, { values }): Promise<Outcome<{ put: number; auditId: string }>> => {
    for (const [key, value] of Object.entries(values))
      await ctx.writer.compareAndSet(Buffer.from(key), null, Buffer.from(value));
    return { result: { put: Object.keys(values).length }, undo: values };
  },
  undo: async (ctx, before) => {
    const conflicts: { what: string; why: string }[] = [];
    let undone = 0;
    for (const [key, value] of Object.entries(kept.parse(before))) {
      const taken = await ctx.writer.compareAndSet(Buffer.from(key), Buffer.from(value), null);
      if (taken.ok) undone += 1;
      else conflicts.push({ what: key, why: 'It was changed since.' });
    }
    return { undone, conflicts };
  },
});

const putBroken = defineCommand({
  ...put,
  contract: brokenContract,
  undo: () => Promise.reject(new Problem('unreachable', 'It went away.')),
});

/** One thing only, which its undo puts as it was. */
const setOne = defineCommand({
  ...put,
  contract: contract({ ...declared, id: 'test.setOne', input }),
  undoNeedsNoConfirmation: true,
});

const change = async (values: Record<string, string>, command = put): Promise<string> =>
  (
    await runCommand(command, {
      actor: testActor('product'),
      requestId: 'r',
      connection: connections().get('main')!,
      raw: { values, confirm: 'main' },
    })
  ).auditId;

const undo = (
  auditId: string,
  role: 'admin' | 'product' | 'viewer' | 'support' = 'product',
  confirm?: string,
) =>
  runCommand(undoChange, {
    actor: testActor(role),
    requestId: 'r',
    connection: null,
    raw: { auditId, reason: 'a mistake', confirm },
  });

describe('undo', () => {
  it('undoes a change, marks it, and is itself in the log', async () => {
    const auditId = await change({ a: '1', b: '2' });
    const result = await undo(auditId);
    expect(result).toEqual({ undone: 2, conflicts: [], auditId: expect.any(String) });
    expect(await test.redis.dbsize()).toBe(0);
    expect(await findEntry(store(), auditId)).toMatchObject({ undoneBy: result.auditId, undoUntil: null });
    expect(await findEntry(store(), result.auditId)).toMatchObject({
      action: 'audit.undo',
      connection: 'main',
      target: auditId,
      reason: 'a mistake',
      outcome: 'succeeded',
      after: { undone: 2 },
    });
    expect(await test.storeRedis.keys('*undo*')).toEqual([]);
    expect((await verifyChain(store())).ok).toBe(true);
  });

  it('happens once: a second time, or at the same moment, is a conflict', async () => {
    const auditId = await change({ a: '1' });
    const tries = await Promise.allSettled([undo(auditId), undo(auditId), undo(auditId, 'admin')]);
    expect(tries.filter((each) => each.status === 'fulfilled')).toHaveLength(1);
    for (const each of tries)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ status: 409, code: 'conflict' });
    expect((await problemOf(undo(auditId))).message).toContain('already undone');
  });

  it('lists what changed since and does not touch it', async () => {
    const auditId = await change({ a: '1', b: '2' });
    await test.redis.set('b', 'somebody else’s');
    expect(await undo(auditId)).toMatchObject({
      undone: 1,
      conflicts: [{ what: 'b', why: 'It was changed since.' }],
    });
    expect(await test.redis.mget('a', 'b')).toEqual([null, 'somebody else’s']);
    expect((await problemOf(undo(auditId))).status).toBe(409);
  });

  it('that could undo nothing is not marked, and can be repeated', async () => {
    const auditId = await change({ a: '1' });
    await test.redis.set('a', 'x');
    expect(await undo(auditId)).toMatchObject({ undone: 0, conflicts: [{ what: 'a' }] });
    expect((await findEntry(store(), auditId))?.undoneBy).toBeNull();
    await test.redis.set('a', '1');
    expect(await undo(auditId)).toMatchObject({ undone: 1 });
  });

  it('that throws has failed, and can be repeated', async () => {
    const auditId = await change({ a: '1' }, putBroken);
    for (let i = 0; i < 2; i++) expect((await problemOf(undo(auditId))).status).toBe(503);
    expect((await findEntry(store(), auditId))?.undoneBy).toBeNull();
    const [newest] = (await listEntries(store())).items;
    expect(newest).toMatchObject({ action: 'audit.undo', outcome: 'failed', detail: 'It went away.' });
  });
});

describe('undo on production', () => {
  beforeEach(() => {
    Object.assign(connections().get('main')!.config, { environment: 'production' });
  });

  it("needs the connection's id like the change it undoes", async () => {
    const auditId = await change({ a: '1', b: '2' });
    const entries = await test.storeRedis.xlen(consoleFamilies.audit.key());
    for (const confirm of [undefined, '', 'demo', auditId])
      expect(await problemOf(undo(auditId, 'admin', confirm))).toMatchObject({
        status: 400,
        code: 'confirmation_required',
        extensions: { confirm: 'main' },
      });
    expect(await test.redis.mget('a', 'b')).toEqual(['1', '2']);
    expect(await test.storeRedis.xlen(consoleFamilies.audit.key())).toBe(entries);
    expect(await undo(auditId, 'admin', 'main')).toMatchObject({ undone: 2 });
  });

  it('needs no confirmation where one thing is restored', async () => {
    expect(await undo(await change({ a: '1' }, setOne))).toMatchObject({ undone: 1 });
  });
});

describe('undo is refused', () => {
  it("without the change's permission: 403, in the log, and without details of the change", async () => {
    const auditId = await change({ a: '1' });
    for (const role of ['viewer', 'support'] as const)
      expect(await problemOf(undo(auditId, role))).toMatchObject({ status: 403, code: 'forbidden' });
    await undo(auditId, 'admin');
    expect(await problemOf(undo(auditId, 'viewer'))).toMatchObject({ status: 403 });
    const refused = (await listEntries(store(), { outcome: 'failed' })).items;
    expect(refused.map(({ actor, action, detail }) => [actor, action, detail])).toEqual([
      ['support@example.org', 'audit.undo', 'refused: needs flags:toggle'],
      ['viewer@example.org', 'audit.undo', 'refused: needs flags:toggle'],
    ]);
  });

  it('on a connection that has become read-only or was removed', async () => {
    const auditId = await change({ a: '1' });
    closeConnections();
    process.env.KEYWARD_READ_ONLY = 'true';
    forgetEnv();
    expect(await problemOf(undo(auditId))).toMatchObject({ status: 423, code: 'read_only' });
    expect((await listEntries(store())).items[0]).toMatchObject({
      action: 'audit.undo',
      connection: 'main',
      detail: 'refused: read-only connection',
    });
    connections().clear();
    expect(await problemOf(undo(auditId))).toMatchObject({ status: 409 });
    expect(await test.redis.get('a')).toBe('1');
  });

  it('for entries that are no change, have no undo, failed, or whose undo data expired', async () => {
    expect(await problemOf(undo(newId()))).toMatchObject({ status: 404 });
    expect(await problemOf(undo('nonsense'))).toMatchObject({ status: 400 });
    const undone = await undo(await change({ a: '1' }));
    expect(await problemOf(undo(undone.auditId))).toMatchObject({ status: 409 });
    const expired = await change({ b: '1' });
    await test.storeRedis.del(consoleFamilies.undo.key({ id: expired }));
    expect(await problemOf(undo(expired))).toMatchObject({
      status: 409,
      message: expect.stringContaining('expired'),
    });
    const forged = await change({ c: '1' });
    await test.storeRedis.set(consoleFamilies.undo.key({ id: forged }), randomUUID());
    expect(await problemOf(undo(forged))).toMatchObject({ status: 409 });
    await expect(
      runCommand(put, { actor: testActor(), requestId: 'r', connection: test.handle, raw: {} }),
    ).rejects.toThrow();
  });
});
