import { describe, expect, it } from 'vitest';
import { newPassword } from './new-password';

describe('a new password', () => {
  it('has 20 unambiguous characters, and is never the same', () => {
    const made = Array.from({ length: 500 }, newPassword);
    expect(
      made.filter((password) => !/^[a-km-zA-HJ-NP-Z2-9]{20}$/.test(password) || /o/.test(password)),
    ).toEqual([]);
    expect(new Set(made).size).toBe(500);
  });
});
