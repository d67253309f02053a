import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createApiToken } from '@/lib/access/api-tokens';
import { signIn, userActor } from '@/lib/access/sign-in';
import { findUser, findUserByEmail, updateUser } from '@/lib/access/users';
import type { Actor } from '@/lib/actor';
import type { ConsoleCommand } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import { forgetEnv } from '@/lib/configuration';
import type { Contract } from '@/lib/contract';
import { DAY, HOUR } from '@/lib/time';
import { testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { createConsoleUser, updateConsoleUser } from '../commands';
import { readUsers } from '../reads';
import { acceptLink, readInvitation } from './accept';
import { createUserLink, inviteUser, withdrawInvitation } from './commands';

const PASSWORD = 'correct horse battery';
const OTHER = 'another long password';
const EMAIL = 'nina@example.org';

const test = await testContext();
const BREAK_GLASS = {
  KEYWARD_LOCAL_ACCOUNTS: 'break-glass',
  KEYWARD_OIDC_ISSUER: 'https://id.example.org',
  KEYWARD_OIDC_CLIENT_ID: 'keyward',
  KEYWARD_OIDC_CLIENT_SECRET: 'a-secret-of-the-provider',
  KEYWARD_OIDC_DEFAULT_ROLE: 'viewer',
  KEYWARD_ADMIN_EMAIL: 'root@example.org',
  KEYWARD_ADMIN_PASSWORD: PASSWORD,
};
const NONE = Object.fromEntries(Object.keys(BREAK_GLASS).map((name) => [name, '']));
const configure = (variables: Record<string, string>): void => {
  Object.assign(process.env, variables);
  forgetEnv();
};
beforeEach(async () => {
  configure({ ...NONE, NEXTAUTH_URL: 'https://keyward.example.org' });
  await test.empty();
});
afterAll(async () => {
  configure({ ...NONE, NEXTAUTH_URL: '' });
  await test.close();
});

const run = <C extends Contract>(
  command: ConsoleCommand<C>,
  raw: unknown,
  actor: Actor = testActor('admin'),
) => runCommand(command, { actor, requestId: randomUUID(), connection: null, raw });
const codeIn = (link: string | null): string => new URL(link!).hash.slice(1);
const invite = async (email = EMAIL, role = 'support') => {
  const { user, link, ...rest } = await run(inviteUser, { email, name: 'Nina', role });
  return { id: user.id, link, code: codeIn(link), ...rest };
};
const renew = async (id: string) => codeIn((await run(createUserLink, { id })).link);
const userWithPassword = async (email = EMAIL, role = 'support') =>
  (await run(createConsoleUser, { email, name: 'Nina', role, password: PASSWORD })).user.id;

/** A visitor without a session. */
const visit = (address = '198.51.100.7', now = Date.now()) => ({
  ...test.ctx,
  address,
  requestId: randomUUID(),
  now: () => now,
});
const look = (code: string, ctx = visit()) => readInvitation(ctx, { code });
const accept = (code: string, password = PASSWORD, ctx = visit()) => acceptLink(ctx, { code, password });
const canSignIn = async (password = PASSWORD, email = EMAIL) =>
  (await signIn({ email, password, address: '198.51.100.1' })).ok;
const listed = async (now = Date.now()) => (await readUsers({ ...test.ctx, now: () => now })).items;
const auditLog = async () => JSON.stringify(await test.storeRedis.xrange('keyward:audit', '-', '+'));
/** All hashes in the store and the audit log, as text. */
const everything = async () => {
  let all = await auditLog();
  for (const key of await test.storeRedis.keys('keyward:*'))
    if ((await test.storeRedis.type(key)) === 'hash')
      all += JSON.stringify(await test.storeRedis.hgetall(key));
  return all;
};
let nextNetwork = 1;
const isDead = async (code: string) => {
  // Each from a network of its own: several wrong links delay one.
  const network = `2001:db8:${nextNetwork++}::1`;
  expect((await problemOf(look(code, visit(network)))).status).toBe(404);
  expect((await problemOf(accept(code, OTHER, visit(network)))).status).toBe(404);
};

describe('an invitation', () => {
  it('creates a user without a password, who chooses one by the link, once', async () => {
    const { id, link, code, linkUntil, notMailed } = await invite();
    expect(link).toBe(`https://keyward.example.org/invitation#${code}`);
    expect(code).toMatch(/^[0-9a-f]{96}$/);
    expect(notMailed).toBeNull();
    const life = Date.parse(linkUntil) - Date.now();
    expect(Math.abs(life - 7 * DAY)).toBeLessThan(HOUR);
    expect(await listed()).toMatchObject([{ id, invited: true, linkUntil, lastSeenAt: null }]);
    for (const password of ['', PASSWORD]) expect(await canSignIn(password)).toBe(false);
    const ttl = await test.storeRedis.pttl(`keyward:invitation:${id}`);
    expect(Math.abs(ttl - 7 * DAY)).toBeLessThan(HOUR);

    expect(await look(code)).toEqual({ email: EMAIL, name: 'Nina', kind: 'invitation', linkUntil });
    expect(await accept(code)).toMatchObject({ email: EMAIL });
    expect(await canSignIn()).toBe(true);
    expect(await listed()).toMatchObject([{ id, invited: false, linkUntil: null, role: 'support' }]);
    await isDead(code);
    expect(await canSignIn(OTHER)).toBe(false);
  });

  it('is in the audit log with who accepted it, and neither code nor password is anywhere', async () => {
    const { code } = await invite();
    await accept(code);
    const log = await auditLog();
    expect(log).toContain('users.invite');
    expect(log).toContain('account.acceptInvitation');
    const all = await everything();
    for (const secret of [code, code.slice(32), PASSWORD]) expect(all).not.toContain(secret);
    expect(log).not.toContain('argon2');
  });

  it('is accepted by exactly one of several at once', async () => {
    const { code } = await invite();
    const passwords = Array.from({ length: 6 }, (_, i) => `${PASSWORD} ${i}`);
    // From several networks: one of them is delayed.
    const all = await Promise.allSettled(
      passwords.map((password, i) => accept(code, password, visit(`198.51.100.${i}`))),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const winner = passwords[all.findIndex(({ status }) => status === 'fulfilled')]!;
    expect(await canSignIn(winner)).toBe(true);
    const refusals = all.flatMap((each) => (each.status === 'rejected' ? [each.reason.status] : []));
    expect(refusals).toEqual([404, 404, 404, 404, 404]);
  });

  it('expires after seven days, and is repeated by a new link, which ends the older one', async () => {
    const { id, code } = await invite();
    const later = Date.now() + 7 * DAY;
    expect((await look(code, visit('198.51.100.7', later - HOUR))).email).toBe(EMAIL);
    expect((await problemOf(look(code, visit('198.51.100.7', later)))).status).toBe(404);
    expect(await listed(later)).toMatchObject([{ invited: true, linkUntil: null }]);
    const second = await renew(id);
    await isDead(code);
    await accept(second);
    expect(await canSignIn()).toBe(true);
  });

  it('ends with the user: disabled, removed, or with a password from elsewhere', async () => {
    const disabled = await invite('a@example.org');
    await run(updateConsoleUser, { id: disabled.id, disabled: true });
    await isDead(disabled.code);
    await run(updateConsoleUser, { id: disabled.id, disabled: false });
    await isDead(disabled.code);
    const withdrawn = await invite('b@example.org');
    await run(withdrawInvitation, { id: withdrawn.id });
    await isDead(withdrawn.code);
    const given = await invite('c@example.org');
    await run(updateConsoleUser, { id: given.id, password: PASSWORD });
    await isDead(given.code);
    const linked = await invite('d@example.org');
    await updateUser(test.ctx.store, linked.id, { subject: 'https://id.example.org d' });
    await isDead(linked.code);
  });

  it('is withdrawn only from somebody who never signed in; the address is free then', async () => {
    const { id } = await invite();
    await run(withdrawInvitation, { id });
    expect(await listed()).toEqual([]);
    expect(await findUserByEmail(test.ctx.store, EMAIL)).toBeNull();
    expect(await test.storeRedis.exists(`keyward:invitation:${id}`)).toBe(0);
    const second = await invite();
    await accept(second.code);
    expect((await problemOf(run(withdrawInvitation, { id: second.id }))).status).toBe(409);
    expect((await problemOf(run(withdrawInvitation, { id }))).status).toBe(404);
    expect(await listed()).toHaveLength(1);
  });

  it('is one code of one user: every other is 404, whatever its form', async () => {
    const { code } = await invite();
    const last = code.at(-1) === '0' ? '1' : '0';
    const wrong = [code.slice(0, -1) + last, code.toUpperCase(), ` ${code}`, code.slice(32), 'x', '\u0000'];
    for (const [i, each] of wrong.entries()) {
      const problem = await problemOf(look(each, visit(`203.0.113.${i}`)));
      expect([each, problem.status]).toEqual([each, 404]);
      if (each.length > 1) expect(problem.message).not.toContain(each);
    }
    expect((await look(code)).email).toBe(EMAIL);
  });

  it('is refused where the record was written by somebody else, and that is reported', async () => {
    const { id, code } = await invite();
    await test.storeRedis.hset(`keyward:invitation:${id}`, 'expiresAt', String(Date.now() + 400 * DAY));
    await isDead(code);
    expect(await listed()).toMatchObject([{ invited: true, linkUntil: null }]);
  });

  it('delays a network with several wrong codes, and no other', async () => {
    const { code } = await invite();
    for (let i = 0; i < 6; i++) expect((await problemOf(look(`${i}`))).status).toBe(404);
    const delayed = await problemOf(accept(code));
    expect(delayed).toMatchObject({ status: 429, extensions: { retryAfterSeconds: expect.any(Number) } });
    expect(await accept(code, PASSWORD, visit('203.0.113.9'))).toMatchObject({ email: EMAIL });
    expect(await auditLog()).toContain('the link is not valid, from 198.51.100.7');
  });

  it('of an admin does not count as an admin who can sign in', async () => {
    const only = await userWithPassword('root@example.org', 'admin');
    const { id, code } = await invite(EMAIL, 'admin');
    const demote = () => run(updateConsoleUser, { id: only, role: 'viewer' });
    expect((await problemOf(demote())).message).toContain('last admin');
    await accept(code);
    await demote();
    expect((await findUser(test.ctx.store, id))?.role).toBe('admin');
  });

  it('is for an address that nobody has, by an admin', async () => {
    await invite();
    const taken = await problemOf(run(inviteUser, { email: EMAIL, name: 'N', role: 'viewer' }));
    expect(taken).toMatchObject({ status: 409, extensions: { errors: [{ path: 'email' }] } });
    for (const role of ['support', 'product', 'viewer'] as const)
      for (const [command, raw] of [
        [inviteUser, { email: 'x@example.org', name: 'X', role: 'viewer' }],
        [createUserLink, { id: randomUUID() }],
        [withdrawInvitation, { id: randomUUID() }],
      ] as const)
        expect((await problemOf(run(command as never, raw, testActor(role)))).status).toBe(403);
    expect(await listed()).toHaveLength(1);
  });
});

describe('a reset by link', () => {
  it('ends the sessions now, and the old password and tokens once the new one is set', async () => {
    const id = await userWithPassword();
    const before = (await findUser(test.ctx.store, id))!;
    const token = { name: 'CI', role: 'viewer' as const, createdBy: EMAIL, owner: id, expiresAt: null };
    await createApiToken(test.ctx.store, token, Date.now());
    const { link, linkUntil } = await run(createUserLink, { id });
    const life = Date.parse(linkUntil) - Date.now();
    expect(Math.abs(life - DAY)).toBeLessThan(HOUR);
    expect((await findUser(test.ctx.store, id))!.epoch).toBeGreaterThan(before.epoch);
    expect(await listed()).toMatchObject([{ invited: false, linkUntil, tokens: 1 }]);
    expect(await canSignIn()).toBe(true);
    expect((await look(codeIn(link))).kind).toBe('reset');
    await accept(codeIn(link), OTHER);
    expect(await canSignIn()).toBe(false);
    expect(await canSignIn(OTHER)).toBe(true);
    expect(await listed()).toMatchObject([{ tokens: 0, linkUntil: null }]);
    await isDead(codeIn(link));
  });

  it('ends by a new password, a sign-out everywhere, and a newer link', async () => {
    const id = await userWithPassword();
    const first = await renew(id);
    await run(updateConsoleUser, { id, password: OTHER });
    await isDead(first);
    const second = await renew(id);
    await run(updateConsoleUser, { id, signOutEverywhere: true });
    await isDead(second);
    const third = await renew(id);
    await renew(id);
    await isDead(third);
    expect(await canSignIn(OTHER)).toBe(true);
  });

  it('is refused for oneself, for disabled users and for those of the provider', async () => {
    const id = await userWithPassword('root@example.org', 'admin');
    const self = userActor((await findUser(test.ctx.store, id))!);
    expect((await problemOf(run(createUserLink, { id }, self))).status).toBe(409);
    const other = await userWithPassword();
    await run(updateConsoleUser, { id: other, disabled: true });
    expect((await problemOf(run(createUserLink, { id: other }))).message).toContain('disabled');
    const { id: linked } = await invite('p@example.org');
    await updateUser(test.ctx.store, linked, { subject: 'https://id.example.org p' });
    expect((await problemOf(run(createUserLink, { id: linked }))).message).toContain('provider');
    expect((await problemOf(run(createUserLink, { id: randomUUID() }))).status).toBe(404);
  });
});

it('with break-glass invites nobody, and older links end', async () => {
  const { code } = await invite();
  const id = await userWithPassword('ann@example.org');
  configure(BREAK_GLASS);
  const input = { email: 'x@example.org', name: 'X', role: 'viewer' };
  for (const refused of [run(inviteUser, input), run(createUserLink, { id })])
    expect(await problemOf(refused)).toMatchObject({
      status: 409,
      message: expect.stringContaining('break-glass'),
    });
  await isDead(code);
  expect(await listed()).toHaveLength(2);
});

it('gives a path where the console does not know its own address', async () => {
  configure({ NEXTAUTH_URL: '' });
  const { link, notMailed } = await run(inviteUser, { email: EMAIL, name: 'N', role: 'viewer', mail: true });
  expect(link).toMatch(/^\/invitation#[0-9a-f]{96}$/);
  expect(notMailed).toContain('NEXTAUTH_URL');
});
