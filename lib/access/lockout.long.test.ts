import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY, HOUR, MINUTE } from '@/lib/time';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { knownDevice, makeDevice } from './device';
import { signIn } from './sign-in';
import { createUser, findUserByEmail, updateUser } from './users';

const PASSWORD = 'correct horse battery';

/** A day of guesses would take argon2 minutes. */
vi.mock('@node-rs/argon2', () => ({
  hash: (password: string) => Promise.resolve(`plain:${password}`),
  verify: (stored: string, password: string) => Promise.resolve(stored === `plain:${password}`),
}));

let test: TestContext;
beforeAll(async () => {
  test = await testContext();
});
beforeEach(async () => {
  await test.empty();
  const user = { email: 'ann@example.org', name: 'Ann', role: 'support' as const };
  await createUser(test.ctx.store, { ...user, passwordHash: `plain:${PASSWORD}` }, { now: Date.now() });
});
afterAll(() => test.close());

const BEGIN = Date.parse('2026-05-05T00:00:00Z');
const tryPassword = async (password: string, address: string, now: number, device: string | null = null) =>
  (await signIn({ email: 'ann@example.org', password, address, device }, now)).ok;
const storedAnn = async () => (await findUserByEmail(test.ctx.store, 'ann@example.org'))!;

/** Strangers who guess from networks of their own, each again as soon as its wait is over. */
const strangers = (networks: number) => {
  const next = Array.from({ length: networks }, () => 0);
  let guesses = 0;
  const guess = async (network: number, now: number): Promise<boolean> => {
    const address = `203.0.113.${network}`;
    const answer = await signIn({ email: 'ann@example.org', password: 'wrong', address }, now);
    if (answer.ok || answer.reason !== 'throttled') return true;
    next[network] = now + answer.retryAfterSeconds * 1000;
    return false;
  };
  const guessAll = async (now: number): Promise<void> => {
    for (;;) {
      const ready = next.flatMap((at, network) => (at > now ? [] : [network]));
      const made = (await Promise.all(ready.map((network) => guess(network, now)))).filter(Boolean).length;
      guesses += made;
      if (made === 0) return;
    }
  };
  return { guessAll, guesses: () => guesses };
};

describe('a day of strangers who guess', () => {
  it.each([
    [1, 24],
    [50, 3],
  ])(
    'from %i networks keeps nobody out who knows the password, for %i hours',
    async (networks, hours) => {
      const attack = strangers(networks);
      const device = makeDevice(await storedAnn(), BEGIN);
      const refused = { amongThem: 0, atHome: 0, elsewhere: 0 };
      for (let minute = 0; minute < (hours * HOUR) / MINUTE; minute++) {
        const now = BEGIN + minute * MINUTE;
        await attack.guessAll(now);
        if (minute % 15 > 0) continue;
        if (!(await tryPassword(PASSWORD, '203.0.113.0', now, device))) refused.amongThem++;
        if (!(await tryPassword(PASSWORD, '198.51.100.1', now))) refused.atHome++;
        if (!(await tryPassword(PASSWORD, `192.0.${minute >> 8}.${minute & 255}`, now))) refused.elsewhere++;
      }
      expect(refused).toEqual({ amongThem: 0, atHome: 0, elsewhere: 0 });
      expect(attack.guesses()).toBeLessThan(networks === 1 ? 160 : 60 * hours + 100 + (3 + hours) * networks);
    },
    120_000,
  );
});

it('does not keep out for long, of a network of its own, who mistyped before', async () => {
  const attack = strangers(50);
  const mistyped = 60;
  const home = '198.51.100.1';
  let refused = 0;
  for (let minute = 0; minute < (6 * HOUR) / MINUTE; minute++) {
    const now = BEGIN + minute * MINUTE;
    if (minute === mistyped) for (let i = 0; i < 3; i++) await tryPassword('wrong', home, now);
    await attack.guessAll(now);
    if (minute <= mistyped) continue;
    if (await tryPassword(PASSWORD, home, now)) break;
    refused++;
  }
  expect(refused).toBeLessThan(60);
}, 120_000);

