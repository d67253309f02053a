import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { forgetEnv } from '@/lib/configuration';
import { variableHistory } from '@/lib/env/history';
import { flagHistory } from '@/lib/flags/history';
import { newId } from '@/lib/ids';
import { openStore, store } from '@/lib/redis/store';
import { readUserAudit } from '@/lib/sessions/user/audit';
import { DAY } from '@/lib/time';
import { allPages } from '@/scripts/testing/all-pages';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { auditKeys, chainOf } from './chain';
import { appendIntent, appendOutcome, appendUndone } from './log';
import { trimAudit } from './retention';
import { indexLog } from './subject-index';
import { verifyChain } from './verify';

let test: TestContext;
beforeAll(async () => {
  test = await testContext({ apps: ['discours'] });
});
beforeEach(() => test.empty());
afterAll(() => test.close());

interface Change {
  action: string;
  target: string;
  before?: unknown;
  after?: unknown;
}

const begin = async ({ action, target }: Change, connection = 'main'): Promise<string> => {
  const id = newId();
  const intent = { id, actor: testActor(), action, target, reason: null, input: null, requestId: null };
  await appendIntent(store(), { ...intent, connection });
  return id;
};

const write = async (change: Change, connection?: string): Promise<string> => {
  const id = await begin(change, connection);
  const { before, after } = change;
  await appendOutcome(store(), { id, outcome: 'succeeded', before, after, undoUntil: Date.now() + DAY });
  return id;
};

const undo = async (id: string): Promise<void> => {
  const by = await begin({ action: 'audit.undo', target: id });
  await appendUndone(store(), id, by);
  await appendOutcome(store(), { id: by, outcome: 'succeeded', after: { undone: 1 } });
};

const VALUES = { before: { value: 'a' }, after: { value: 'b' } };
const revoked = (target: string, ...users: string[]) =>
  write({ action: 'sessions.revoke', target, before: { users } });

/** Everything a history tells of, of several variables and users, and of another connection. */
const writeAllKinds = async (): Promise<void> => {
  for (const action of ['flags.set', 'flags.create', 'flags.delete', 'env.set', 'env.create', 'env.reveal'])
    for (const target of ['FEATURE_A', 'FEATURE_B', 'PLAIN']) await write({ action, target, ...VALUES });
  await write({ action: 'flags.approve', target: 'FEATURE_A', after: { raw: 'on', state: 'applied' } });
  await write({ action: 'flags.approve', target: 'FEATURE_A', after: { state: 'scheduled' } });
  await write({ action: 'flags.decline', target: 'FEATURE_B' });
  await undo(await write({ action: 'env.set', target: 'FEATURE_A', ...VALUES }));
  const change = (name: string) => ({ name, from: { value: '1' }, to: { value: '2' } });
  for (const action of ['env.import', 'env.restore'])
    await write({ action, target: 'a file', after: { changes: [change('FEATURE_A'), change('PLAIN')] } });
  const rename = (from: string, to: string) =>
    write({ action: 'env.rename', target: from, before: { name: from }, after: { name: to } });
  await rename('PLAIN', 'FEATURE_C');
  await undo(await rename('FEATURE_C', 'OTHER'));
  await write({ action: 'env.set', target: 'PLAIN', ...VALUES });
  await rename('FEATURE_C', 'LAST');
  await begin({ action: 'flags.set', target: 'FEATURE_A' });
  await write({ action: 'flags.set', target: 'FEATURE_A', ...VALUES }, 'other');
  await revoked('user 4 (all sessions)', '4');
  await revoked('user 42 (2 sessions)', '42');
  await revoked('sessions with country=DE', '4', '42', '5');
  await revoked('2 users (3 sessions)', '5', '42');
  await write({ action: 'tokens.oauth.revoke', target: 'user 4 (OAuth tokens, app=x (y))' });
  await begin({ action: 'tokens.verification.revoke', target: 'user 5 (verification tokens)' });
};

const NAMES = ['FEATURE_A', 'FEATURE_B', 'FEATURE_C', 'PLAIN', 'OTHER', 'LAST', 'NONE'];

/** What every history says, whole and in short pages. */
const everything = async () => ({
  flags: await Promise.all(
    NAMES.filter((name) => name.startsWith('FEATURE')).map((name) =>
      allPages((page) => flagHistory(test.ctx, { name, ...page }), 2),
    ),
  ),
  variables: await Promise.all(
    NAMES.map((name) => allPages((page) => variableHistory(test.ctx, { name, ...page }), 3)),
  ),
  users: await Promise.all(['4', '42', '5', '6'].map((id) => readUserAudit(test.ctx, id))),
});

const indexes = () => test.storeRedis.keys('keyward:audit-subject:*');
const contents = async () =>
  Promise.all(
    (await indexes()).sort().map(async (key) => [key, await test.storeRedis.zrange(key, '0', '-1')]),
  );

