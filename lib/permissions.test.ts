import { expect, it } from 'vitest';
import { lowerRole, may, PERMISSIONS, ROLES } from './permissions';

const permissionsOf = (role: (typeof ROLES)[number]) =>
  PERMISSIONS.filter((permission) => may(role, permission));

it('finds the lower of two roles, which may do nothing that one of them may not', () => {
  for (const a of ROLES)
    for (const b of ROLES) {
      const lower = lowerRole(a, b);
      expect(lowerRole(b, a)).toBe(lower);
      for (const permission of lower ? permissionsOf(lower) : [])
        expect(may(a, permission) && may(b, permission)).toBe(true);
    }
  expect(lowerRole('admin', 'admin')).toBe('admin');
  expect(lowerRole('admin', 'product')).toBe('product');
  expect(lowerRole('admin', 'evaluator')).toBe('evaluator');
  // Neither is the lower one: what both may is all that is left.
  expect(lowerRole('support', 'product')).toBe('viewer');
  expect(lowerRole('viewer', 'evaluator')).toBeNull();
});