it('counts whoever has 65 536 networks of IPv6 as one who guesses', async () => {
  let guesses = 0;
  for (let i = 0; i < 200; i++) {
    const address = `2001:db8:7:${i.toString(16)}::1`;
    const answer = await signIn({ email: 'ann@example.org', password: 'wrong', address }, BEGIN);
    if (answer.ok || answer.reason === 'refused') guesses++;
  }
  expect(guesses).toBeLessThan(10);
  expect(await tryPassword(PASSWORD, '2001:db8:8::1', BEGIN)).toBe(true);
});

describe('a device that signed in before', () => {
  const HOME = '198.51.100.1';
  /** Ann's network is closed by strangers in it. */
  const closeHome = async (now: number, address = HOME) => {
    for (let i = 0; i < 12; i++) await tryPassword('wrong', address, now);
    expect(await tryPassword(PASSWORD, address, now)).toBe(false);
  };

  it('passes where its network is closed, until it is 180 days old', async () => {
    const device = makeDevice(await storedAnn(), BEGIN);
    for (const [days, passes] of [
      [0, true],
      [179, true],
      [180, false],
    ] as const) {
      const now = BEGIN + days * DAY;
      const address = `198.51.100.${days}`;
      await closeHome(now, address);
      expect(await tryPassword(PASSWORD, address, now, device)).toBe(passes);
    }
  });

  it('has five guesses of its own, which close it and nobody else', async () => {
    const device = makeDevice(await storedAnn(), BEGIN);
    const guess = (password: string) =>
      signIn({ email: 'ann@example.org', password, address: HOME, device }, BEGIN);
    for (let i = 0; i < 6; i++) expect(await guess('wrong')).toEqual({ ok: false, reason: 'refused' });
    expect(await guess(PASSWORD)).toEqual({ ok: false, reason: 'throttled', retryAfterSeconds: 1 });
    expect(await tryPassword(PASSWORD, HOME, BEGIN)).toBe(true);
    expect(await tryPassword(PASSWORD, HOME, BEGIN, makeDevice(await storedAnn(), BEGIN))).toBe(true);
  });

  it('is a stranger to other accounts, after a new password, and when it was altered', async () => {
    const ann = await storedAnn();
    const device = makeDevice(ann, BEGIN);
    const bob = { email: 'bob@example.org', name: 'Bob', role: 'viewer' as const };
    const passwordHash = `plain:${PASSWORD}`;
    const created = await createUser(test.ctx.store, { ...bob, passwordHash }, { now: BEGIN });
    if (!created.ok) throw new Error('Bob is there already');
    await closeHome(BEGIN);
    const altered = device.slice(0, 40) + (device[40] === 'A' ? 'B' : 'A') + device.slice(41);
    for (const value of ['', 'x', altered, makeDevice(created.user, BEGIN), 'A'.repeat(8000)])
      expect(await tryPassword(PASSWORD, HOME, BEGIN, value)).toBe(false);
    expect(await tryPassword(PASSWORD, HOME, BEGIN, device)).toBe(true);
    // Another account's cookie leads to no look-up, so the time of the answer tells nothing.
    const unused = {} as typeof test.ctx.store;
    expect(await knownDevice(unused, device, 'bob@example.org', BEGIN)).toBeNull();
    await updateUser(test.ctx.store, ann.id, { passwordHash: 'plain:another password' });
    expect(await tryPassword('another password', HOME, BEGIN, device)).toBe(false);
    expect(await tryPassword('another password', HOME, BEGIN, makeDevice(await storedAnn(), BEGIN))).toBe(
      true,
    );
  });

  it('is nobody while its user is disabled, and holds nothing readable', async () => {
    const ann = await storedAnn();
    const device = makeDevice(ann, BEGIN);
    await updateUser(test.ctx.store, ann.id, { disabled: true });
    const answer = await signIn({ email: ann.email, password: PASSWORD, address: HOME, device }, BEGIN);
    expect(answer).toEqual({ ok: false, reason: 'refused' });
    const bytes = Buffer.from(device, 'base64url').toString('latin1');
    for (const readable of [ann.id, ann.email, 'plain', String(BEGIN + 180 * DAY)])
      expect(bytes).not.toContain(readable);
  });
});