/** The log as a version of the console left it that had no indexes. */
const asFromBefore = async () => {
  await test.storeRedis.del(...(await indexes()));
  await test.storeRedis.hdel(auditKeys.head, 'indexed');
};
const isIndexed = async () => {
  const [seq, indexed] = await test.storeRedis.hmget(auditKeys.head, 'seq', 'indexed');
  return indexed === `${seq}:365:2`;
};

/** Rows of other variables, as a busy log has them. */
const noise = async (rows: number): Promise<void> => {
  const who = {
    kind: 'intent',
    at: Date.now(),
    actorKind: 'user',
    actorId: 'x',
    actor: 'x',
    role: null,
  } as const;
  const what = { action: 'env.set', connection: 'main', reason: null, input: null, requestId: null };
  const lead = { indexes: [] };
  for (let from = 0; from < rows; from += 5000)
    await Promise.all(
      Array.from({ length: Math.min(5000, rows - from) }, (_, i) =>
        chainOf(store()).append({ ...who, ...what, id: newId(), target: `OTHER_${(from + i) % 500}` }, lead),
      ),
    );
};

/** What a read costs the store: calls that read rows, and bytes that it answers. */
const costOf = async (work: () => Promise<unknown>) => {
  const sent = async () =>
    Number(/total_net_output_bytes:(\d+)/.exec(await test.storeRedis.info('stats'))?.[1]);
  await test.storeRedis.config('RESETSTAT');
  const before = await sent();
  await work();
  const bytes = (await sent()) - before;
  const stats = await test.storeRedis.info('commandstats');
  const calls = (name: string) => Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
  return { bytes, reads: calls('xrange') + calls('xrevrange') };
};

describe('a history', () => {
  // `npm run drills histories` asks the same of 114 000 rows.
  it('reads of a long log only what is about its subject', async () => {
    await write({ action: 'flags.set', target: 'FEATURE_A', before: { raw: 'off' }, after: { raw: 'on' } });
    await revoked('user 4 (all sessions)', '4');
    await noise(2000);
    for (const read of [
      async () => (await flagHistory(test.ctx, { name: 'FEATURE_A' })).items,
      async () => (await variableHistory(test.ctx, { name: 'FEATURE_A' })).items,
      () => readUserAudit(test.ctx, '4'),
    ]) {
      const { bytes, reads } = await costOf(async () => expect(await read()).toHaveLength(1));
      expect(reads).toBeLessThan(10);
      expect(bytes).toBeLessThan(50_000);
    }
  });

  it('reads no more than 5000 rows for a page, however often its flag was tried in vain', {
    tags: 'long',
  }, async () => {
    const ids = await Promise.all(
      Array.from({ length: 5400 }, () => begin({ action: 'env.reveal', target: 'FEATURE_A' })),
    );
    const { reads } = await costOf(async () => {
      const page = await flagHistory(test.ctx, { name: 'FEATURE_A' });
      expect(page.items).toEqual([]);
      expect(page.nextCursor).not.toBeNull();
    });
    expect(reads).toBe(5000);
    expect(ids).toHaveLength(5400);
  });

  it('reads a bounded part of the log for a variable renamed to and fro', { tags: 'long' }, async () => {
    for (let i = 0; i < 160; i++) {
      const names = i % 2 === 0 ? ['PLAIN', 'OTHER'] : ['OTHER', 'PLAIN'];
      await write({ action: 'env.rename', target: names[0]!, after: { name: names[1] } });
    }
    const { reads } = await costOf(async () => {
      const page = await variableHistory(test.ctx, { name: 'PLAIN' });
      expect(page.items.length).toBeGreaterThan(50);
      expect(page.nextCursor).not.toBeNull();
    });
    expect(reads).toBeLessThan(11_000);
    expect(await allPages((page) => variableHistory(test.ctx, { name: 'PLAIN', ...page }), 50)).toHaveLength(
      160,
    );
  });

  it('says the same by the index and by walking the log, before and after one is built', async () => {
    await writeAllKinds();
    expect(await isIndexed()).toBe(true);
    const [before, known] = [await everything(), await contents()];
    expect(before.flags[0]!.length).toBeGreaterThan(8);
    expect(before.users.map((lines) => lines.length)).toEqual([3, 3, 3, 0]);
    await asFromBefore();
    expect(await everything()).toEqual(before);
    await indexLog(store());
    expect(await isIndexed()).toBe(true);
    expect(await contents()).toEqual(known);
    expect(await everything()).toEqual(before);
    // This process rightly remembers how far the logs of other tests had come.
    const another = openStore(process.env.KEYWARD_STORE_URL!);
    expect(await verifyChain(another)).toMatchObject({ ok: true });
    another.close();
  });

  it('shows no entry that an index leads to and that is about something else', async () => {
    await write({ action: 'env.set', target: 'PLAIN', ...VALUES });
    const foreign = await test.storeRedis.xrevrange(auditKeys.stream, '+', '-', 'COUNT', 2);
    const [index] = await indexes();
    await test.storeRedis.del(index!);
    await write({ action: 'env.set', target: 'FEATURE_A', ...VALUES });
    const [own] = await indexes();
    for (const [i, [streamId]] of foreign.entries()) await test.storeRedis.zadd(own!, 2 - i, streamId);
    await test.storeRedis.zadd(own!, 99, '1-1', 98, 'nonsense');
    const { items } = await variableHistory(test.ctx, { name: 'FEATURE_A' });
    expect(items).toHaveLength(1);
  });
});

