import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApiToken } from '@/lib/access/api-tokens';
import { principalOf, roleNow } from '@/lib/access/on-behalf-of';
import { prepareFirstRun } from '@/lib/access/setup';
import { signIn, userActor } from '@/lib/access/sign-in';
import { actorOfApiToken } from '@/lib/access/token-actor';
import { findUser } from '@/lib/access/users';
import { type Actor, ownerOf } from '@/lib/actor';
import { listAudit } from '@/lib/audit/list';
import type { ConsoleCommand } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import { forgetEnv } from '@/lib/configuration';
import type { Contract } from '@/lib/contract';
import { Problem } from '@/lib/errors';
import { newId } from '@/lib/ids';
import { allPages } from '@/scripts/testing/all-pages';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import * as commands from './commands';
import { setUp } from './first-admin';
import { DEFAULT_PREFERENCES } from './preferences/schema';
import { readAccount, readApiTokens, readUsers } from './reads';
import { accountContracts, apiTokenContracts, userContracts } from './schema';

const PASSWORD = 'correct horse battery';
const OTHER = 'another long password';
const NOBODY = '00000000-0000-7000-8000-000000000000';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
beforeEach(() => test.empty());
afterAll(() => test.close());

const run = <C extends Contract>(
  command: ConsoleCommand<C>,
  raw: unknown,
  actor: Actor = testActor('admin'),
) => runCommand(command, { actor, requestId: randomUUID(), connection: null, raw });

const create = async (email: string, role = 'admin') =>
  (await run(commands.createConsoleUser, { email, name: 'Ann', role, password: PASSWORD })).user;
const update = (id: string, change: object, actor?: Actor) =>
  run(commands.updateConsoleUser, { id, ...change }, actor);
const stored = async (id: string) => (await findUser(test.ctx.store, id))!;
const asActor = async (id: string): Promise<Actor> => userActor(await stored(id));
const canSignIn = async (email: string, password: string): Promise<boolean> =>
  (await signIn({ email, password, address: '198.51.100.1' })).ok;

const OF_ANN = { name: 'CI', role: 'admin' as const, createdBy: 'ann@example.org', expiresAt: null };

const problem = (work: Promise<unknown>): Promise<Problem> =>
  work.then(
    () => expect.fail('expected a refusal'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(Problem);
      return error as Problem;
    },
  );
const auditLog = async (): Promise<string> =>
  JSON.stringify(await test.storeRedis.xrange('keyward:audit', '-', '+'));

