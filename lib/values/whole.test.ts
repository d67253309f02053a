import { expect, it } from 'vitest';
import { exactly, sumOf, wholeOf } from './whole';

const LARGE = '9007199254740993';

it('keeps every digit of a whole number', () => {
  expect(exactly(wholeOf(LARGE))).toEqual({ value: 9007199254740992, exact: LARGE });
  expect(exactly(wholeOf('9007199254740991'))).toEqual({ value: 9007199254740991, exact: null });
});

it('adds without rounding, in both directions over the limit', () => {
  expect(sumOf(9007199254740991, 2)).toBe(BigInt(LARGE));
  expect(sumOf(wholeOf(LARGE), -2)).toBe(9007199254740991);
  expect(sumOf(wholeOf(LARGE), wholeOf(`-${LARGE}`))).toBe(0);
});
