import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemActor } from '@/lib/actor';
import { recordEvent } from '@/lib/audit/record';
import { backgroundDone } from '@/lib/background';
import { processWide } from '@/lib/process-wide';
import { closeStore, store } from '@/lib/redis/store';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { createApiToken, findApiTokenByDigest, listApiTokens } from './api-tokens';
import { hashPassword } from './passwords';
import { ensureSealed, refusedAtStart, refusedRecords, renewSeal, sealRecords } from './seal-records';
import { signIn } from './sign-in';
import { createUser, findUser, findUserByEmail, listUsers, updateUser } from './users';

const PASSWORD = 'correct horse battery';
const MARK = 'keyward:records-sealed';
const DAY = 86_400_000;
let test: TestContext;
let passwordHash: string;
beforeAll(async () => {
  test = await testContext();
  passwordHash = await hashPassword(PASSWORD);
});
beforeEach(async () => {
  // The test before may still be recording a refusal.
  await backgroundDone();
  await test.empty();
  restarted();
});
afterAll(() => test.close());

/** What a new process knows: nothing. */
const restarted = () => {
  closeStore();
  for (const name of ['records-sealing', 'records-refused', 'users-seen'])
    processWide(name, () => null).forget();
};
const start = async () => {
  restarted();
  await ensureSealed(store());
};
const make = async (email: string, role: 'admin' | 'viewer' = 'viewer') => {
  const created = await createUser(store(), { email, name: 'N', role, passwordHash }, { now: Date.now() });
  if (!created.ok) throw new Error(created.reason);
  return created.user;
};
const userKey = (id: string) => `keyward:user:${id}`;
const canSignIn = async (email: string) =>
  (await signIn({ email, password: PASSWORD, address: '198.51.100.1' })).ok;
const audited = async (action: string) => {
  const entries = await test.storeRedis.xrange('keyward:audit', '-', '+');
  const records = entries.map(([, fields]) => JSON.parse(fields[fields.indexOf('entry') + 1]!));
  return records.filter((record) => record.action === action);
};

/** A store as a console from before left it: two users and a token without MACs, and an audit log. */
const storeFromBefore = async () => {
  const [root, ann] = [await make('root@example.org', 'admin'), await make('ann@example.org')];
  const made = { name: 'CI', role: 'viewer' as const, createdBy: 'root@example.org', expiresAt: null };
  const { apiToken } = await createApiToken(store(), made, Date.now());
  for (const key of [userKey(root.id), userKey(ann.id), `keyward:api-token:${apiToken.id}`])
    await test.storeRedis.hdel(key, 'mac');
  // From before tokens had owners.
  await test.storeRedis.hdel(`keyward:api-token:${apiToken.id}`, 'owner');
  await recordEvent({ actor: systemActor(), action: 'account.setup', outcome: 'succeeded' });
  return { root, ann, apiToken };
};

