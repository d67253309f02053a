import { expect, it } from 'vitest';
import { filterOf } from '@/components/contract-list/declare-list';
import { OAUTH_TOKENS, SIGN_IN_FLOWS, VERIFICATION_TOKENS } from './token-lists';

const URL = { user: '#5', provider: 'google', kind: 'access', type: 'email_change', within: '3600' };

it('asks each list only for what its tokens have', () => {
  expect(OAUTH_TOKENS.inputOf?.(filterOf(OAUTH_TOKENS, URL))).toEqual({
    userId: '5',
    provider: 'google',
    kind: 'access',
    expiringWithinSeconds: 3600,
  });
  expect(VERIFICATION_TOKENS.inputOf?.(filterOf(VERIFICATION_TOKENS, URL))).toEqual({
    userId: '5',
    type: 'email_change',
    expiringWithinSeconds: 3600,
  });
  expect(SIGN_IN_FLOWS.inputOf?.(filterOf(SIGN_IN_FLOWS, URL))).toEqual({
    provider: 'google',
    expiringWithinSeconds: 3600,
  });
});

it('leaves out what cannot be', () => {
  const url = { ...URL, user: 'li[we*', kind: 'other', within: '0' };
  expect(OAUTH_TOKENS.inputOf?.(filterOf(OAUTH_TOKENS, url))).toEqual({ provider: 'google' });
  expect(OAUTH_TOKENS.instead?.isNeeded(filterOf(OAUTH_TOKENS, url))).toBe(true);
});
