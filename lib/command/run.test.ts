import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Actor } from '@/lib/actor';
import { listEntries } from '@/lib/audit/reads';
import { verifyChain } from '@/lib/audit/verify';
import { forgetEnv } from '@/lib/configuration';
import { changeInput, changeResult, contract } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { closeStore, store } from '@/lib/redis/store';
import { startRedis } from '@/scripts/redis-server.mjs';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { type AuditJson, defineCommand, defineRecordedRead } from './define';
import { runCommand } from './run';
import { readUndo } from './undo-record';

let test: TestContext;
const steps: string[] = [];
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(async () => {
  closeStore();
  await test.empty();
  steps.length = 0;
});
afterAll(() => test.close());

const KEY = Buffer.from('thing');
const SECRET = 's3cret-value';

const setThing = contract({
  id: 'test.set',
  method: 'POST',
  path: '/api/v1/connections/{connection}/thing',
  permission: 'flags:toggle',
  summary: 'Sets the thing.',
  input: changeInput({
    value: z.string().max(50),
    many: z.boolean().default(false),
    dryRun: z.boolean().optional(),
    breaks: z.enum(['before', 'after', 'problem']).optional(),
    nested: z.strictObject({ deep: z.number() }).optional(),
  }),
  result: changeResult({ value: z.string() }),
});

const command = defineCommand({
  contract: setThing,
  target: () => 'the thing',
  redact: ({ many }) => ({ many }),
  needsConfirmation: ({ many }) => many,
  needs: (_ctx, { value }) => (value === 'sensitive' ? ['caches:invalidate-sensitive'] : []),
  preview: async () => {
    steps.push('preview');
    return { value: 'would be' };
  },
  run: async (ctx, { value, breaks }) => {
    const [entry] = (await listEntries(ctx.store)).items;
    steps.push(`run with ${entry?.action} ${entry?.outcome}`);
    if (breaks === 'before') throw new Error(`broke on ${SECRET}`);
    await ctx.writer.compareAndSet(KEY, null, Buffer.from(value));
    if (breaks === 'after') throw new Error(`broke on ${SECRET}`);
    if (breaks === 'problem') throw new Problem('conflict', 'It is in the way.');
    return { result: { value: 'done' }, before: { set: false }, after: { set: true }, undo: { was: SECRET } };
  },
  undo: async () => ({ undone: 1, conflicts: [] }),
});

const handleWith = (change: Partial<ConnectionHandle['config']>): ConnectionHandle => ({
  ...test.handle,
  config: { ...test.handle.config, ...change },
});

const run = (
  raw: unknown,
  {
    actor = testActor('product'),
    connection = test.handle,
  }: { actor?: Actor; connection?: ConnectionHandle } = {},
) => runCommand(command, { actor, requestId: randomUUID(), connection, raw });

const entries = async () => (await listEntries(store())).items;
const stored = () => test.redis.get('thing');

/** Everything the store holds, as it would be found by a search for a secret. */
const dumpStore = async (): Promise<string> => {
  const parts: string[] = [];
  for (const key of await test.storeRedis.keys('*')) {
    const type = await test.storeRedis.type(key);
    if (type === 'stream') parts.push(JSON.stringify(await test.storeRedis.xrange(key, '-', '+')));
    else if (type === 'hash') parts.push(JSON.stringify(await test.storeRedis.hgetall(key)));
    else if (type === 'string') parts.push((await test.storeRedis.getBuffer(key))!.toString('latin1'));
    else throw new Error(`${key} is a ${type}`);
  }
  return parts.join('\n');
};

