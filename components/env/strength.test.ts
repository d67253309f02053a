import { describe, expect, it } from 'vitest';
import { strengthOf } from './strength';

describe('the strength of a passphrase', () => {
  it.each([
    ['eleven char', 'short'],
    ['aaaaaaaaaaaaaaaa', 'weak'],
    ['121212121212', 'weak'],
    ['walk walk walk walk', 'weak'],
    ['one two three four', 'fair'],
    ['correct horse battery staple gravel onion', 'strong'],
    ['qK7!vn2Zp#0w', 'strong'],
  ])('%s is %s', (passphrase, strength) => {
    expect(strengthOf(passphrase)).toBe(strength);
  });
});
