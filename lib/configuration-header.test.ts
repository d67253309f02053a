import { describe, expect, it } from 'vitest';
import { ConfigurationError, readEnv } from './configuration';

const BASE = {
  REDIS_URL: 'redis://127.0.0.1:1',
  KEYWARD_TRUSTED_PROXIES: '10.0.0.0/8',
  KEYWARD_HEADER_USER: 'X-Forwarded-Email',
  KEYWARD_HEADER_GROUPS: 'X-Forwarded-Groups',
  KEYWARD_HEADER_ROLES: 'keyward-admins=admin, On call=support',
};
const wrong = (change: Record<string, string>): string[] => {
  try {
    readEnv({ ...BASE, ...change });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems.map(({ variable }) => variable);
    throw error;
  }
  return [];
};

describe('sign-in by headers of a proxy', () => {
  it('is read', () => {
    expect(readEnv({ ...BASE, KEYWARD_HEADER_SIGN_OUT_URL: '/oauth2/sign_out' }).header).toEqual({
      user: 'x-forwarded-email',
      groups: 'x-forwarded-groups',
      roles: [
        { group: 'keyward-admins', role: 'admin' },
        { group: 'On call', role: 'support' },
      ],
      defaultRole: null,
      signOutUrl: '/oauth2/sign_out',
    });
    expect(readEnv({ REDIS_URL: BASE.REDIS_URL }).header).toBeNull();
  });

  it.each<[string, Record<string, string>, string[]]>([
    ['needs trusted proxies', { KEYWARD_TRUSTED_PROXIES: '' }, ['KEYWARD_TRUSTED_PROXIES']],
    ['needs the header of the user', { KEYWARD_HEADER_USER: '' }, ['KEYWARD_HEADER_USER']],
    ['needs roles for groups', { KEYWARD_HEADER_ROLES: '' }, ['KEYWARD_HEADER_ROLES']],
    ['needs groups for roles', { KEYWARD_HEADER_GROUPS: '' }, ['KEYWARD_HEADER_GROUPS']],
    ['needs a role', { KEYWARD_HEADER_GROUPS: '', KEYWARD_HEADER_ROLES: '' }, ['KEYWARD_HEADER_ROLES']],
    [
      'takes a role for everybody',
      { KEYWARD_HEADER_GROUPS: '', KEYWARD_HEADER_ROLES: '', KEYWARD_HEADER_DEFAULT_ROLE: 'viewer' },
      [],
    ],
    ['takes no header that clients send', { KEYWARD_HEADER_USER: 'Cookie' }, ['KEYWARD_HEADER_USER']],
    ['takes no header of the chain', { KEYWARD_HEADER_GROUPS: 'x-forwarded-for' }, ['KEYWARD_HEADER_GROUPS']],
    ['takes no other text for a name', { KEYWARD_HEADER_USER: 'Remote User' }, ['KEYWARD_HEADER_USER']],
    ['takes no unknown role', { KEYWARD_HEADER_ROLES: 'a=root' }, ['KEYWARD_HEADER_ROLES']],
    [
      'takes no address of another kind',
      { KEYWARD_HEADER_SIGN_OUT_URL: '//evil.example' },
      ['KEYWARD_HEADER_SIGN_OUT_URL'],
    ],
    [
      'takes no script',
      { KEYWARD_HEADER_SIGN_OUT_URL: 'javascript:alert(1)' },
      ['KEYWARD_HEADER_SIGN_OUT_URL'],
    ],
    [
      'excludes a provider',
      {
        KEYWARD_OIDC_ISSUER: 'https://login.example.org',
        KEYWARD_OIDC_CLIENT_ID: 'keyward',
        KEYWARD_OIDC_CLIENT_SECRET: 'secret',
        KEYWARD_OIDC_DEFAULT_ROLE: 'viewer',
      },
      ['KEYWARD_HEADER_USER'],
    ],
    [
      'takes break-glass accounts',
      {
        KEYWARD_LOCAL_ACCOUNTS: 'break-glass',
        KEYWARD_ADMIN_EMAIL: 'root@example.org',
        KEYWARD_ADMIN_PASSWORD: 'correct horse',
      },
      [],
    ],
  ])('%s', (_, change, expected) => expect(wrong(change)).toEqual(expected));
});
