import { expect, it } from 'vitest';
import { distinct } from './distinct';

it('takes each element once, and remembers the latest only', () => {
  const isNew = distinct(4);
  const taken = (text: string) => [...text].filter((letter) => isNew(Buffer.from(letter))).join('');
  expect(taken('aabab')).toBe('ab');
  expect(taken('cbad')).toBe('cd');
  expect(taken('dcba')).toBe('ba');
});
