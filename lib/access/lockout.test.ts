import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { HOUR, MINUTE } from '@/lib/time';
import { type TestContext, testContext } from '@/scripts/testing/context';
import { signIn } from './sign-in';
import { createUser } from './users';

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
  const user = { email: 'ann@example.org', name: 'Ann', role: 'admin' as const };
  await createUser(test.ctx.store, { ...user, passwordHash: `plain:${PASSWORD}` }, { now: Date.now() });
});
afterAll(() => test.close());

const BEGIN = Date.parse('2026-05-05T00:00:00Z');
const right = (address: string, now: number) =>
  signIn({ email: 'ann@example.org', password: PASSWORD, address }, now);

/** Strangers who guess from networks of their own, each again as soon as it was told it may. */
const strangers = (networks: number) => {
  const next = Array.from({ length: networks }, () => 0);
  let guesses = 0;
  const guess = async (network: number, now: number): Promise<boolean> => {
    const address = `203.0.113.${network}`;
    const answer = await signIn({ email: 'ann@example.org', password: 'wrong', address }, now);
    if (answer.ok || answer.reason === 'refused') return true;
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
  it.each([1, 50])(
    'from %i networks keeps nobody out who knows the password',
    async (networks) => {
      const attack = strangers(networks);
      const refused = { atHome: 0, elsewhere: 0 };
      for (let minute = 0; minute < (24 * HOUR) / MINUTE; minute++) {
        const now = BEGIN + minute * MINUTE;
        await attack.guessAll(now);
        if (!(await right('198.51.100.1', now)).ok) refused.atHome++;
        if (!(await right(`192.0.${minute >> 8}.${minute & 255}`, now)).ok) refused.elsewhere++;
      }
      expect(refused).toEqual({ atHome: 0, elsewhere: 0 });
      expect(attack.guesses()).toBeLessThan(networks === 1 ? 160 : 1440 + 100 + 3 * networks);
    },
    120_000,
  );
});
