/** Roles and permissions in one table: isomorphic, so that pages hide what the server would refuse. */

export const ROLES = ['admin', 'support', 'product', 'viewer', 'evaluator'] as const;
export type Role = (typeof ROLES)[number];

/** Roles a user can have; `evaluator` is for API tokens only. */
export const USER_ROLES = ['admin', 'support', 'product', 'viewer'] as const;
export type UserRole = (typeof USER_ROLES)[number];

const EVERYONE: readonly Role[] = ['admin', 'support', 'product', 'viewer'];
const ADMIN: readonly Role[] = ['admin'];
const ADMIN_SUPPORT: readonly Role[] = ['admin', 'support'];
const ADMIN_PRODUCT: readonly Role[] = ['admin', 'product'];
const STAFF: readonly Role[] = ['admin', 'support', 'product'];

const TABLE = {
  view: EVERYONE,
  'keys:view': STAFF,
  'live:view': STAFF,
  'sessions:view': ADMIN_SUPPORT,
  'sessions:revoke': ADMIN_SUPPORT,
  'guard:view': ADMIN_SUPPORT,
  'flags:view': EVERYONE,
  'flags:toggle': ADMIN_PRODUCT,
  'flags:approve': ADMIN_PRODUCT,
  'flags:evaluate': ['admin', 'evaluator'],
  'caches:sample': ADMIN_PRODUCT,
  'caches:invalidate': ADMIN_PRODUCT,
  'analysis:run': ADMIN_PRODUCT,
  'guard:write': ADMIN,
  'keys:write': ADMIN,
  'live:publish': ADMIN,
  'caches:invalidate-sensitive': ADMIN,
  'env:view': ADMIN,
  'env:reveal': ADMIN,
  'env:write': ADMIN,
  'audit:view': ADMIN,
  'users:manage': ADMIN,
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof TABLE;

/** What an operation requires: a permission, any signed-in user or token, or nothing. */
export type Access = Permission | 'signed-in' | 'public';

export const PERMISSIONS = Object.keys(TABLE) as Permission[];

export const may = (role: Role, permission: Permission): boolean =>
  (TABLE[permission] as readonly Role[]).includes(role);

/** Whether `role` satisfies `access`. `null` is a caller without credentials. */
export const allows = (role: Role | null, access: Access): boolean => {
  if (access === 'public') return true;
  if (role === null) return false;
  return access === 'signed-in' ? true : may(role, access);
};

export const isRole = (value: unknown): value is Role =>
  typeof value === 'string' && (ROLES as readonly string[]).includes(value);

/**
 * The most powerful role whose permissions both roles include, because of some pairs neither role is the lower one.
 * Null without one.
 */
export const lowerRole = (a: Role, b: Role): Role | null => {
  if (a === b) return a;
  const both = PERMISSIONS.filter((permission) => may(a, permission) && may(b, permission));
  const within = ROLES.filter((role) =>
    PERMISSIONS.every((permission) => !may(role, permission) || both.includes(permission)),
  );
  const size = (role: Role) => PERMISSIONS.filter((permission) => may(role, permission)).length;
  return within.sort((left, right) => size(right) - size(left))[0] ?? null;
};
