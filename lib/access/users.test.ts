import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import {
  createUser,
  findUser,
  findUserByEmail,
  listUsers,
  touchUser,
  type UserRole,
  updateUser,
} from './users';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const NOW = Date.parse('2026-05-05T12:00:00Z');
const make = (email: string, role: UserRole = 'viewer', onlyFirst = false) =>
  createUser(test.ctx.store, { email, name: 'N', role, passwordHash: 'hash' }, { now: NOW, onlyFirst });
const made = async (email: string, role: UserRole = 'viewer') => {
  const created = await make(email, role);
  if (!created.ok) throw new Error(created.reason);
  return created.user;
};

describe('creating', () => {
  it('keeps an address unique, whatever its case, also when twenty come at once', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) => make(i % 2 ? 'Ann@Example.org' : 'ann@example.org')),
    );
    expect(all.filter(({ ok }) => ok)).toHaveLength(1);
    expect(all.filter((each) => !each.ok && each.reason === 'email-taken')).toHaveLength(19);
    expect(await listUsers(test.ctx.store)).toHaveLength(1);
  });

  it('makes exactly one first user of ten at once', async () => {
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, i) => make(`a${i}@example.org`, 'admin', true)),
    );
    expect(all.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await listUsers(test.ctx.store)).toHaveLength(1);
    // The addresses of the other nine are free.
    for (let i = 0; i < 10; i++) await make(`a${i}@example.org`);
    expect(await listUsers(test.ctx.store)).toHaveLength(10);
  });

  it('finds by id and by address, with nothing of the address in a key', async () => {
    const user = await made('ann@example.org');
    expect(await findUser(test.ctx.store, user.id)).toEqual(user);
    expect(await findUserByEmail(test.ctx.store, 'ANN@example.org')).toEqual(user);
    expect(await findUserByEmail(test.ctx.store, 'bob@example.org')).toBeNull();
    expect(user).toMatchObject({ disabled: false, createdAt: NOW, lastSeenAt: null, epoch: 1 });
    expect((await test.storeRedis.keys('*')).join()).not.toMatch(/ann|example/i);
  });
});

describe('changing', () => {
  it('raises the epoch for a new password, for disabling and on request only', async () => {
    const { id } = await made('ann@example.org');
    const epochAfter = async (change: Parameters<typeof updateUser>[2]) => {
      const updated = await updateUser(test.ctx.store, id, change);
      return updated.ok && updated.after.epoch;
    };
    expect(await epochAfter({ name: 'Ann', role: 'support' })).toBe(1);
    expect(await epochAfter({ passwordHash: 'other' })).toBe(2);
    expect(await epochAfter({ disabled: true })).toBe(3);
    expect(await epochAfter({ disabled: false })).toBe(3);
    expect(await epochAfter({ endSessions: true })).toBe(4);
    expect(await findUser(test.ctx.store, id)).toMatchObject({
      name: 'Ann',
      role: 'support',
      passwordHash: 'other',
    });
  });

  it('says what was and what is, and knows who is not there', async () => {
    const { id } = await made('ann@example.org');
    const updated = await updateUser(test.ctx.store, id, { role: 'product' });
    expect(updated).toMatchObject({ ok: true, before: { role: 'viewer' }, after: { role: 'product' } });
    expect(await updateUser(test.ctx.store, 'nobody', { role: 'admin' })).toEqual({
      ok: false,
      reason: 'not-found',
    });
    expect(await test.storeRedis.exists('keyward:user:nobody')).toBe(0);
  });

  it('keeps the last enabled admin', async () => {
    const ann = await made('ann@example.org', 'admin');
    const bob = await made('bob@example.org', 'admin');
    await updateUser(test.ctx.store, bob.id, { disabled: true });
    for (const change of [{ disabled: true }, { role: 'viewer' as const }]) {
      expect(await updateUser(test.ctx.store, ann.id, change)).toEqual({ ok: false, reason: 'last-admin' });
    }
    // Who cannot sign in anyway may be demoted.
    expect(await updateUser(test.ctx.store, bob.id, { role: 'viewer' })).toMatchObject({ ok: true });
    expect(await updateUser(test.ctx.store, ann.id, { role: 'admin', name: 'A' })).toMatchObject({
      ok: true,
    });
  });

  it('leaves one of two admins who demote each other at once', async () => {
    const ann = await made('ann@example.org', 'admin');
    const bob = await made('bob@example.org', 'admin');
    const both = await Promise.all(
      [ann, bob].map(({ id }) => updateUser(test.ctx.store, id, { role: 'viewer' })),
    );
    expect(both.filter(({ ok }) => ok)).toHaveLength(1);
  });

  it('notes a visit at most once a minute and brings no hash back', async () => {
    const user = await made('ann@example.org');
    await touchUser(test.ctx.store, user, NOW);
    await touchUser(test.ctx.store, user, NOW + 59_000);
    expect((await findUser(test.ctx.store, user.id))?.lastSeenAt).toBe(NOW);
    await touchUser(test.ctx.store, user, NOW + 60_000);
    expect((await findUser(test.ctx.store, user.id))?.lastSeenAt).toBe(NOW + 60_000);
    await touchUser(test.ctx.store, { ...user, id: 'gone', lastSeenAt: null }, NOW);
    expect(await test.storeRedis.exists('keyward:user:gone')).toBe(0);
  });
});
