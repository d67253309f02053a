import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { closeStore, store } from '@/lib/redis/store';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { textOf } from '@/scripts/testing/text-of';
import { exportEntries } from './export';
import { appendEvent, appendIntent, appendOutcome, appendUndone } from './log';
import { type AuditFilter, findEntry, listEntries } from './reads';
import { recordEvent, recordRefusal } from './record';
import { auditContracts, auditEntry } from './schema';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
beforeEach(async () => {
  closeStore();
  await test.empty();
});
afterAll(() => test.close());

type Change = Partial<Parameters<typeof appendIntent>[1]>;

const intend = async (change: Change = {}): Promise<string> => {
  const id = newId();
  const intent = {
    id,
    actor: testActor('admin'),
    action: 'flags.set',
    connection: 'main',
    target: 'FEATURE_A',
  };
  await appendIntent(store(), { ...intent, reason: null, input: null, requestId: 'r', ...change });
  return id;
};

const ids = async (filter: AuditFilter = {}) =>
  (await listEntries(store(), filter)).items.map((entry) => entry.id);

describe('the list', () => {
  it('shows each change once, newest first, with what became of it', async () => {
    const pending = await intend();
    const done = await intend();
    await appendOutcome(store(), {
      id: done,
      outcome: 'succeeded',
      before: { a: 1 },
      after: { a: 2 },
      undoUntil: 5000,
    });
    const failed = await intend();
    await appendOutcome(store(), { id: failed, outcome: 'failed', detail: 'It was in the way.' });
    const undone = await intend();
    await appendOutcome(store(), { id: undone, outcome: 'succeeded', undoUntil: 5000 });
    const undo = await intend({ action: 'audit.undo', target: undone });
    await appendUndone(store(), undone, undo);
    await recordEvent({
      actor: testActor('viewer'),
      action: 'account.signIn',
      outcome: 'failed',
      detail: 'refused',
    });
    const { items, nextCursor } = auditContracts.list.result.parse(await listEntries(store()));
    expect(nextCursor).toBeNull();
    expect(
      items.map(({ action, outcome, detail, undoneBy, undoUntil }) => [
        action,
        outcome,
        detail,
        undoneBy,
        undoUntil,
      ]),
    ).toEqual([
      ['account.signIn', 'failed', 'refused', null, null],
      ['audit.undo', 'pending', null, null, null],
      ['flags.set', 'succeeded', null, undo, null],
      ['flags.set', 'failed', 'It was in the way.', null, null],
      ['flags.set', 'succeeded', null, null, '1970-01-01T00:00:05.000Z'],
      ['flags.set', 'pending', null, null, null],
    ]);
    expect(await ids({ outcome: 'pending' })).toEqual([undo, pending]);
    expect(await ids({ outcome: 'failed' })).toEqual([items[0]?.id, failed]);
    expect(await ids({ outcome: 'succeeded' })).toEqual([undone, done]);
    expect(await findEntry(store(), done)).toMatchObject({
      before: { a: 1 },
      after: { a: 2 },
      finishedAt: expect.any(String),
    });
  });

  it('is filtered by who, what, where, on what and when', async () => {
    const a = await intend({
      actor: testActor('admin'),
      action: 'flags.set',
      connection: 'main',
      target: 'FEATURE_A',
    });
    const between = Date.now();
    const b = await intend({
      actor: testActor('support'),
      action: 'sessions.revoke',
      connection: 'other',
      target: 'user 5',
    });
    const c = await intend({ action: 'users.create', connection: null, target: null });
    expect(await ids({ actor: 'SUPPORT@' })).toEqual([b]);
    expect(await ids({ actor: 'user-support' })).toEqual([b]);
    expect(await ids({ action: 'flags' })).toEqual([a]);
    expect(await ids({ actions: ['users.create', 'sessions.revoke'] })).toEqual([c, b]);
    expect(await ids({ connection: 'main' })).toEqual([a]);
    expect(await ids({ target: 'feature_' })).toEqual([a]);
    expect(await ids({ id: b })).toEqual([b]);
    for (const id of [newId(), '<script>', '../../x', 'x'.repeat(100)]) expect(await ids({ id })).toEqual([]);
    const at = (ms: number) => new Date(ms).toISOString();
    expect(await ids({ from: at(between + 60_000) })).toEqual([]);
    expect(await ids({ to: at(between - 60_000) })).toEqual([]);
    expect(await ids({ from: at(between - 60_000), to: at(between + 60_000) })).toEqual([c, b, a]);
    expect(await ids({ from: at(between + 60_000), to: at(between - 60_000) })).toEqual([]);
  });

  it('is cut into pages that hold everything once, whatever is filtered out', async () => {
    const all: string[] = [];
    for (let i = 0; i < 25; i++) {
      const id = await intend({ action: i % 3 === 0 ? 'flags.set' : 'users.create' });
      if (i % 3 === 0) all.unshift(id);
      if (i % 2 === 0) await appendOutcome(store(), { id, outcome: 'succeeded' });
    }
    for (const limit of [1, 2, 4, 100]) {
      const found: string[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const page = await listEntries(store(), {
          action: 'flags.set',
          limit,
          ...(cursor ? { cursor } : {}),
        });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        found.push(...page.items.map((entry) => entry.id));
        cursor = page.nextCursor;
      }
      expect([limit, found]).toEqual([limit, all]);
    }
    await expect(listEntries(store(), { cursor: 'nonsense' })).rejects.toBeInstanceOf(Problem);
  });

  it('answers a short page instead of walking a long log to its end', { tags: 'long' }, async () => {
    const wanted = await intend({ action: 'rare.one' });
    await Promise.all(Array.from({ length: 5600 }, () => intend()));
    const first = await listEntries(store(), { action: 'rare.one' });
    expect(first.items).toEqual([]);
    expect(first.nextCursor).not.toBeNull();
    const second = await listEntries(store(), { action: 'rare.one', cursor: first.nextCursor! });
    expect(second).toMatchObject({ items: [{ id: wanted }], nextCursor: null });
    for (const format of ['csv', 'jsonl'] as const)
      expect((await textOf(exportEntries(store(), { action: 'rare.one' }, format))).includes(wanted)).toBe(
        true,
      );
  });
});

