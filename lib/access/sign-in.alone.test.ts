import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { hashPassword } from './passwords';
import { signIn } from './sign-in';
import { strangerBuckets, takeAttempt } from './throttle';
import { createUser, findUserByEmail, updateUser } from './users';

const counted = vi.hoisted(() => ({ verifications: 0 }));
vi.mock('@node-rs/argon2', async (original) => {
  const argon2 = await original<typeof import('@node-rs/argon2')>();
  const verify: typeof argon2.verify = (...args) => {
    counted.verifications += 1;
    return argon2.verify(...args);
  };
  return { ...argon2, verify };
});

const PASSWORD = 'correct horse battery';
let test: TestContext;
let passwordHash: string;
beforeAll(async () => {
  test = await testContext();
  passwordHash = await hashPassword(PASSWORD);
});
beforeEach(async () => {
  await test.empty();
  await createUser(
    test.ctx.store,
    { email: 'ann@example.org', name: 'Ann', role: 'support', passwordHash },
    { now: Date.now() },
  );
});
afterAll(() => test.close());

const attempt = (email: string, password: string, address = '198.51.100.1') =>
  signIn({ email, password, address });

const audited = async (): Promise<Record<string, unknown>[]> => {
  const entries = await test.storeRedis.xrange('keyward:audit', '-', '+');
  return entries.map(
    ([, fields]) => JSON.parse(fields[fields.indexOf('entry') + 1]!) as Record<string, unknown>,
  );
};

