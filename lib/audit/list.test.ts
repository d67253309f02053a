import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { newId } from '@/lib/ids';
import { store } from '@/lib/redis/store';
import { allPages } from '@/scripts/testing/all-pages';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { scanAll } from '@/scripts/testing/scan-all';
import { textOf } from '@/scripts/testing/text-of';
import { auditKeys } from './chain';
import { exportEntries } from './export';
import { type ListFilter, listAudit } from './list';
import { appendIntent, appendOutcome, appendUndone } from './log';
import { auditContracts, SUBJECT_KINDS, subjectIn } from './schema';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
beforeEach(() => test.empty());
afterAll(() => test.close());

interface Change {
  action: string;
  target: string;
  connection?: string | null;
  before?: unknown;
  after?: unknown;
  outcome?: 'succeeded' | 'failed';
}

const write = async ({ outcome = 'succeeded', before, after, ...change }: Change): Promise<string> => {
  const id = newId();
  const actor = testActor('admin');
  const intent = { id, actor, reason: null, input: null, requestId: null, connection: 'main', ...change };
  await appendIntent(store(), intent);
  await appendOutcome(store(), { id, outcome, before, after });
  return id;
};

const listed = async (subject: string, filter: ListFilter = {}) =>
  (await listAudit(store(), { connection: 'main', ...filter, subject })).items.map(
    ({ action, target }) => `${action} ${target}`,
  );

/** The log as a version of the console left it whose indexes had other subjects. */
const asFromBefore = async (): Promise<void> => {
  const keys = await scanAll(test.storeRedis, 'keyward:audit-subject:*');
  if (keys.length > 0) await test.storeRedis.del(...keys);
  const seq = await test.storeRedis.hget(auditKeys.head, 'seq');
  await test.storeRedis.hset(auditKeys.head, 'indexed', `${seq}:365`);
};

const CHANGES: Change[] = [
  { action: 'flags.set', target: 'FEATURE_A' },
  { action: 'approvals.request', target: 'flags.delete: FEATURE_A' },
  { action: 'env.import', target: 'dotenv text', after: { changes: [{ name: 'FEATURE_A' }] } },
  { action: 'sessions.revoke', target: 'user 4 (all sessions)' },
  { action: 'sessions.revoke', target: 'sessions with country=DE', before: { users: ['4', '5'] } },
  { action: 'families.invalidate', target: 'user 4 (1 of 3 branches)' },
  { action: 'families.invalidate', target: 'topic art' },
  { action: 'families.setTtl', target: 'shop.topic art (1 of 2 branches): 60 s (dry run)' },
  { action: 'families.invalidate', target: 'pattern art*' },
  { action: 'families.setTtl', target: 'shop.carts (id=4): 60 s + up to 5 s' },
  { action: 'families.invalidate', target: 'shop.carts' },
  { action: 'families.invalidate', target: 'shop.carts-old' },
  { action: 'guard.blacklist.add', target: '2 addresses', after: { entries: ['192.0.2.1', '192.0.2.3'] } },
  { action: 'guard.blacklist.annotate', target: '1 entry', after: [{ ip: '192.0.2.1', note: 'x' }] },
  { action: 'guard.projects.block', target: 'a'.repeat(24) },
  { action: 'guard.rateLimits.reset', target: 'a'.repeat(24) },
  { action: 'users.create', target: 'Ann@example.org', connection: null },
  { action: 'users.update', target: newId(), connection: null, after: { email: 'ann@example.org' } },
  { action: 'session.signIn', target: 'ann@example.org', connection: null },
];

const EXPECTED: Record<string, string[]> = {
  'variable:FEATURE_A': ['env.import', 'approvals.request', 'flags.set'],
  'user:4': ['families.invalidate', 'sessions.revoke', 'sessions.revoke'],
  'user:5': ['sessions.revoke'],
  'entity:topic art': ['families.setTtl', 'families.invalidate'],
  'entity:pattern art*': [],
  'family:shop.carts': ['families.invalidate', 'families.setTtl'],
  'address:192.0.2.1': ['guard.blacklist.annotate', 'guard.blacklist.add'],
  [`project:${'a'.repeat(24)}`]: ['guard.rateLimits.reset', 'guard.projects.block'],
};

it('lists what is about one subject, by its index and without', async () => {
  for (const change of CHANGES) await write(change);
  const actions = async (subject: string, connection: string | undefined) =>
    (await listAudit(store(), { subject, connection })).items.map(({ action }) => action);
  for (const prepare of [async () => undefined, asFromBefore]) {
    await prepare();
    for (const [subject, expected] of Object.entries(EXPECTED)) {
      expect([subject, await actions(subject, 'main')]).toEqual([subject, expected]);
      expect(await actions(subject, 'other')).toEqual([]);
    }
    expect(await actions('account:ANN@example.org', undefined)).toEqual([
      'session.signIn',
      'users.update',
      'users.create',
    ]);
  }
});

it('has the undo of a change of the subject, and no other undo', async () => {
  const undo = async (id: string) => {
    const by = await write({ action: 'audit.undo', target: id, after: { undone: 1 } });
    await appendUndone(store(), id, by);
  };
  await undo(await write({ action: 'flags.set', target: 'FEATURE_A' }));
  await undo(await write({ action: 'flags.set', target: 'FEATURE_B' }));
  const found = await listed('variable:FEATURE_A');
  expect(found.map((line) => line.split(' ')[0])).toEqual(['audit.undo', 'flags.set']);
});

it('filters and pages what is about a subject as it does the list', async () => {
  for (let i = 0; i < 5; i++) {
    await write({ action: 'flags.set', target: 'FEATURE_A' });
    await write({ action: 'env.reveal', target: 'FEATURE_A', outcome: 'failed' });
    await write({ action: 'flags.set', target: 'FEATURE_B' });
  }
  const of = { connection: 'main', subject: 'variable:FEATURE_A' };
  const all = await allPages((page) => listAudit(store(), { ...of, ...page }), 3);
  expect(all).toHaveLength(10);
  expect(new Set(all.map(({ target }) => target))).toEqual(new Set(['FEATURE_A']));
  expect(await listed(of.subject, { action: 'reveal' })).toHaveLength(5);
  expect(await listed(of.subject, { outcome: 'succeeded' })).toHaveLength(5);
  const [from, to] = [all[6]!.at, all[3]!.at];
  const between = (await listAudit(store(), { ...of, from, to })).items;
  expect(between.map(({ id }) => id)).toEqual(
    all.filter(({ at }) => at >= from && at <= to).map(({ id }) => id),
  );
  const one = await listAudit(store(), { ...of, id: all[0]!.id });
  expect(one.items).toEqual([all[0]]);
  expect((await textOf(exportEntries(store(), of, 'jsonl'))).trim().split('\r\n')).toHaveLength(10);
});

it('reads addresses of subjects, and refuses others and those without a connection', () => {
  for (const kind of SUBJECT_KINDS) expect(subjectIn(`${kind}:a:b`)).toEqual({ kind, name: 'a:b' });
  for (const text of ['', 'user', 'user:', 'nobody:4', `user:${'x'.repeat(601)}`, undefined])
    expect(subjectIn(text)).toBeNull();
  const { input } = auditContracts.list;
  expect(input.safeParse({ subject: 'user:4', connection: 'main' }).success).toBe(true);
  expect(input.safeParse({ subject: 'account:ann@example.org' }).success).toBe(true);
  expect(input.safeParse({ subject: 'user:4' }).error?.issues[0]?.path).toEqual(['connection']);
  expect(input.safeParse({ subject: 'nobody:4', connection: 'main' }).success).toBe(false);
});