describe('a store from before', () => {
  it('is sealed once, at the first start, by one of several processes, and that is recorded', async () => {
    const { root, ann, apiToken } = await storeFromBefore();
    expect(await findUser(store(), root.id)).toBeNull();
    const both = [ensureSealed(store())];
    processWide('records-sealing', () => null).forget();
    await Promise.all([...both, ensureSealed(store())]);
    expect(await findUser(store(), root.id)).toMatchObject({ role: 'admin' });
    expect(await findApiTokenByDigest(store(), apiToken.digest)).toMatchObject({
      name: 'CI',
      owner: '',
    });
    expect(await audited('account.sealRecords')).toMatchObject([{ target: '2 users, 1 API tokens' }]);
    expect(await refusedAtStart(store())).toBeNull();

    await test.storeRedis.hset(userKey(ann.id), 'role', 'admin');
    await test.storeRedis.hdel(userKey(ann.id), 'mac');
    await start();
    expect(await findUser(store(), ann.id)).toBeNull();
    expect(await refusedAtStart(store())).toContain('1 users and 0 API tokens');
  });

  it('lets people sign in who come before the start is over', async () => {
    await storeFromBefore();
    expect(await canSignIn('ann@example.org')).toBe(true);
    expect(await audited('account.recordRefused')).toEqual([]);
  });

  it('is not what somebody makes of one that was sealed', async () => {
    const { ann } = await storeFromBefore();
    await start();
    const rewrite = async () => {
      for (const key of await test.storeRedis.keys('keyward:user:*')) await test.storeRedis.hdel(key, 'mac');
      await test.storeRedis.hset(userKey(ann.id), 'role', 'admin');
      await test.storeRedis.del(MARK);
    };
    await rewrite();
    await start();
    expect(await findUser(store(), ann.id)).toBeNull();
    // Not with its audit log cut or gone either.
    const log = await test.storeRedis.xrange('keyward:audit', '-', '+');
    await test.storeRedis.xdel('keyward:audit', log.at(-1)![0]);
    await start();
    expect(await findUser(store(), ann.id)).toBeNull();
    await test.storeRedis.del('keyward:audit', 'keyward:audit-head');
    await start();
    expect(await findUser(store(), ann.id)).toBeNull();
  });

  it('is not one with a record that bears a MAC, nor a new one with a user of somebody', async () => {
    const { ann } = await storeFromBefore();
    await make('new@example.org');
    await start();
    expect(await findUser(store(), ann.id)).toBeNull();
    await test.empty();
    await start();
    expect(await audited('account.sealRecords')).toMatchObject([{ target: '0 users, 0 API tokens' }]);
    await test.storeRedis.sadd('keyward:users', ann.id);
    await test.storeRedis.hset(userKey(ann.id), { email: 'eve@example.org', role: 'admin', disabled: '0' });
    await test.storeRedis.del(MARK);
    await start();
    expect(await findUser(store(), ann.id)).toBeNull();
  });

  it('can be sealed by its operator, whatever is in it', async () => {
    const { ann } = await storeFromBefore();
    await start();
    await test.storeRedis.hset(userKey(ann.id), 'name', 'Changed');
    const records = await refusedRecords(store());
    expect(records.map(({ id }) => id)).toEqual([ann.id]);
    await sealRecords(store(), records, { again: true, detail: 'by hand' });
    expect(await findUser(store(), ann.id)).toMatchObject({ name: 'Changed' });
    expect((await audited('account.sealRecords')).at(-1)).toMatchObject({ target: '1 users, 0 API tokens' });
  });

  it('goes on being known as sealed, though the log is trimmed', async () => {
    await start();
    await renewSeal(store(), 365, Date.now() + 10 * DAY);
    expect(await audited('account.sealRecords')).toHaveLength(1);
    // A log that is too large forgets what is older than 30 days.
    await renewSeal(store(), 365, Date.now() + 20 * DAY);
    expect(await audited('account.sealRecords')).toHaveLength(2);
    // A mark that was made without the console's key is replaced.
    await test.storeRedis.set(MARK, `${Date.now() + 1000 * DAY}.forged`);
    await renewSeal(store(), 365, Date.now());
    expect(await audited('account.sealRecords')).toHaveLength(3);
    // A missing one is made again where a record has a MAC of ours.
    await test.storeRedis.del(MARK);
    await renewSeal(store(), 365, Date.now());
    expect(await test.storeRedis.exists(MARK)).toBe(0);
    await make('ann@example.org');
    await renewSeal(store(), 365, Date.now());
    expect(await test.storeRedis.exists(MARK)).toBe(1);
    expect(await audited('account.sealRecords')).toHaveLength(4);
  });
});

it('is genuine as it is read back, also with a name that is half a character', async () => {
  const options = { now: Date.now() };
  const user = { email: 'ann@example.org', name: 'A\ud83d', role: 'admin' as const, passwordHash };
  expect(await createUser(store(), user, options)).toMatchObject({ ok: true });
  expect(await findUserByEmail(store(), 'ann@example.org')).toMatchObject({ name: 'A\ufffd' });
});

