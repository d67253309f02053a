import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Actor } from '@/lib/actor';
import { listEntries } from '@/lib/audit/reads';
import { runCommand } from '@/lib/command/run';
import { connections } from '@/lib/redis/connections';
import { undoChange } from '@/lib/undo/commands';
import { registerUndoable } from '@/lib/undo/registry';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { createView, deleteSavedView } from './commands';
import { listViews } from './reads';
import { MAX_VIEWS, savedViewContracts } from './schema';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const GHOSTS = {
  name: 'Ghosts',
  table: 'sessions',
  href: '/main/sessions?state=ghost',
  columns: { device: false },
  shared: false,
};
const JWT = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'s'.repeat(43)}`;

const by = (name: string, role: 'admin' | 'support' | 'viewer' = 'support'): Actor =>
  ({ ...testActor(role), id: name, name }) as Actor;
const save = (actor: Actor, change: object = {}) =>
  runCommand(createView, {
    actor,
    requestId: randomUUID(),
    connection: test.handle,
    raw: { ...GHOSTS, ...change },
  });
const remove = (actor: Actor, id: string) =>
  runCommand(deleteSavedView, { actor, requestId: randomUUID(), connection: test.handle, raw: { id } });
const seenBy = async (actor: Actor) =>
  savedViewContracts.list.result
    .parse(await listViews(test.as({ actor }), {}))
    .items.map(({ name, shared, mayDelete }) => ({ name, shared, mayDelete }));

it('shows each user their own views and the shared ones, by name', async () => {
  const [sam, ann] = [by('sam'), by('ann')];
  await save(sam);
  const { view } = await save(sam, { name: 'Active', shared: true });
  expect(view).toMatchObject({ ...GHOSTS, name: 'Active', shared: true, mayDelete: true });
  expect(await seenBy(sam)).toEqual([
    { name: 'Active', shared: true, mayDelete: true },
    { name: 'Ghosts', shared: false, mayDelete: true },
  ]);
  expect(await seenBy(ann)).toEqual([{ name: 'Active', shared: true, mayDelete: false }]);
  expect(await seenBy(by('root', 'admin'))).toEqual([{ name: 'Active', shared: true, mayDelete: true }]);
});

it('deletes what is the caller’s own; who manages users deletes every shared view', async () => {
  const [sam, ann] = [by('sam'), by('ann')];
  const own = (await save(sam)).view.id;
  const shared = (await save(sam, { shared: true })).view.id;
  expect(await problemOf(remove(ann, own))).toMatchObject({ code: 'not_found' });
  expect(await problemOf(remove(ann, shared))).toMatchObject({ code: 'forbidden' });
  await remove(by('root', 'admin'), shared);
  await remove(sam, own);
  expect(await seenBy(sam)).toEqual([]);
  expect(await problemOf(remove(sam, own))).toMatchObject({ code: 'not_found' });
});

it('brings a deleted view back by undo, to whom it was', async () => {
  registerUndoable([deleteSavedView] as never);
  connections().set('main', test.handle);
  const sam = by('sam');
  const { id } = (await save(sam, { shared: true })).view;
  const { auditId } = await remove(by('root', 'admin'), id);
  const undo = { actor: by('root', 'admin'), requestId: 'r', connection: null, raw: { auditId } };
  expect(await runCommand(undoChange, undo)).toMatchObject({ undone: 1, conflicts: [] });
  expect(await seenBy(sam)).toEqual([{ name: 'Ghosts', shared: true, mayDelete: true }]);
});

it('lets a viewer save, but not share', async () => {
  const viewer = by('vera', 'viewer');
  await save(viewer);
  expect(await problemOf(save(viewer, { shared: true }))).toMatchObject({ code: 'forbidden' });
  expect(await seenBy(viewer)).toHaveLength(1);
});

it.each([
  ['a token in its name', { name: JWT }],
  ['a token in its address', { href: `/main/sessions?q=${JWT}` }],
  ['a coded token in its address', { href: `/main/sessions?q=${JWT.replaceAll('.', '%2E')}` }],
  ['a broken address', { href: '/main/sessions?q=%' }],
  ['an address elsewhere', { href: 'https://example.org/' }],
  ['an address of another host', { href: '//example.org/' }],
  ['no name', { name: '  ' }],
  ['an unknown field', { owner: 'somebody' }],
])('refuses a view with %s', async (_, change) => {
  const problem = await problemOf(save(by('sam'), change));
  expect(problem).toMatchObject({ code: 'bad_input' });
  expect(JSON.stringify(problem)).not.toContain(JWT);
  expect(await seenBy(by('sam'))).toEqual([]);
});

it('keeps tokens out of the audit log, and records what was saved', async () => {
  await problemOf(save(by('sam'), { name: JWT }));
  await save(by('sam'));
  const { items } = await listEntries(test.ctx.store, { action: 'savedViews.create' });
  expect(JSON.stringify(items)).not.toContain(JWT);
  expect(items[0]).toMatchObject({ target: 'Ghosts', after: { name: 'Ghosts', shared: false } });
});

it('has a limit for each user, also for two tabs at the same moment', async () => {
  const sam = by('sam');
  for (let i = 0; i < MAX_VIEWS - 1; i++) await save(sam, { name: `View ${i}` });
  const two = await Promise.allSettled([save(sam, { name: 'First' }), save(sam, { name: 'Second' })]);
  expect(two.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
  expect((await seenBy(sam)).length).toBeLessThanOrEqual(MAX_VIEWS);
  await save(by('ann'));
});

it('leaves out what another version stored', async () => {
  await save(by('sam'));
  await test.storeRedis.hset('keyward:saved-views:main:sam', 'x', '{broken', 'y', '{"name":1}');
  expect(await seenBy(by('sam'))).toHaveLength(1);
});