describe('users', () => {
  it('are in the log by their addresses, and tokens by their names', async () => {
    const { id } = await create('Ann@Example.org', 'support');
    await update(id, { role: 'viewer' });
    const { apiToken } = await run(commands.createToken, { name: 'CI', role: 'viewer', expiresAt: null });
    await run(commands.revokeToken, { id: apiToken.id });
    const unknown = newId();
    await update(unknown, { role: 'viewer' }).catch(() => undefined);
    const { items } = await listAudit(test.ctx.store, {});
    expect(items.map(({ action, target }) => `${action} ${target}`)).toEqual([
      `users.update ${unknown}`,
      'tokens.api.revoke CI',
      'tokens.api.create CI',
      'users.update ann@example.org',
      'users.create ann@example.org',
    ]);
    const about = await listAudit(test.ctx.store, { subject: 'account:ann@example.org' });
    expect(about.items.map(({ action }) => action)).toEqual(['users.update', 'users.create']);
  });

  it('are created, listed and can sign in; the log keeps no secret', async () => {
    const user = await create('Ann@Example.org', 'support');
    expect(user).toMatchObject({
      email: 'ann@example.org',
      role: 'support',
      disabled: false,
      lastSeenAt: null,
    });
    expect(await canSignIn('ann@example.org', PASSWORD)).toBe(true);
    const listed = userContracts.list.result.parse(await readUsers(test.ctx));
    expect(listed.items).toMatchObject([{ id: user.id, email: 'ann@example.org' }]);
    const hash = (await stored(user.id)).passwordHash;
    expect(JSON.stringify(await readUsers(test.ctx))).not.toContain(hash);
    const log = await auditLog();
    expect(log).toContain('ann@example.org');
    for (const secret of [PASSWORD, hash, 'argon2']) expect(log).not.toContain(secret);
  });

  it('are listed in pages, oldest first, though one comes meanwhile', { tags: ['long'] }, async () => {
    const users: string[] = [];
    for (let i = 0; i < 5; i++) users.push((await create(`user${i}@example.org`)).id);
    const listed = await allPages(async (page) => {
      const found = await readUsers(test.ctx, page);
      if (users.length === 5) users.push((await create('late@example.org')).id);
      return found;
    }, 2);
    expect(listed.map(({ id }) => id)).toEqual(users);
  });

  it('are found by a part of the name or of the address', async () => {
    await create('ann@example.org');
    const ben = await create('ben@example.org');
    const found = async (q: string) => (await readUsers(test.ctx, { q })).items.map(({ id }) => id);
    expect(await found(' BEN@')).toEqual([ben.id]);
    expect(await found(ben.name)).toContain(ben.id);
    expect(await found('nobody')).toEqual([]);
  });

  it('have an address of their own', async () => {
    await create('ann@example.org');
    const refused = await problem(create('ANN@example.org'));
    expect(refused).toMatchObject({ status: 409, extensions: { errors: [{ path: 'email' }] } });
  });

  it('are refused with bad input, by name and without the value', async () => {
    const bad = { email: 'no', name: '', role: 'evaluator', password: 'short-secret'.slice(0, 5), extra: 1 };
    const refused = await problem(run(commands.createConsoleUser, bad));
    expect(refused.status).toBe(400);
    const paths = (refused.extensions.errors as { path: string }[]).map(({ path }) => path).sort();
    expect(paths).toEqual(['email', 'extra', 'name', 'password', 'role']);
    expect(refused.message).not.toContain('short');
  });

  it('are for admins only, and a refusal is in the log', async () => {
    for (const role of ['support', 'product', 'viewer'] as const) {
      const raw = { email: 'x@example.org', name: 'X', role: 'admin', password: PASSWORD };
      expect((await problem(run(commands.createConsoleUser, raw, testActor(role)))).status).toBe(403);
    }
    expect((await auditLog()).match(/refused: needs users:manage/g)).toHaveLength(3);
  });

  it('change name and role, are disabled and enabled, get a new password', async () => {
    await create('root@example.org');
    const { id } = await create('ann@example.org', 'viewer');
    expect((await update(id, { name: 'Anne', role: 'product' })).user).toMatchObject({
      name: 'Anne',
      role: 'product',
    });
    await update(id, { disabled: true });
    expect(await canSignIn('ann@example.org', PASSWORD)).toBe(false);
    await update(id, { disabled: false, password: OTHER });
    expect(await canSignIn('ann@example.org', PASSWORD)).toBe(false);
    expect(await canSignIn('ann@example.org', OTHER)).toBe(true);
    const { epoch } = await stored(id);
    await update(id, { signOutEverywhere: true });
    expect((await stored(id)).epoch).toBe(epoch + 1);
    expect(await auditLog()).not.toContain(OTHER);
  });

  it('that are not there, and changes of nothing, are refused', async () => {
    expect((await problem(update(NOBODY, { name: 'X' }))).status).toBe(404);
    expect((await problem(update('../x', { name: 'X' }))).status).toBe(400);
    expect((await problem(update(NOBODY, {}))).status).toBe(400);
  });

  it('written by somebody else are refused and can be disabled only', { tags: ['long'] }, async () => {
    await create('root@example.org');
    const { id } = await create('ann@example.org', 'viewer');
    await test.storeRedis.hset(`keyward:user:${id}`, { role: 'admin', lastSeenAt: 'x', createdAt: '1e99' });
    const listed = userContracts.list.result.parse(await readUsers(test.ctx));
    expect(listed.items.find((user) => user.id === id)).toMatchObject({ changedOutside: true });
    expect((await problem(update(id, { role: 'viewer' }))).message).toContain('Disable the user first');
    expect((await update(id, { disabled: true })).user).toMatchObject({ role: 'viewer', disabled: true });
    expect(await canSignIn('ann@example.org', PASSWORD)).toBe(false);
    await update(id, { disabled: false, role: 'support', password: OTHER });
    expect(await canSignIn('ann@example.org', OTHER)).toBe(true);
  });

  it('cannot disable or demote themselves or the last admin', async () => {
    const ann = await create('ann@example.org');
    const actor = await asActor(ann.id);
    for (const change of [{ disabled: true }, { role: 'viewer' }]) {
      expect((await problem(update(ann.id, change, actor))).status).toBe(409);
      // Not by an API token either: it is the last one.
      const { id } = (await createApiToken(test.ctx.store, OF_ANN, Date.now())).apiToken;
      const token: Actor = { kind: 'token', id, name: 'CI', role: 'admin' };
      expect((await problem(update(ann.id, change, token))).message).toMatch(/last admin/);
    }
    expect((await update(ann.id, { name: 'Anne', role: 'admin' }, actor)).user.name).toBe('Anne');
  });
});