describe('the answer', () => {
  it('is the user for the right password, whatever the case of the address', async () => {
    expect(await attempt(' Ann@Example.ORG ', PASSWORD)).toMatchObject({ ok: true, user: { name: 'Ann' } });
    expect((await findUserByEmail(test.ctx.store, 'ann@example.org'))?.lastSeenAt).not.toBeNull();
  });

  it('hashes with argon2id and the OWASP parameters', () => {
    expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('is the same after the same work for unknown, wrong and disabled', async () => {
    const { id } = (await findUserByEmail(test.ctx.store, 'ann@example.org'))!;
    counted.verifications = 0;
    expect(await attempt('ann@example.org', 'wrong')).toEqual({ ok: false, reason: 'refused' });
    expect(counted.verifications).toBe(1);
    expect(await attempt('nobody@example.org', 'wrong')).toEqual({ ok: false, reason: 'refused' });
    expect(counted.verifications).toBe(2);
    await updateUser(test.ctx.store, id, { disabled: true });
    expect(await attempt('ann@example.org', PASSWORD)).toEqual({ ok: false, reason: 'refused' });
    expect(counted.verifications).toBe(3);
  });
});

describe('the audit log', () => {
  it('names who signed in and who failed, and never what may be a password', async () => {
    await attempt('ann@example.org', PASSWORD);
    await attempt('Ann@example.org', 'wrong-password-1');
    await attempt('hunter2-typed-here', 'x');
    await attempt(`${'a'.repeat(300)}@example.org`, 'x');
    expect(await audited()).toMatchObject([
      { action: 'session.signIn', outcome: 'succeeded', target: 'ann@example.org', actor: 'ann@example.org' },
      { action: 'session.signIn', outcome: 'failed', target: 'ann@example.org', actor: 'anonymous' },
      { outcome: 'failed', target: '(not an e-mail address)' },
      { outcome: 'failed', target: '(not an e-mail address)' },
    ]);
    const all = JSON.stringify(await audited());
    for (const secret of [PASSWORD, 'wrong-password-1', 'hunter2', 'aaaa']) expect(all).not.toContain(secret);
    expect(all).toContain('from 198.51.100.1');
  });
});

describe('the throttle', () => {
  it('lets five failures of an account through from a network, then asks to wait there and nowhere else', async () => {
    const refused = { ok: false, reason: 'refused' };
    for (let i = 0; i < 6; i++) expect(await attempt('ann@example.org', 'wrong')).toEqual(refused);
    const waits = { ok: false, reason: 'throttled', retryAfterSeconds: 1 };
    // The right password has to wait too, and an unknown account is throttled alike.
    expect(await attempt('ANN@example.org', PASSWORD)).toEqual(waits);
    expect(await attempt('ann@example.org', PASSWORD, '198.51.100.9')).toMatchObject({ ok: true });
    for (let i = 0; i < 6; i++) await attempt('nobody@example.org', 'wrong', '198.51.101.1');
    expect(await attempt('nobody@example.org', 'wrong', '198.51.101.1')).toEqual(waits);
  });

  it('lets ten failures of an address through, whatever the account', async () => {
    for (let i = 0; i < 11; i++) await attempt(`user${i}@example.org`, 'wrong');
    expect(await attempt('ann@example.org', PASSWORD)).toMatchObject({ reason: 'throttled' });
    expect(await attempt('ann@example.org', PASSWORD, '198.51.100.2')).toMatchObject({ ok: true });
  });

  it('counts attempts at once before any of them has failed', async () => {
    counted.verifications = 0;
    const all = await Promise.all(Array.from({ length: 40 }, () => attempt('ann@example.org', 'wrong')));
    expect(all.filter((each) => !each.ok && each.reason === 'refused')).toHaveLength(6);
    expect(counted.verifications).toBe(6);
  });

  it('starts again for an account after a successful sign-in', async () => {
    for (let i = 0; i < 5; i++) await attempt('ann@example.org', 'wrong');
    expect(await attempt('ann@example.org', PASSWORD)).toMatchObject({ ok: true });
    for (let i = 0; i < 4; i++) {
      expect(await attempt('ann@example.org', 'wrong')).toMatchObject({ reason: 'refused' });
    }
  });

  it('doubles the wait up to 15 minutes, forgets one failure each 10 minutes, all after a day', async () => {
    const bucket = strangerBuckets('ann@example.org', '198.51.100.1').slice(0, 1);
    let now = Date.parse('2026-05-05T12:00:00Z');
    const take = () => takeAttempt(test.ctx.store, bucket, now);
    for (let i = 0; i < 6; i++) expect(await take()).toBe(0);
    const waits: number[] = [];
    for (let i = 0; i < 13; i++) {
      const wait = await take();
      waits.push(wait);
      now += wait * 1000;
      expect(await take()).toBe(0);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
    // 19 failures. The wait passes, then 100 minutes: 10 are forgotten, this one is the tenth.
    now += 115 * 60_000;
    expect(await take()).toBe(0);
    expect(await take()).toBe(16);
    const [key] = await test.storeRedis.keys('keyward:throttle:*');
    expect(await test.storeRedis.pttl(key!)).toBeGreaterThan(23 * 3_600_000);
  });

  it('makes networks that go on guessing share one attempt a minute, and no newcomer wait for them', async () => {
    let now = Date.parse('2026-05-05T12:00:00Z');
    const take = (network: number) =>
      takeAttempt(test.ctx.store, strangerBuckets('ann@example.org', `198.51.100.${network}`), now);
    for (let i = 0; i < 3 * 37; i++) expect(await take(i % 37)).toBe(0);
    // None of them is a newcomer any more.
    const wait = await take(36);
    expect(wait).toBe(60);
    now += (wait - 1) * 1000;
    expect(await take(36)).toBe(1);
    now += 1000;
    expect(await take(36)).toBe(0);
    expect(await take(35)).toBe(60);
    for (let i = 0; i < 3; i++) expect(await take(200)).toBe(0);
    expect(await take(200)).toBe(60);
  });

  it('counts a whole IPv6 network as one address and keeps no address in a key', async () => {
    const now = Date.now();
    const take = (email: string, address: string) =>
      takeAttempt(test.ctx.store, strangerBuckets(email, address), now);
    for (let i = 0; i < 11; i++) expect(await take(`user${i}@example.org`, `2001:db8::${i}`)).toBe(0);
    expect(await take('ann@example.org', '2001:db8::ffff')).toBe(1);
    expect(await take('ann@example.org', '2001:db8:0:1::1')).toBe(0);
    await attempt('ann@example.org', 'wrong');
    expect((await test.storeRedis.keys('*')).join()).not.toMatch(/2001|198\.51|ann|example/);
  });
});
