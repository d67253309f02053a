import { expect, it } from 'vitest';
import { proposedName } from './proposed-name';

it.each([
  ['user_profile_12345', 'user:profile:12345'],
  ['UserProfile:12345', 'user:profile:12345'],
  ['user:profile:', 'user:profile'],
  ['::user::profile::1', 'user:profile:1'],
  ['cache/query/AbC123', 'cache:query:AbC123'],
  ['Shop:{User_1}:cart_items', 'shop:{User_1}:cart_items'],
  ['ПользовательИмя:1', 'пользователь:имя:1'],
  ['cache:query:md5hash', null],
  ['12345', null],
  ['___', null],
])('%s becomes %s', (name, wanted) => {
  expect(proposedName(Buffer.from(name))?.toString() ?? null).toBe(wanted);
});

it('proposes nothing for a name that is no text', () => {
  expect(proposedName(Buffer.from([0x41, 0xff, 0x5f]))).toBeNull();
});