describe('the own account', () => {
  it('says who is signed in and what the role may do', async () => {
    const account = await readAccount({ ...test.ctx, actor: testActor('viewer') });
    expect(accountContracts.get.result.parse(account)).toMatchObject({
      email: 'viewer@example.org',
      role: 'viewer',
      permissions: ['view', 'flags:view'],
    });
    const token: Actor = { kind: 'token', id: 't', name: 'CI', role: 'evaluator' };
    const evaluator = await readAccount({ ...test.ctx, actor: token });
    expect(evaluator).toMatchObject({ email: null, name: 'CI', permissions: ['flags:evaluate'] });
  });

  it('changes its password with the present one, and all its sessions end', { tags: ['long'] }, async () => {
    const { id } = await create('ann@example.org', 'viewer');
    const actor = await asActor(id);
    const change = (currentPassword: string) =>
      run(commands.changePassword, { currentPassword, newPassword: OTHER }, actor);
    const refused = await problem(change('wrong'));
    expect(refused).toMatchObject({ status: 400, extensions: { errors: [{ path: 'currentPassword' }] } });
    expect((await stored(id)).epoch).toBe(1);
    expect(await change(PASSWORD)).toEqual({ auditId: expect.any(String), tokensEnded: 0 });
    expect((await stored(id)).epoch).toBe(2);
    expect(await canSignIn('ann@example.org', OTHER)).toBe(true);
    const log = await auditLog();
    for (const secret of [PASSWORD, OTHER, 'argon2']) expect(log).not.toContain(secret);
  });

  it('is no place to guess the present password', { tags: ['long'] }, async () => {
    const { id } = await create('ann@example.org', 'viewer');
    const actor = await asActor(id);
    const guess = () => run(commands.changePassword, { currentPassword: 'wrong', newPassword: OTHER }, actor);
    for (let i = 0; i < 6; i++) expect((await problem(guess())).status).toBe(400);
    expect(await problem(guess())).toMatchObject({ status: 429, extensions: { retryAfterSeconds: 1 } });
    // Signing in is counted by itself.
    expect(await canSignIn('ann@example.org', PASSWORD)).toBe(true);
  });

  it('changes its password while strangers fail to sign in', { tags: ['long'] }, async () => {
    const { id } = await create('ann@example.org', 'viewer');
    const actor = await asActor(id);
    for (let i = 0; i < 6; i++) expect(await canSignIn('ann@example.org', 'wrong')).toBe(false);
    const change = { currentPassword: PASSWORD, newPassword: OTHER };
    expect(await run(commands.changePassword, change, actor)).toMatchObject({ tokensEnded: 0 });
  });

  it('signs out everywhere', async () => {
    const { id } = await create('ann@example.org', 'viewer');
    await run(commands.signOutEverywhere, {}, await asActor(id));
    expect((await stored(id)).epoch).toBe(2);
  });

  it('is nothing an API token has', async () => {
    const token: Actor = { kind: 'token', id: 't', name: 'CI', role: 'admin' };
    const change = { currentPassword: PASSWORD, newPassword: OTHER };
    expect((await problem(run(commands.changePassword, change, token))).status).toBe(403);
    expect((await problem(run(commands.signOutEverywhere, {}, token))).status).toBe(403);
  });
});

