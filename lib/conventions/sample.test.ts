import { expect, it } from 'vitest';
import type { IdentifiedKey } from '@/lib/command/identify-keys';
import { Sample } from './sample';

const found: IdentifiedKey = { family: null, malformedOf: null, type: null, isSettled: true };
const keysOf = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({ key: Buffer.from(`${prefix}:${i}`), found }));
const fault = { family: null, detail: 'value: a JWT', isSettled: true };

/** Every key that is looked at has a secret. */
const search = (keys: ReturnType<typeof keysOf>) => {
  const sample = new Sample();
  let looked = 0;
  for (const key of keys) {
    if (!sample.takes(key)) continue;
    looked += 1;
    sample.add(key, fault);
  }
  return {
    looked,
    names: sample
      .faults()
      .map(({ key }) => key!.toString())
      .sort(),
  };
};

it('is the same whatever the order of the keys', () => {
  const keys = [...keysOf('cart', 4000), ...keysOf('user', 30)];
  const { names, looked } = search(keys);
  expect(names).toHaveLength(50 + 30);
  expect(names.filter((name) => name.startsWith('user:'))).toHaveLength(30);
  for (const other of [keys.toReversed(), [...keys.slice(1999), ...keys.slice(0, 1999)]])
    expect(search(other).names).toEqual(names);
  // Fifty, and with each further 2.7-fold of the keys fifty more.
  expect(looked).toBeLessThan(500);
});

it('is bounded, whatever the keys are', { tags: ['long'] }, () => {
  const groups = Array.from({ length: 900 }, (_, i) => keysOf(`prefix${i}`, 40)).flat();
  expect(search(groups).looked).toBe(10_000);
});

it('forgets what was found in a key that others have taken the place of, and keeps no long name', () => {
  const [first, ...others] = keysOf('cart', 4000);
  const sample = new Sample();
  expect(sample.takes(first!)).toBe(true);
  for (const key of others) sample.takes(key);
  sample.add(first!, fault);
  const last = search([first!, ...others]).names.includes('cart:0');
  expect(sample.faults()).toHaveLength(last ? 1 : 0);
  const long = { key: Buffer.alloc(5000, 'x'), found };
  expect(sample.takes(long)).toBe(true);
  sample.add(long, fault);
  expect(sample.faults().at(-1)).toMatchObject({ key: null });
});
