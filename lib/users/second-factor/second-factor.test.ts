import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GivenFactor } from '@/lib/access/second-factor/schema';
import { STEP_UP_MS } from '@/lib/access/second-factor/step-up';
import { signIn, userActor } from '@/lib/access/sign-in';
import { findUser, findUserByEmail } from '@/lib/access/users';
import type { Actor } from '@/lib/actor';
import type { ConsoleCommand } from '@/lib/command/define';
import { runCommand } from '@/lib/command/run';
import { forgetEnv } from '@/lib/configuration';
import type { Contract } from '@/lib/contract';
import { Authenticator } from '@/scripts/testing/authenticator';
import { type TestContext, testActor, testContext } from '@/scripts/testing/context';
import { problemOf } from '@/scripts/testing/problem-of';
import { createConsoleUser, createToken } from '../commands';
import { readUsers } from '../reads';
import * as factors from './commands';
import * as reads from './reads';

const PASSWORD = 'correct horse battery';
const ORIGIN = 'https://keyward.example.org';
const SESSION = 'the-digest-of-a-session';

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
beforeEach(async () => {
  configure({});
  await test.empty();
});
afterAll(() => test.close());

const configure = (change: Record<string, string>): void => {
  Object.assign(process.env, { NEXTAUTH_URL: ORIGIN, KEYWARD_SECOND_FACTOR_ROLES: '', ...change });
  forgetEnv();
};

const run = <C extends Contract>(command: ConsoleCommand<C>, raw: unknown, actor: Actor) =>
  runCommand(command, { actor, requestId: randomUUID(), connection: null, raw });
const auditLog = async (): Promise<string> =>
  JSON.stringify(await test.storeRedis.xrange('keyward:audit', '-', '+'));

/** A new admin, signed in. */
const ann = async (email = 'ann@example.org'): Promise<Actor> => {
  const input = { email, name: 'Ann', role: 'admin', password: PASSWORD };
  const { user } = await run(createConsoleUser, input, testActor('admin'));
  return { ...userActor((await findUser(test.ctx.store, user.id))!), session: SESSION };
};
const ctxOf = (actor: Actor) => test.as({ actor });

/** The code of an app at a time, from now. A code works once: each call takes another 30 s step, all within the window. */
const codeOf = (secret: string, inMs = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + inMs });

const withApp = async (actor: Actor): Promise<string> => {
  const { secret, token } = await reads.beginApp(ctxOf(actor));
  await run(factors.confirmApp, { token, code: codeOf(secret, -30_000), password: PASSWORD }, actor);
  return secret;
};
const attempt = (factor: GivenFactor | null = null, email = 'ann@example.org') =>
  signIn({ email, password: PASSWORD, address: '198.51.100.1', factor });
const forgetStepUp = () => test.storeRedis.del(`keyward:step-up:${SESSION}`);

describe('an authenticator app', () => {
  it('is set up with a code and the password, and is then asked for', async () => {
    const actor = await ann();
    expect(await attempt()).toMatchObject({ ok: true, gaveFactor: false });
    const secret = await withApp(actor);
    expect(await reads.readSecondFactor(ctxOf(actor))).toMatchObject({ app: true, recoveryCodes: 0 });
    expect((await readUsers(test.ctx)).items).toMatchObject([{ secondFactor: true }]);
    expect(await attempt()).toMatchObject({
      reason: 'second-factor',
      needed: { choices: { code: true, passkey: null }, setUp: null, isWrong: false },
    });
    expect(await attempt({ code: '000000' })).toMatchObject({ needed: { isWrong: true } });
    expect(await attempt({ code: codeOf(secret) })).toMatchObject({ ok: true, gaveFactor: true });
    const stored = JSON.stringify(await test.storeRedis.hgetall(`keyward:user:${actor.id}`));
    for (const text of [stored, await auditLog()]) expect(text).not.toContain(secret);
  });

  it('takes each code once', async () => {
    const secret = await withApp(await ann());
    const code = codeOf(secret);
    const both = await Promise.all([attempt({ code }), attempt({ code })]);
    expect(both.map(({ ok }) => ok).sort()).toEqual([false, true]);
  });

  it('takes a code of a phone whose clock is half a minute off, and of none further off', async () => {
    const secret = await withApp(await ann());
    expect(await attempt({ code: codeOf(secret, 90_000) })).toMatchObject({ ok: false });
    expect(await attempt({ code: codeOf(secret, 30_000) })).toMatchObject({ ok: true });
  });

  it('is not set up with a wrong code, a wrong password or the token of somebody else', async () => {
    const [actor, other] = [await ann(), await ann('ben@example.org')];
    const { secret, token } = await reads.beginApp(ctxOf(actor));
    const code = codeOf(secret);
    const confirm = (input: object, by = actor) => run(factors.confirmApp, { token, code, ...input }, by);
    const refused = [
      confirm({ code: '000000', password: PASSWORD }),
      confirm({ password: 'wrong' }),
      confirm({}),
      confirm({ password: PASSWORD }, other),
    ].map(problemOf);
    for (const work of refused) expect(await work).toMatchObject({ status: 400 });
    expect((await reads.readSecondFactor(ctxOf(actor))).app).toBe(false);
  });

  it('delays guesses, also with the right password', async () => {
    const secret = await withApp(await ann());
    for (let i = 0; i < 5; i++) expect(await attempt({ code: '000000' })).toMatchObject({ ok: false });
    await attempt({ code: '000000' });
    expect(await attempt({ code: codeOf(secret) })).toMatchObject({ reason: 'throttled' });
  });

  it('cannot be taken out of the record from outside', async () => {
    const actor = await ann();
    await withApp(actor);
    await test.storeRedis.hset(`keyward:user:${actor.id}`, 'secondFactor', '');
    expect(await findUserByEmail(test.ctx.store, 'ann@example.org')).toBeNull();
  });
});