describe('API tokens', () => {
  it('are made, shown once, listed without themselves, and revoked', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const admin = await asActor((await create('admin@example.org')).id);
    const made = await run(commands.createToken, { name: 'CI', role: 'evaluator', expiresAt }, admin);
    expect(made.apiToken).toMatchObject({
      name: 'CI',
      createdBy: 'admin@example.org',
      expiresAt,
      lastUsedAt: null,
    });
    expect(await actorOfApiToken(made.token, Date.now())).toMatchObject({ role: 'evaluator' });
    const listed = apiTokenContracts.list.result.parse(await readApiTokens(test.ctx));
    expect(listed.items).toHaveLength(1);
    expect(JSON.stringify(listed) + (await auditLog())).not.toContain(made.token.slice(3));
    const { id } = made.apiToken;
    expect(await run(commands.revokeToken, { id })).toEqual({
      id,
      alsoEnded: 0,
      auditId: expect.any(String),
    });
    expect(await actorOfApiToken(made.token, Date.now())).toBeNull();
    expect((await problem(run(commands.revokeToken, { id }))).status).toBe(404);
  });

  it('are listed in pages', async () => {
    for (const name of ['a', 'b', 'c'])
      await run(commands.createToken, { name, role: 'viewer', expiresAt: null });
    const listed = await allPages((page) => readApiTokens(test.ctx, page), 2);
    // Those of the same millisecond have no order.
    expect(listed.map(({ name }) => name).sort()).toEqual(['a', 'b', 'c']);
    const times = listed.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort());
  });

  it('do not begin expired', async () => {
    const raw = { name: 'CI', role: 'viewer', expiresAt: '2020-01-01T00:00:00Z' };
    expect((await problem(run(commands.createToken, raw))).status).toBe(400);
  });
});

