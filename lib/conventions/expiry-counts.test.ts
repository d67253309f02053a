import { expect, test } from 'vitest';
import { ExpiryCounts } from './expiry-counts';

const AT = 1_700_000_000_000;
const secondsFrom = (i: number): number => 100_000 + 1000 * i;

test('names of keys are kept in bounded memory, and keys with longer names are counted', () => {
  const counts = new ExpiryCounts();
  const long = Buffer.alloc(2 ** 20, 'x');
  for (let i = 0; i < 30; i++) counts.add('shop.cart', long, secondsFrom(0), AT);
  for (let i = 0; i < 30; i++) counts.add('shop.user', Buffer.from('user:1'), secondsFrom(0), AT);
  const [cart, user] = counts.shared({ maxExpiringTogether: 0.1 });
  expect(cart).toMatchObject({ family: 'shop.cart', of: 30, seconds: [{ keys: 30, sample: null }] });
  expect(user!.seconds[0]!.sample?.toString()).toBe('user:1');
});

test('counts are lower bounds once there are more seconds than are counted', () => {
  const counts = new ExpiryCounts();
  const key = Buffer.from('user:1');
  for (let i = 0; i < 10_000; i++) counts.add(null, key, secondsFrom(0), AT);
  expect(counts.shared({ maxExpiringTogether: 0.1 })[0]!.isExact).toBe(true);
  for (let i = 0; i < 10_000; i++) counts.add(null, key, secondsFrom(i), AT);
  const [one] = counts.shared({ maxExpiringTogether: 0.1 });
  expect(one).toMatchObject({ of: 20_000, isExact: false });
  expect(one!.seconds).toHaveLength(1);
  expect(one!.seconds[0]!.keys).toBeLessThanOrEqual(10_001);
  expect(one!.seconds[0]!.keys).toBeGreaterThan(10_001 - 20_000 / 4096);
});