describe('recovery codes', () => {
  it('sign in once each, and end with new ones', async () => {
    const actor = await ann();
    await withApp(actor);
    const { codes } = await run(factors.createRecoveryCodes, {}, actor);
    expect(new Set(codes).size).toBe(10);
    const [first, second] = codes as [string, string];
    const both = await Promise.allSettled([attempt({ code: first }), attempt({ code: first })]);
    const signedIn = both.filter((each) => each.status === 'fulfilled' && each.value.ok);
    expect(signedIn).toHaveLength(1);
    expect(await attempt({ code: first })).toMatchObject({ ok: false });
    expect(await attempt({ code: second.toUpperCase().replaceAll('-', ' ') })).toMatchObject({ ok: true });
    expect((await reads.readSecondFactor(ctxOf(actor))).recoveryCodes).toBe(8);
    await run(factors.createRecoveryCodes, {}, actor);
    expect(await attempt({ code: codes[2]! })).toMatchObject({ ok: false });
    const stored = JSON.stringify(await test.storeRedis.hgetall(`keyward:user:${actor.id}`));
    for (const code of codes) expect(stored + (await auditLog())).not.toContain(code);
  });

  it('are not made without a second factor, which they replace', async () => {
    expect(await problemOf(run(factors.createRecoveryCodes, {}, await ann()))).toMatchObject({ status: 409 });
  });
});

describe('a passkey', () => {
  const withPasskey = async (actor: Actor): Promise<Authenticator> => {
    const authenticator = new Authenticator(ORIGIN);
    const { options, token } = await reads.beginPasskey(ctxOf(actor));
    const answer = authenticator.create(options as { challenge: string });
    await run(factors.addPasskey, { token, answer, name: 'Key', password: PASSWORD }, actor);
    return authenticator;
  };
  const challenge = async () => {
    const asked = await attempt();
    if (asked.ok || asked.reason !== 'second-factor') throw new Error('no second factor was asked for');
    return asked.needed.choices!.passkey as { options: { challenge: string }; token: string };
  };

  it('signs in, with each challenge once', async () => {
    const authenticator = await withPasskey(await ann());
    const { options, token } = await challenge();
    const factor = { token, answer: authenticator.get(options) };
    expect(await attempt(factor)).toMatchObject({ ok: true, gaveFactor: true });
    expect(await attempt(factor)).toMatchObject({ ok: false });
  });

  it('is refused with a counter that went back: it was copied', async () => {
    const authenticator = await withPasskey(await ann());
    const first = await challenge();
    expect(await attempt({ token: first.token, answer: authenticator.get(first.options) })).toMatchObject({
      ok: true,
    });
    authenticator.counter = 0;
    const second = await challenge();
    expect(await attempt({ token: second.token, answer: authenticator.get(second.options) })).toMatchObject({
      ok: false,
    });
  });

  it.each([
    ['of another key', (id: Buffer) => Object.assign(new Authenticator(ORIGIN), { id })],
    ['of another site', () => new Authenticator('https://keyward.example.com')],
  ])('is refused with an answer %s', async (_name, other) => {
    const { id } = await withPasskey(await ann());
    const { options, token } = await challenge();
    expect(await attempt({ token, answer: other(id).get(options) })).toMatchObject({ ok: false });
  });

  it('needs a domain name', async () => {
    configure({ NEXTAUTH_URL: 'http://127.0.0.1:3000' });
    const actor = await ann();
    expect(await reads.readSecondFactor(ctxOf(actor))).toMatchObject({ passkeysPossible: false });
    expect(await problemOf(reads.beginPasskey(ctxOf(actor)))).toMatchObject({ status: 409 });
  });

  it('breaks nothing with an answer that is none', async () => {
    const actor = await ann();
    const { token } = await reads.beginPasskey(ctxOf(actor));
    const answer = { id: 'x', response: { clientDataJSON: 'AA', attestationObject: '%' } };
    const added = run(factors.addPasskey, { token, answer, name: 'Key', password: PASSWORD }, actor);
    expect(await problemOf(added)).toMatchObject({ status: 400 });
  });
});