describe('API tokens and their owner', () => {
  const makeToken = async (actor: Actor, role = 'admin') =>
    (await run(commands.createToken, { name: 'CI', role, expiresAt: null }, actor)).token;
  const holder = (token: string) => actorOfApiToken(token, Date.now());
  const tokensIn = async (id: string) =>
    (await readUsers(test.ctx)).items.find((user) => user.id === id)?.tokens;

  it('let a disabled admin make no users and not enable themselves again', async () => {
    await create('root@example.org');
    const { id } = await create('ann@example.org');
    const token = await makeToken(await asActor(id));
    expect(await holder(token)).toMatchObject({ role: 'admin', owner: id });
    await test.storeRedis.hset(`keyward:user:${id}`, 'disabled', '1');
    expect(await holder(token)).toBeNull();
  });

  it('made while the owner is disabled are nobody, for planned work too', async () => {
    await create('root@example.org');
    const { id } = await create('ann@example.org');
    await update(id, { disabled: true });
    const late = await createApiToken(test.ctx.store, { ...OF_ANN, owner: id }, Date.now());
    expect(await holder(late.token)).toBeNull();
    const principal = { kind: 'token' as const, id: late.apiToken.id, name: 'CI' };
    expect(await roleNow(test.ctx.store, principal, Date.now())).toBeNull();
  });

  it('have the lower of both roles, through other tokens too', async () => {
    await create('root@example.org');
    const { id } = await create('ann@example.org', 'product');
    const { token, apiToken } = await createApiToken(test.ctx.store, { ...OF_ANN, owner: id }, Date.now());
    expect(await holder(token)).toMatchObject({ role: 'product' });
    const principal = { kind: 'token' as const, id: apiToken.id, name: 'CI' };
    expect(await roleNow(test.ctx.store, principal, Date.now())).toBe('product');
    await update(id, { role: 'admin' });
    expect(await roleNow(test.ctx.store, principal, Date.now())).toBe('admin');
    const child = await makeToken((await holder(token))!, 'viewer');
    expect(await holder(child)).toMatchObject({ role: 'viewer', owner: id });
  });

  it.each([
    ['disabling', { disabled: true }, 2],
    ['demoting', { role: 'support' }, 2],
    ['resetting the password', { password: OTHER }, 2],
    ['another name', { name: 'Anna' }, 0],
    ['signing out everywhere', { signOutEverywhere: true }, 0],
  ])('end with %s of the owner, and the answer has their number', async (_name, change, ended) => {
    const root = await create('root@example.org');
    const { id } = await create('ann@example.org');
    const [first, other] = [await makeToken(await asActor(id)), await makeToken(await asActor(root.id))];
    const second = await makeToken((await holder(first))!, 'viewer');
    expect(await tokensIn(id)).toBe(2);
    expect(await update(id, change)).toMatchObject({ tokensEnded: ended });
    expect(await tokensIn(id)).toBe(2 - ended);
    await update(id, { disabled: false, role: 'admin' });
    for (const token of [first, second]) expect((await holder(token)) === null).toBe(ended > 0);
    expect(await holder(other)).not.toBeNull();
    expect((await auditLog()).includes('tokensEnded')).toBe(ended > 0);
  });

  it.each([
    ['disabling', { disabled: true }],
    ['demoting', { role: 'support' }],
    ['resetting the password', { password: OTHER }],
  ])(
    'are not made any more, nor users changed, by requests from before %s of the owner',
    { tags: ['long'] },
    async (_name, change) => {
      await create('root@example.org');
      const { id } = await create('ann@example.org');
      const ann = await asActor(id);
      const token = (await holder(await makeToken(ann)))!;
      await update(id, change);
      const user = { email: 'eve@example.org', name: 'Eve', role: 'admin', password: PASSWORD };
      for (const actor of [ann, token]) {
        const late = [
          makeToken(actor),
          run(commands.createConsoleUser, user, actor),
          update(id, { disabled: false, role: 'admin', password: PASSWORD }, actor),
        ].map(problem);
        for (const refused of await Promise.all(late))
          expect(refused).toMatchObject({ status: 401, code: 'unauthenticated' });
      }
      await update(id, { disabled: false, role: 'admin' });
      expect(await tokensIn(id)).toBe(0);
    },
  );

  it('stay with a role that may do more', async () => {
    await create('root@example.org');
    const { id } = await create('ann@example.org', 'viewer');
    await createApiToken(test.ctx.store, { ...OF_ANN, owner: id }, Date.now());
    expect(await update(id, { role: 'support' })).toMatchObject({ tokensEnded: 0 });
    expect(await update(id, { role: 'product' })).toMatchObject({ tokensEnded: 1 });
  });

  it("end with one's own new password", async () => {
    const { id } = await create('ann@example.org');
    const token = await makeToken(await asActor(id));
    const change = { currentPassword: PASSWORD, newPassword: OTHER };
    expect(await run(commands.changePassword, change, await asActor(id))).toMatchObject({ tokensEnded: 1 });
    expect(await holder(token)).toBeNull();
  });

  it('end with the token that made them, through others too, and the log says how many', async () => {
    const { id } = await create('ann@example.org');
    const made = async (by: string | null) =>
      run(
        commands.createToken,
        { name: 'CI', role: 'admin', expiresAt: null },
        by === null ? await asActor(id) : (await holder(by))!,
      );
    const [first, other] = [await made(null), await made(null)];
    const second = await made(first.token);
    const third = await made(second.token);
    const counts = (await readApiTokens(test.ctx)).items.map((token) => [token.id, token.tokens]);
    expect(Object.fromEntries(counts)).toEqual({
      [first.apiToken.id]: 2,
      [second.apiToken.id]: 1,
      [third.apiToken.id]: 0,
      [other.apiToken.id]: 0,
    });
    const planned = principalOf((await holder(third.token))!)!;
    expect(await run(commands.revokeToken, { id: first.apiToken.id })).toMatchObject({ alsoEnded: 2 });
    for (const { token } of [first, second, third]) expect(await holder(token)).toBeNull();
    expect(await roleNow(test.ctx.store, planned, Date.now())).toBeNull();
    expect(await holder(other.token)).toMatchObject({ role: 'admin' });
    expect((await readApiTokens(test.ctx)).items).toHaveLength(1);
    expect(await auditLog()).toMatch(/alsoEnded[\\"]+:2/);
  });

  it('are not left over by a token that makes others while it is revoked', async () => {
    const { id } = await create('ann@example.org');
    const first = await run(
      commands.createToken,
      { name: 'CI', role: 'admin', expiresAt: null },
      await asActor(id),
    );
    const maker = (await holder(first.token))!;
    const others = Array.from({ length: 20 }, () => makeToken(maker).catch(() => null));
    await run(commands.revokeToken, { id: first.apiToken.id });
    for (const token of await Promise.all(others)) if (token) expect(await holder(token)).toBeNull();
    expect((await readApiTokens(test.ctx)).items).toEqual([]);
  });

  it('do not outlive the token that makes them', async () => {
    const { id } = await create('ann@example.org');
    const inAnHour = Date.now() + 3_600_000;
    const at = (time: number) => new Date(time).toISOString();
    const makeUntil = (actor: Actor, expiresAt: string | null) =>
      run(commands.createToken, { name: 'CI', role: 'viewer', expiresAt }, actor);
    const parent = await createApiToken(
      test.ctx.store,
      { ...OF_ANN, owner: id, expiresAt: inAnHour },
      Date.now(),
    );
    const actor = (await holder(parent.token))!;
    for (const later of [null, at(inAnHour + 1)])
      expect(await problem(makeUntil(actor, later))).toMatchObject({
        status: 400,
        extensions: { errors: [{ path: 'expiresAt', message: expect.stringContaining(at(inAnHour)) }] },
      });
    expect((await makeUntil(actor, at(inAnHour))).apiToken.expiresAt).toBe(at(inAnHour));
    expect(await tokensIn(id)).toBe(2);
  });

  it('made with the token of the configuration end with it, and are no user’s', async () => {
    const configure = (token: string) => {
      process.env.KEYWARD_API_TOKEN = token;
      forgetEnv();
    };
    const given = 'a-configured-token-of-32-characters';
    configure(given);
    try {
      const child = await makeToken((await holder(given))!);
      const grandchild = await makeToken((await holder(child))!);
      for (const token of [given, child, grandchild]) expect(ownerOf((await holder(token))!)).toBeNull();
      const planned = principalOf((await holder(given))!)!;
      expect(await roleNow(test.ctx.store, planned, Date.now())).toBe('admin');
      for (const other of ['another-configured-token-32-characters', '']) {
        configure(other);
        for (const token of [child, grandchild]) expect(await holder(token)).toBeNull();
        expect(await roleNow(test.ctx.store, planned, Date.now())).toBeNull();
      }
      configure(given);
      expect(await holder(grandchild)).toMatchObject({ role: 'admin' });
    } finally {
      configure('');
    }
  });

  it('from before, of whom nobody knows the owner, go on', async () => {
    const { token } = await createApiToken(test.ctx.store, OF_ANN, Date.now());
    expect(await holder(token)).toMatchObject({ role: 'admin' });
    expect(ownerOf((await holder(token))!)).toBeNull();
  });
});

describe('the set-up', () => {
  const attempt = (code: string, address = '198.51.100.1') =>
    setUp({ ...test.ctx, address }, { code, email: 'ann@example.org', name: 'Ann', password: PASSWORD });

  it('creates the first admin once, and says so in the log', async () => {
    const code = (await prepareFirstRun())!;
    expect(await problem(attempt('WRONG-CODE'))).toMatchObject({ status: 400 });
    const made = accountContracts.setup.result.parse(await attempt(code));
    expect(made.user).toMatchObject({ role: 'admin', email: 'ann@example.org' });
    expect((await problem(attempt(code))).status).toBe(409);
    expect(await canSignIn('ann@example.org', PASSWORD)).toBe(true);
    const log = await auditLog();
    expect(log.match(/account\.setup/g)).toHaveLength(2);
    for (const secret of [code, PASSWORD, 'WRONG-CODE']) expect(log).not.toContain(secret);
  });

  it('is throttled by address', async () => {
    const code = (await prepareFirstRun())!;
    for (let i = 0; i < 6; i++) expect((await problem(attempt('WRONG'))).status).toBe(400);
    expect(await problem(attempt(code))).toMatchObject({ status: 429 });
    expect((await attempt(code, '198.51.100.2')).user.role).toBe('admin');
  });
});

describe('preferences', () => {
  it('are of the user, each by itself, and the default where another version wrote something', async () => {
    const { id } = await create('ann@example.org', 'viewer');
    const ann = await asActor(id);
    const bob = await asActor((await create('bob@example.org', 'viewer')).id);
    const changed = await run(commands.setPreferences, { timeZone: 'Asia/Tokyo', pins: ['jobs'] }, ann);
    expect(changed.preferences).toEqual({ ...DEFAULT_PREFERENCES, timeZone: 'Asia/Tokyo', pins: ['jobs'] });
    await run(commands.setPreferences, { density: 'compact' }, ann);
    await test.storeRedis.hset(`keyward:preferences:${id}`, 'hours', '"13"', 'pins', '{broken');
    expect((await readAccount({ ...test.ctx, actor: ann })).preferences).toEqual({
      ...DEFAULT_PREFERENCES,
      timeZone: 'Asia/Tokyo',
      density: 'compact',
    });
    expect((await readAccount({ ...test.ctx, actor: bob })).preferences).toEqual(DEFAULT_PREFERENCES);
    expect(await auditLog()).toContain('account.setPreferences');
  });

  it.each([
    [{ timeZone: 'Nowhere/Town' }],
    [{ pins: Array(61).fill('jobs') }],
    [{ pins: ['../jobs'] }],
    [{ firstPage: 'https://example.org' }],
    [{ hours: '13' }],
    [{ tileOrder: ['charts'] }],
    [{ theme: 'pink' }],
  ])('refuse %j', async (change) => {
    const { id } = await create('ann@example.org', 'viewer');
    const refused = await problem(run(commands.setPreferences, change, await asActor(id)));
    expect(refused.status).toBe(400);
    expect(await test.storeRedis.exists(`keyward:preferences:${id}`)).toBe(0);
  });

  it('are nothing that an API token has', async () => {
    const token: Actor = { kind: 'token', id: 't', name: 'CI', role: 'admin' };
    expect((await problem(run(commands.setPreferences, { hours: '12' }, token))).status).toBe(403);
    expect((await readAccount({ ...test.ctx, actor: token })).preferences).toBeNull();
  });
});