describe('a change', () => {
  it('is intended before it is made, and ends with its outcome', async () => {
    const result = await run({ value: 'x', reason: '  a reason  ' });
    expect(steps).toEqual(['run with test.set pending']);
    expect(result).toMatchObject({
      value: 'done',
      auditId: expect.any(String),
      undoUntil: expect.any(String),
    });
    expect(await entries()).toEqual([
      expect.objectContaining({
        id: result.auditId,
        actor: 'product@example.org',
        role: 'product',
        action: 'test.set',
        connection: 'main',
        target: 'the thing',
        reason: 'a reason',
        outcome: 'succeeded',
        before: { set: false },
        after: { set: true },
        undoUntil: result.undoUntil,
      }),
    ]);
    expect((await verifyChain(store())).ok).toBe(true);
  });

  it('keeps what undoing needs sealed, under its own audit id, for as long as it says', async () => {
    const { auditId } = await run({ value: 'x' });
    expect(await readUndo(store(), auditId)).toEqual({ was: SECRET });
    expect(await readUndo(store(), randomUUID())).toBeNull();
    expect(await dumpStore()).not.toContain(SECRET);
    const [key] = await test.storeRedis.keys('*undo*');
    expect(await test.storeRedis.pttl(key!)).toBeGreaterThan(23 * 3_600_000);
    const other = key!.replace(auditId, randomUUID());
    await test.storeRedis.copy(key!, other);
    expect(await readUndo(store(), other.split(':').pop()!)).toBeNull();
  });

  it('leaves no secret in the audit log: not the input, not what broke, not what somebody pasted', async () => {
    const jwt = `eyJ${'a'.repeat(30)}.${'b'.repeat(30)}.${'c'.repeat(30)}`;
    await run({ value: SECRET, reason: `as asked: ${jwt}` });
    await problemOf(run({ value: SECRET, [SECRET]: SECRET, many: SECRET })).then((problem) =>
      expect(JSON.stringify(problem.toDocument('r').errors?.map((e) => e.message))).not.toContain(SECRET),
    );
    await expect(run({ value: SECRET, breaks: 'after' })).rejects.toThrow();
    const dump = await dumpStore();
    expect(dump).not.toContain(SECRET);
    expect(dump).not.toContain('b'.repeat(30));
    expect((await entries())[1]?.reason).toBe('as asked: •••');
  });

  it('that throws has failed, and reports it without the internal message', async () => {
    await expect(run({ value: 'x', breaks: 'before' })).rejects.toThrow(SECRET);
    await problemOf(run({ value: 'x', breaks: 'problem' }));
    const [second, first] = await entries();
    expect(first).toMatchObject({ outcome: 'failed', detail: expect.stringContaining('Internal error') });
    expect(second).toMatchObject({ outcome: 'failed', detail: 'It is in the way.' });
  });

  it('says nothing of undoing when it cannot be kept', async () => {
    const { undo: _, ...plain } = command;
    const result = await runCommand(
      { ...plain, scope: 'connection' },
      { actor: testActor('product'), requestId: 'r', connection: test.handle, raw: { value: 'x' } },
    );
    expect(result).not.toHaveProperty('undoUntil');
    expect((await entries())[0]?.undoUntil).toBeNull();
  });
});

describe('a refusal', () => {
  it('comes first for a role without the permission, whatever the input is, and is in the log once', async () => {
    for (const raw of [{ value: 'x' }, 'nonsense', { nope: 1 }]) {
      const problem = await problemOf(run(raw, { actor: testActor('viewer') }));
      expect(problem).toMatchObject({ status: 403, code: 'forbidden' });
    }
    expect(steps).toEqual([]);
    expect(await entries()).toEqual([
      expect.objectContaining({
        actor: 'viewer@example.org',
        action: 'test.set',
        connection: 'main',
        outcome: 'failed',
        detail: 'refused: needs flags:toggle',
      }),
    ]);
  });

  it('names every wrong and unknown field, also the deep ones, and repeats no value', async () => {
    const problem = await problemOf(
      run({ value: 7, nested: { deep: SECRET, deeper: 1 }, nope: SECRET, dryRun: 'yes' }),
    );
    expect(problem).toMatchObject({ status: 400, code: 'bad_input' });
    const errors = problem.extensions.errors as { path: string; message: string }[];
    expect(errors.map((error) => error.path).sort()).toEqual([
      'dryRun',
      'nested.deep',
      'nested.deeper',
      'nope',
      'value',
    ]);
    expect(errors.find((error) => error.path === 'nope')?.message).toBe('Unknown field.');
    expect(JSON.stringify(problem.toDocument('r'))).not.toContain(SECRET);
    expect(await entries()).toEqual([]);
  });

  it('masks a secret that was pasted as the name of a field, at any depth', async () => {
    const name = `kw_${'PLANTEDplanted'.repeat(3)}123`;
    const problem = await problemOf(run({ value: 'x', [name]: 1, nested: { [name]: { [name]: 1 } } }));
    const errors = problem.extensions.errors as { path: string }[];
    expect(errors.length).toBeGreaterThan(0);
    expect(JSON.stringify(problem.toDocument('r'))).not.toContain('PLANTED');
  });

  it('takes an own property called __proto__ for the unknown field it is', async () => {
    const problem = await problemOf(run(JSON.parse('{"value":"x","__proto__":{"many":true}}')));
    expect(problem.extensions.errors).toEqual([{ path: '__proto__', message: 'Unknown field.' }]);
    for (const raw of [null, [], 'x', 7]) expect((await problemOf(run(raw))).status).toBe(400);
  });

  it('follows for a further permission the input needs', async () => {
    expect(await problemOf(run({ value: 'sensitive' }))).toMatchObject({ status: 403 });
    expect((await entries())[0]?.detail).toBe('refused: needs caches:invalidate-sensitive');
    await run({ value: 'sensitive' }, { actor: testActor('admin') });
  });

  it('closes a read-only connection, for admins too', async () => {
    const connection = handleWith({ readOnly: true });
    const problem = await problemOf(run({ value: 'x' }, { connection, actor: testActor('admin') }));
    expect(problem).toMatchObject({ status: 423, code: 'read_only' });
    expect(await entries()).toEqual([
      expect.objectContaining({ outcome: 'failed', detail: 'refused: read-only connection' }),
    ]);
    expect(await stored()).toBeNull();
    expect((await problemOf(run({ nope: 1 }, { connection }))).status).toBe(400);
  });

  it('asks on production for the connection’s id where it reaches far', async () => {
    const connection = handleWith({ environment: 'production' });
    for (const confirm of [undefined, '', 'Main', 'other'])
      expect(await problemOf(run({ value: 'x', many: true, confirm }, { connection }))).toMatchObject({
        status: 400,
        code: 'confirmation_required',
      });
    expect([await stored(), await entries()]).toEqual([null, []]);
    await run({ value: 'x', many: true, confirm: 'main' }, { connection });
    await run({ value: 'x' }, { connection });
    await run({ value: 'x', many: true });
  });
});