describe('giving it again', () => {
  const token = { name: 'CI', role: 'viewer', expiresAt: null };

  it('is asked for ten minutes after the last time, in each session', async () => {
    const actor = await ann();
    await run(createToken, token, actor);
    const secret = await withApp(actor);
    await run(createToken, token, actor);
    const elsewhere = { ...actor, session: 'another-session' } as Actor;
    expect(await problemOf(run(createToken, token, elsewhere))).toMatchObject({
      status: 403,
      code: 'step_up_required',
    });
    await forgetStepUp();
    expect(await problemOf(run(createToken, token, actor))).toMatchObject({ code: 'step_up_required' });
    const wrong = run(factors.stepUp, { factor: { code: '000000' } }, actor);
    expect(await problemOf(wrong)).toMatchObject({ status: 400 });
    const { until } = await run(factors.stepUp, { factor: { code: codeOf(secret) } }, actor);
    expect(Date.parse(until)).toBeGreaterThan(Date.now() + STEP_UP_MS - 10_000);
    await run(createToken, token, actor);
    vi.useFakeTimers({ now: Date.now() + STEP_UP_MS + 1, toFake: ['Date'] });
    try {
      expect(await problemOf(run(createToken, token, actor))).toMatchObject({ code: 'step_up_required' });
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not count when somebody writes it into the store', async () => {
    const actor = await ann();
    await withApp(actor);
    await test.storeRedis.set(`keyward:step-up:${SESSION}`, `${Date.now()} forged`);
    expect(await problemOf(run(createToken, token, actor))).toMatchObject({ code: 'step_up_required' });
  });

  it('is not asked of an API token', async () => {
    const actor = await ann();
    await withApp(actor);
    const { apiToken } = await run(createToken, { ...token, role: 'admin' }, actor);
    const holder: Actor = { kind: 'token', id: apiToken.id, name: 'CI', role: 'admin', owner: actor.id };
    await forgetStepUp();
    await run(createToken, token, holder);
  });
});

describe('a role that needs a second factor', () => {
  beforeEach(() => configure({ KEYWARD_SECOND_FACTOR_ROLES: 'admin, support' }));

  it('sets one up at the next sign-in', async () => {
    const actor = await ann();
    const asked = await attempt();
    if (asked.ok || asked.reason !== 'second-factor') throw new Error('nothing was asked for');
    const { secret, token, qr } = asked.needed.setUp!;
    expect(qr.path.length).toBeGreaterThan(qr.size);
    const confirm = (code: string) =>
      signIn({
        email: 'ann@example.org',
        password: PASSWORD,
        address: '198.51.100.1',
        factor: { code },
        setUp: token,
      });
    expect(await confirm('000000')).toMatchObject({ needed: { setUp: null, isWrong: true } });
    expect(await confirm(codeOf(secret))).toMatchObject({ ok: true, gaveFactor: true });
    expect(await reads.readSecondFactor(ctxOf(actor))).toMatchObject({ app: true, isRequired: true });
  });

  it('keeps the last one', async () => {
    const actor = await ann();
    await withApp(actor);
    expect(await problemOf(run(factors.removeSecondFactor, {}, actor))).toMatchObject({ status: 409 });
    configure({});
    await run(factors.removeSecondFactor, {}, actor);
    expect(await reads.readSecondFactor(ctxOf(actor))).toMatchObject({ app: false, recoveryCodes: 0 });
  });
});

describe('a lost second factor', () => {
  it('is removed by another admin, which ends the sessions', async () => {
    const [actor, other] = [await ann(), await ann('ben@example.org')];
    await withApp(actor);
    const reset = (by: Actor) => run(factors.resetSecondFactor, { id: actor.id }, by);
    expect(await problemOf(reset(actor))).toMatchObject({ status: 409 });
    const before = (await findUser(test.ctx.store, actor.id))!;
    expect((await reset(other)).user).toMatchObject({ secondFactor: false });
    expect((await findUser(test.ctx.store, actor.id))!.epoch).toBe(before.epoch + 1);
    expect(await attempt()).toMatchObject({ ok: true });
    expect(await problemOf(reset(other))).toMatchObject({ status: 409 });
  });
});
