import 'server-only';
import type { OidcSettings } from '@/lib/configuration';
import type { UserRole } from './users';

export type Claims = Readonly<Record<string, unknown>>;

/** Groups that are looked at, and their length: providers send up to some hundred. */
const MAX_GROUPS = 1000;
const MAX_LENGTH = 256;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A claim by its name, which may have dots in it (a URL), otherwise by a path through nested claims. */
export const claimAt = (claims: Claims, path: string): unknown => {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      claims,
    );
};

/** The groups of a claim: a list, or a string of one or several. */
export const groupsIn = (value: unknown): string[] => {
  const list =
    typeof value === 'string' ? [value, ...value.split(/[\s,]+/)] : Array.isArray(value) ? value : [];
  return list
    .slice(0, MAX_GROUPS)
    .filter(
      (group): group is string => typeof group === 'string' && group !== '' && group.length <= MAX_LENGTH,
    );
};

/**
 * Whether a provider left the groups out because there are too many, and names where to ask for them (Microsoft Entra:
 * OpenID Connect Core 1.0, section 5.6.2, distributed claims).
 */
export const hasTooManyGroups = (claims: Claims, path: string): boolean => {
  const names = claims._claim_names;
  return isRecord(names) && Object.hasOwn(names, path);
};

/** The role of somebody: that of the first group in the configuration's order. Null where none applies. */
export const roleOf = (claims: Claims, { roleClaim, ...settings }: OidcSettings): UserRole | null =>
  roleOfGroups(groupsIn(claimAt(claims, roleClaim)), settings);

export const roleOfGroups = (
  given: readonly string[],
  { roles, defaultRole }: Pick<OidcSettings, 'roles' | 'defaultRole'>,
): UserRole | null => {
  const groups = new Set(given);
  return roles.find(({ group }) => groups.has(group))?.role ?? defaultRole;
};

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,189}$/;

export interface Identity {
  /** Who it is at the issuer, for ever: addresses and names change. */
  subject: string;
  /** Lower-cased. */
  email: string;
  /** Whether the provider vouches for the address. */
  isVerified: boolean;
  name: string;
}

/** Who the claims are about; null without a subject or an address. */
export const identityIn = (claims: Claims): Identity | null => {
  const { iss, sub, email, email_verified: verified, preferred_username: username, name } = claims;
  if (typeof iss !== 'string' || typeof sub !== 'string' || sub === '' || sub.length > MAX_LENGTH)
    return null;
  const isAddress = (value: unknown): value is string => typeof value === 'string' && EMAIL.test(value);
  // Microsoft Entra sends the address of many accounts only as the user name, for which it does not vouch.
  const address = [email, username].find(isAddress);
  if (!address) return null;
  const named =
    typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 100) : address.split('@')[0]!;
  return {
    subject: `${iss} ${sub}`,
    email: address.toLowerCase(),
    isVerified: address === email && (verified === true || verified === 'true'),
    name: named,
  };
};
