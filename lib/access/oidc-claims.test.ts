import { describe, expect, it } from 'vitest';
import type { OidcSettings } from '@/lib/configuration';
import { claimAt, groupsIn, hasTooManyGroups, identityIn, roleOf } from './oidc-claims';

const SETTINGS: OidcSettings = {
  issuer: 'https://login.example.org',
  clientId: 'keyward',
  clientSecret: 'secret',
  name: 'Example',
  scope: 'openid',
  roleClaim: 'groups',
  roles: [
    { group: 'admins', role: 'admin' },
    { group: 'support', role: 'support' },
  ],
  defaultRole: null,
};
const role = (claims: Record<string, unknown>, change: Partial<OidcSettings> = {}) =>
  roleOf(claims, { ...SETTINGS, ...change });

describe('the role of somebody', () => {
  it.each<[string, Record<string, unknown>, Partial<OidcSettings>, string | null]>([
    ['a list, as Keycloak sends groups', { groups: ['staff', 'support'] }, {}, 'support'],
    [
      'nested roles of Keycloak',
      { realm_access: { roles: ['admins'] } },
      { roleClaim: 'realm_access.roles' },
      'admin',
    ],
    ['application roles of Entra', { roles: ['admins'] }, { roleClaim: 'roles' }, 'admin'],
    [
      'ids of groups of Entra',
      { groups: ['8f2c'] },
      { roles: [{ group: '8f2c', role: 'product' }] },
      'product',
    ],
    [
      'a claim whose name has dots',
      { 'https://example.org/roles': ['admins'] },
      { roleClaim: 'https://example.org/roles' },
      'admin',
    ],
    ['a string', { groups: 'support' }, {}, 'support'],
    ['a string of several', { groups: 'staff, support admins' }, {}, 'admin'],
    [
      'a string with a blank in one name',
      { groups: 'On call' },
      { roles: [{ group: 'On call', role: 'viewer' }] },
      'viewer',
    ],
    ['the first of the configuration, not of the claim', { groups: ['support', 'admins'] }, {}, 'admin'],
    ['no claim, as Google sends none', { hd: 'example.org' }, {}, null],
    ['no claim, with a role for everybody', { hd: 'example.org' }, { defaultRole: 'viewer' }, 'viewer'],
    ['no group of ours', { groups: ['staff'] }, {}, null],
    ['numbers, nulls and lists in a list', { groups: [1, null, ['admins'], {}] }, {}, null],
    ['an object', { groups: { admins: true } }, {}, null],
    [
      'what every object has',
      {},
      { roleClaim: 'constructor.name', roles: [{ group: 'Object', role: 'admin' }] },
      null,
    ],
    ['more groups than are looked at', { groups: [...Array(1000).fill('x'), 'admins'] }, {}, null],
  ])('of %s', (_, claims, change, expected) => expect(role(claims, change)).toBe(expected));

  it('is unknown where Entra sends a reference in place of too many groups', () => {
    const claims = {
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: 'https://graph' } },
    };
    expect(hasTooManyGroups(claims, 'groups')).toBe(true);
    expect(hasTooManyGroups({ groups: [] }, 'groups')).toBe(false);
  });
});

it('reads a claim and its groups without failing on any value', () => {
  for (const value of [undefined, null, 7, true, '', [], {}, 'a'.repeat(10_000)])
    expect(groupsIn(claimAt({ a: { b: value } }, 'a.b')).every((group) => group.length <= 256)).toBe(true);
});

describe('the identity', () => {
  const plain = { iss: 'https://login.example.org', sub: '248', email: 'Ann@Example.org' };
  it.each<[string, Record<string, unknown>, object | null]>([
    [
      'plain',
      { ...plain, email_verified: true, name: ' Ann ' },
      { email: 'ann@example.org', isVerified: true, name: 'Ann' },
    ],
    ['without a name', plain, { isVerified: false, name: 'Ann' }],
    ['verified as text', { ...plain, email_verified: 'true' }, { isVerified: true }],
    [
      'an address only as the user name',
      { ...plain, email: undefined, email_verified: true, preferred_username: 'ann@corp.example' },
      { email: 'ann@corp.example', isVerified: false },
    ],
    ['without an address', { ...plain, email: 'ann' }, null],
    ['without a subject', { ...plain, sub: undefined }, null],
    ['a subject that is no text', { ...plain, sub: 248 }, null],
    ['without an issuer', { ...plain, iss: undefined }, null],
  ])('%s', (_, claims, expected) => {
    const identity = identityIn(claims);
    if (expected === null) expect(identity).toBeNull();
    else expect(identity).toMatchObject({ subject: 'https://login.example.org 248', ...expected });
  });
});
