import { expect, it } from 'vitest';
import { withFields } from './with-fields';

interface Counts {
  matched: number;
  left: number | null;
}

it('is the object itself where it has all fields, also those that are null', () => {
  const counts: unknown = { matched: 2, left: null, other: 1 };
  expect(withFields<Counts>(counts, 'matched', 'left')).toBe(counts);
});

it.each([undefined, null, 'matched', [], { matched: 2 }])('is null for %j', (value) => {
  expect(withFields<Counts>(value, 'matched', 'left')).toBeNull();
});