describe('a record written into the store from outside', () => {
  it.each([
    ['role', 'admin'],
    ['epoch', '7'],
    ['disabled', '0 '],
    ['passwordHash', 'x'],
    ['email', 'eve@example.org'],
    ['mac', 'x'],
  ])('is refused with another %s, and reported once', async (field, value) => {
    const { id } = await make('ann@example.org');
    await make('root@example.org', 'admin');
    expect(await canSignIn('ann@example.org')).toBe(true);
    await test.storeRedis.hset(userKey(id), field, value);
    expect(await canSignIn('ann@example.org')).toBe(false);
    expect(await findUser(store(), id)).toBeNull();
    restarted();
    expect(await findUser(store(), id)).toBeNull();
    await expect.poll(() => audited('account.recordRefused')).toHaveLength(1);
    expect(await audited('account.recordRefused')).toMatchObject([
      { target: `user ${id}`, outcome: 'failed' },
    ]);
    expect((await listUsers(store())).find((user) => user.id === id)).toMatchObject({
      changedOutside: true,
    });
  });

  it('is refused when it is a copy of another one, by id or by address', async () => {
    const [ann, root] = [await make('ann@example.org'), await make('root@example.org', 'admin')];
    const copied = await test.storeRedis.hgetall(userKey(root.id));
    await test.storeRedis.hset(userKey(ann.id), copied);
    expect(await findUser(store(), ann.id)).toBeNull();
    for (const key of await test.storeRedis.keys('keyward:user-email:*'))
      await test.storeRedis.set(key, root.id);
    expect(await findUserByEmail(store(), 'ann@example.org')).toBeNull();
    expect(await findUserByEmail(store(), 'root@example.org')).toMatchObject({ id: root.id });
  });

  it('is refused as an API token too, which can be revoked', async () => {
    const make = { name: 'CI', role: 'viewer' as const, createdBy: 'ann', expiresAt: null };
    const [first, second] = [
      (await createApiToken(store(), make, Date.now())).apiToken,
      (await createApiToken(store(), { ...make, role: 'admin' }, Date.now())).apiToken,
    ];
    await test.storeRedis.set(`keyward:api-token-digest:${first.digest}`, second.id);
    expect(await findApiTokenByDigest(store(), first.digest)).toBeNull();
    expect(await findApiTokenByDigest(store(), second.digest)).not.toBeNull();
    await test.storeRedis.hset(`keyward:api-token:${second.id}`, { expiresAt: 'x', owner: 'root' });
    expect(await findApiTokenByDigest(store(), second.digest)).toBeNull();
    const listed = await listApiTokens(store());
    expect(listed.find(({ id }) => id === second.id)).toMatchObject({
      changedOutside: true,
      expiresAt: null,
    });
  });

  it('counts as no admin, and is left without role, password and sessions when it is disabled', {
    tags: ['long'],
  }, async () => {
    const [root, eve] = [await make('root@example.org', 'admin'), await make('eve@example.org')];
    await test.storeRedis.hset(userKey(eve.id), 'role', 'admin');
    const own = store();
    expect(await updateUser(own, root.id, { disabled: true })).toMatchObject({ reason: 'last-admin' });
    for (const change of [
      { name: 'Eve' },
      { role: 'viewer' as const },
      { passwordHash },
      { disabled: false },
    ])
      expect(await updateUser(own, eve.id, change)).toEqual({ ok: false, reason: 'changed-outside' });
    expect(await updateUser(own, eve.id, { disabled: true })).toMatchObject({ ok: true });
    await updateUser(own, eve.id, { disabled: false });
    expect(await findUser(own, eve.id)).toMatchObject({
      role: 'viewer',
      passwordHash: '',
      disabled: false,
    });
    expect(await canSignIn('eve@example.org')).toBe(false);
    await updateUser(own, eve.id, { passwordHash });
    expect(await canSignIn('eve@example.org')).toBe(true);
  });
});
