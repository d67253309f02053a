import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifyPassword } from '@/lib/access/passwords';
import { findUserByEmail, updateUser } from '@/lib/access/users';
import { listEntries } from '@/lib/audit/reads';
import { acceptLink } from '@/lib/users/invitations/accept';
import { type TestContext, testContext } from './testing/context';
import { runScript } from './testing/run-script';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
afterAll(() => test.close());

const user = async (...args: string[]) => {
  const { KEYWARD_STORE_URL = '', KEYWARD_SECRET_KEY = '' } = process.env;
  const NEXTAUTH_URL = 'https://keyward.example.org';
  const env = { KEYWARD_STORE_URL, KEYWARD_SECRET_KEY, NEXTAUTH_URL };
  const { status, out, err } = await runScript('user.mjs', args, env);
  const password = /^Password: (\S+)$/m.exec(out)?.[1] ?? '';
  return { status, out, err, password, code: /\/invitation#([0-9a-f]{96})$/m.exec(out)?.[1] ?? '' };
};
const storedUser = async () => (await findUserByEmail(test.ctx.store, 'ann@example.org'))!;

it('adds a user, and gives one who is locked out a new password, with audit entries', async () => {
  const added = await user('add', 'ann@example.org', '--role', 'support', '--name', 'Ann', '--password');
  expect(added).toMatchObject({
    status: 0,
    out: expect.stringContaining('Created ann@example.org (support).'),
  });
  const before = await storedUser();
  expect(before).toMatchObject({ role: 'support', name: 'Ann', disabled: false });
  expect(await verifyPassword(before.passwordHash, added.password)).toBe(true);

  await updateUser(test.ctx.store, before.id, { disabled: true });
  const reset = await user('reset', 'ann@example.org', '--role', 'admin', '--password');
  expect(reset).toMatchObject({ status: 0, out: expect.stringContaining('ann@example.org (admin)') });
  const after = await storedUser();
  expect(after).toMatchObject({ id: before.id, role: 'admin', disabled: false });
  expect(await verifyPassword(after.passwordHash, reset.password)).toBe(true);
  expect(await verifyPassword(after.passwordHash, added.password)).toBe(false);

  const { items } = await listEntries(test.ctx.store);
  expect(items.map(({ action, outcome, actor, reason }) => [action, outcome, actor, reason])).toEqual([
    ['users.update', 'succeeded', 'keyward user', 'keyward user reset'],
    ['users.create', 'succeeded', 'keyward user', 'keyward user add'],
  ]);
  const log = JSON.stringify(items);
  for (const password of [added.password, reset.password]) expect(log).not.toContain(password);
});

it('prints a link that sets the password, for a new user and one who is locked out', async () => {
  const visit = { ...test.ctx, address: '198.51.100.7' };
  const ben = async () => (await findUserByEmail(test.ctx.store, 'ben@example.org'))!;
  const added = await user('add', 'ben@example.org', '--role', 'admin');
  expect(added).toMatchObject({ status: 0, password: '' });
  expect(added.out).toMatch(/^Until \S+Z: https:\/\/keyward\.example\.org\/invitation#/m);
  expect((await ben()).passwordHash).toBe('');
  await acceptLink(visit, { code: added.code, password: 'correct horse battery' });
  await updateUser(test.ctx.store, (await ben()).id, { disabled: true });
  const reset = await user('reset', 'ben@example.org');
  expect(reset.out).toContain('ben@example.org (admin) can set a new password; all sessions ended.');
  expect((await ben()).disabled).toBe(false);
  await acceptLink(visit, { code: reset.code, password: 'another long password' });
  expect(await verifyPassword((await ben()).passwordHash, 'another long password')).toBe(true);
  const log = JSON.stringify((await listEntries(test.ctx.store)).items);
  for (const { code } of [added, reset]) expect(log).not.toContain(code);
});

it('says what it cannot do, and changes nothing', async () => {
  const taken = await user('add', 'ann@example.org', '--role', 'viewer');
  expect(taken).toMatchObject({ status: 1, out: '', err: expect.stringContaining('already exists') });
  const unknown = await user('reset', 'eve@example.org');
  expect(unknown).toMatchObject({ status: 1, out: '', err: expect.stringContaining('eve@example.org') });
  const address = await user('add', 'not an address', '--role', 'viewer');
  expect(address).toMatchObject({ status: 1, out: '', err: expect.stringContaining('email') });
  for (const args of [['add', 'a@example.org'], ['add', 'a@example.org', '--role', 'root'], ['drop'], []])
    expect(await user(...args)).toMatchObject({ status: 2, out: '' });
  expect((await storedUser()).role).toBe('admin');
});