describe('the index', () => {
  it('names nothing in its keys, and expires after what it leads to', async () => {
    await writeAllKinds();
    const keys = await indexes();
    expect(keys.length).toBeGreaterThan(8);
    for (const key of keys) {
      expect(key).toMatch(/^keyward:audit-subject:[\w-]{22}$/);
      expect(await test.storeRedis.ttl(key)).toBeGreaterThan(365 * 86_400);
      expect(await test.storeRedis.ttl(key)).toBeLessThanOrEqual(366 * 86_400);
    }
  });

  it('forgets with the log, and shows nothing that was forgotten', async () => {
    for (let i = 0; i < 10; i++) await write({ action: 'env.set', target: 'FEATURE_A', ...VALUES });
    expect(await trimAudit(store(), 1, Date.now() + 2 * DAY)).toBe(20);
    expect((await variableHistory(test.ctx, { name: 'FEATURE_A' })).items).toEqual([]);
    await write({ action: 'env.set', target: 'FEATURE_A', ...VALUES });
    const [index] = await indexes();
    expect(await test.storeRedis.zcard(index!)).toBe(1);
    expect((await variableHistory(test.ctx, { name: 'FEATURE_A' })).items).toHaveLength(1);
  });

  it('is built by one process, in pages, from where another stopped', async () => {
    await noise(1200);
    await writeAllKinds();
    await asFromBefore();
    const read = () => costOf(() => Promise.all([indexLog(store()), indexLog(store())]));
    const whole = await read();
    await asFromBefore();
    const half = (await test.storeRedis.xrange(auditKeys.stream, '-', '+', 'COUNT', 1000)).at(-1)![0];
    await test.storeRedis.hset(auditKeys.head, 'indexing:2', half);
    const rest = await read();
    expect(await isIndexed()).toBe(true);
    expect(whole.reads - rest.reads).toBe(2);
    expect(await test.storeRedis.hget(auditKeys.head, 'indexing:2')).toBeNull();
  });

  it('is built again after a version without it wrote, and with more days', async () => {
    await write({ action: 'env.set', target: 'FEATURE_A', ...VALUES });
    const indexed = (await test.storeRedis.hget(auditKeys.head, 'indexed'))!;
    const before = await contents();
    const id = await write({ action: 'env.set', target: 'FEATURE_A', ...VALUES });
    await test.storeRedis.hset(auditKeys.head, 'indexed', indexed);
    await test.storeRedis.del(...(await indexes()));
    await write({ action: 'env.set', target: 'FEATURE_B', ...VALUES });
    expect(await isIndexed()).toBe(false);
    const of = async () => (await variableHistory(test.ctx, { name: 'FEATURE_A' })).items;
    expect((await of())[0]!.auditId).toBe(id);
    await indexLog(store());
    expect(await isIndexed()).toBe(true);
    expect((await of()).map(({ auditId }) => auditId)).toContain(id);
    expect((await contents()).length).toBe(before.length + 1);
    process.env.KEYWARD_AUDIT_DAYS = '400';
    forgetEnv();
    try {
      await indexLog(store());
      for (const key of await indexes()) expect(await test.storeRedis.ttl(key)).toBeGreaterThan(400 * 86_400);
    } finally {
      delete process.env.KEYWARD_AUDIT_DAYS;
      forgetEnv();
    }
  });

  it('passes over rows that somebody spoilt', async () => {
    await write({ action: 'env.set', target: 'FEATURE_A', ...VALUES });
    const texts = ['no JSON', 'null', '5', '{}', '{"kind":"undone"}', '{"kind":"intent","action":5}'];
    for (const entry of texts) await test.storeRedis.xadd(auditKeys.stream, '*', 'entry', entry);
    await write({ action: 'env.set', target: 'FEATURE_A', ...VALUES });
    await asFromBefore();
    await indexLog(store());
    expect(await isIndexed()).toBe(true);
    expect((await variableHistory(test.ctx, { name: 'FEATURE_A' })).items).toHaveLength(2);
  });
});