describe('a dry run', () => {
  it('changes nothing and writes no intent, on production and on read-only connections too', async () => {
    for (const change of [{}, { environment: 'production' as const }, { readOnly: true }]) {
      const result = await run({ value: 'x', many: true, dryRun: true }, { connection: handleWith(change) });
      expect(result).toEqual({ value: 'would be', auditId: null });
    }
    expect(steps).toEqual(['preview', 'preview', 'preview']);
    expect([await stored(), await entries()]).toEqual([null, []]);
    await problemOf(run({ value: 'x', dryRun: true }, { actor: testActor('viewer') }));
  });

  it('is never a real one, where a command forgot its preview', async () => {
    const { preview: _, ...without } = command;
    const call = { actor: testActor('product'), requestId: 'r', connection: test.handle };
    await expect(
      runCommand({ ...without, scope: 'connection' }, { ...call, raw: { value: 'x', dryRun: true } }),
    ).rejects.toThrow(/no preview/);
    expect(await stored()).toBeNull();
  });
});

describe('the store', () => {
  const pointTo = (url: string) => {
    closeStore();
    process.env.KEYWARD_STORE_URL = url;
  };

  it('that is gone keeps anything from being changed', async () => {
    const server = await startRedis();
    const before = process.env.KEYWARD_STORE_URL!;
    try {
      pointTo(server.url);
      forgetEnv();
      await run({ value: 'first' });
      await test.redis.del('thing');
      await server.stop();
      const problem = await problemOf(run({ value: 'second' }));
      expect(problem).toMatchObject({ status: 503, code: 'store_unavailable' });
      expect(await stored()).toBeNull();
      expect(steps).toHaveLength(1);
    } finally {
      pointTo(before);
      forgetEnv();
    }
  });

  it('that goes in the middle leaves the intent without an outcome, until it is back', async () => {
    const kept: AuditJson = 'kept';
    const interrupted = defineCommand({
      ...command,
      run: async () => {
        await test.storeRedis.config('SET', 'maxmemory', '1');
        return { result: { value: 'done' }, undo: kept };
      },
    });
    const call = {
      actor: testActor('product'),
      requestId: 'r',
      connection: test.handle,
      raw: { value: 'x' },
    };
    try {
      const result = await runCommand(interrupted, call);
      expect(result).toMatchObject({ value: 'done' });
      expect(result).not.toHaveProperty('undoUntil');
    } finally {
      await test.storeRedis.config('SET', 'maxmemory', '0');
    }
    expect((await entries())[0]).toMatchObject({ outcome: 'pending', finishedAt: null });
    await expect.poll(async () => (await entries())[0]?.outcome, { timeout: 5000 }).toBe('succeeded');
    expect(await verifyChain(store())).toMatchObject({ ok: true });
  });
});

describe('a read that is on record', () => {
  const revealThing = contract({
    id: 'test.reveal',
    method: 'POST',
    path: '/api/v1/connections/{connection}/thing/reveal',
    permission: 'env:reveal',
    summary: 'Shows the thing.',
    input: changeInput({}),
    result: changeResult({ value: z.string() }),
  });
  const reveal = defineRecordedRead({
    contract: revealThing,
    target: () => 'the thing',
    redact: () => ({}),
    run: async (ctx) => {
      expect('writer' in ctx).toBe(false);
      return { result: { value: (await entries())[0]!.outcome } };
    },
  });
  const show = (role: 'admin' | 'product', connection = test.handle) =>
    runCommand(reveal, { actor: testActor(role), requestId: randomUUID(), connection, raw: {} });

  it('is allowed on a read-only connection, has no writer and is intended before it shows anything', async () => {
    const shown = await show('admin', handleWith({ readOnly: true, environment: 'production' }));
    expect(shown.value).toBe('pending');
    expect(await entries()).toMatchObject([{ action: 'test.reveal', outcome: 'succeeded', undoUntil: null }]);
  });

  it('needs its permission, and the store', async () => {
    expect((await problemOf(show('product'))).status).toBe(403);
    await test.storeRedis.config('SET', 'maxmemory', '1');
    try {
      expect((await problemOf(show('admin'))).status).toBe(503);
    } finally {
      await test.storeRedis.config('SET', 'maxmemory', '0');
    }
  });
});