describe('an export', () => {
  it('holds every entry, as CSV no spreadsheet runs and as JSON lines', async () => {
    const hostile = ['=cmd()', '+1', '-1', '@x', '\tx', 'a "quoted" one', 'line\r\nbreak', 'é,ü'];
    for (const reason of hostile) await intend({ reason });
    const csv = await textOf(exportEntries(store(), {}, 'csv'));
    expect(
      csv.startsWith('id,at,actor,role,action,connection,target,reason,outcome,detail,undoneBy\r\n'),
    ).toBe(true);
    for (const cell of ['"\'=cmd()"', '"\'+1"', '"\'-1"', '"\'@x"', '"\'\tx"', '"a ""quoted"" one"', '"é,ü"'])
      expect(csv).toContain(cell);
    const lines = (await textOf(exportEntries(store(), {}, 'jsonl'))).trim().split('\r\n');
    expect(lines.map((line) => auditEntry.parse(JSON.parse(line)).reason).reverse()).toEqual(hostile);
    expect(await textOf(exportEntries(store(), { action: 'none' }, 'jsonl'))).toBe('');
  });

  it('goes over many pages', async () => {
    await Promise.all(Array.from({ length: 1200 }, () => intend()));
    const lines = (await textOf(exportEntries(store(), {}, 'jsonl'))).trim().split('\r\n');
    expect(new Set(lines.map((line) => (JSON.parse(line) as { id: string }).id)).size).toBe(1200);
  });
});

describe('refusals', () => {
  const refusal = (change: object = {}) => ({
    actor: testActor('viewer'),
    action: 'flags.set',
    connection: 'main',
    requestId: 'r',
    detail: `refused ${newId()}`,
    ...change,
  });

  it('of one action to the same one in a row are one entry', async () => {
    const same = refusal();
    for (let i = 0; i < 5; i++) await recordRefusal(same);
    await recordRefusal({ ...same, connection: 'other' });
    await recordRefusal({ ...same, actor: testActor('support') });
    expect((await listEntries(store())).items).toHaveLength(2);
  });

  it('that the store could not take are not forgotten', async () => {
    const same = refusal();
    await test.storeRedis.config('SET', 'maxmemory', '1');
    await recordRefusal(same);
    await test.storeRedis.config('SET', 'maxmemory', '0');
    await recordRefusal(same);
    expect((await listEntries(store())).items).toHaveLength(1);
  });

  it('and sign-ins never throw', async () => {
    await test.storeRedis.config('SET', 'maxmemory', '1');
    expect(await recordEvent({ actor: testActor(), action: 'account.signIn', outcome: 'succeeded' })).toBe(
      false,
    );
    await test.storeRedis.config('SET', 'maxmemory', '0');
    const event = {
      id: newId(),
      actor: testActor(),
      action: 'x',
      connection: null,
      target: null,
      reason: null,
    };
    await appendEvent(store(), {
      ...event,
      input: null,
      requestId: null,
      outcome: 'succeeded',
      detail: null,
    });
  });
});
