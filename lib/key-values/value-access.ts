import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Family } from '@/lib/keyspace/family';
import { isOwn } from '@/lib/keyspace/guarded';
import { MASK } from '@/lib/keyspace/mask';
import type { FamilyRole } from '@/lib/keyspace/roles';
import { isDescribedSecret, isSecretKeyName, isSecretName } from '@/lib/keyspace/secret-name';
import { may, type Permission } from '@/lib/permissions';
import type { Key } from '@/lib/redis/commands';
import { partIn } from '@/lib/role-keys/part-in-key';
import type { KeyIdentity } from './identity';
import { holdsSecrets } from './secrecy';
import { type MaskRules, REVEALED } from './secret-spans';

interface TypedPage {
  page: string;
  needs: Permission;
}

const SESSIONS: TypedPage = { page: 'sessions', needs: 'sessions:view' };
const TOKENS: TypedPage = { page: 'tokens', needs: 'sessions:view' };
const GUARD: TypedPage = { page: 'guard', needs: 'guard:view' };
const ENV: TypedPage = { page: 'env', needs: 'env:view' };
const FLAGS: TypedPage = { page: 'flags', needs: 'flags:view' };

/** The pages made for roles. Whoever may not see the page does not see the value here either. */
const PAGES: Partial<Record<FamilyRole, TypedPage>> = {
  session: SESSIONS,
  'session-index': SESSIONS,
  'legacy-session': SESSIONS,
  'access-token': TOKENS,
  'refresh-token': TOKENS,
  'sign-in-state': TOKENS,
  'verification-token': TOKENS,
  variable: ENV,
  flag: FLAGS,
  'block-list': GUARD,
  'ban-list': GUARD,
  'request-counts': GUARD,
  'period-request-counts': GUARD,
  'rate-limit': GUARD,
  'project-metrics': GUARD,
};

/** The console's own records include the audit log. */
const OWN_NEEDS = 'audit:view' satisfies Permission;

/** Roles whose values the catalog calls secret, and of which a part is shown: the rest is masked. */
const PARTLY_SHOWN: ReadonlySet<FamilyRole> = new Set<FamilyRole>(['variable', 'flag', 'session-index']);

/** The name of a variable, and whether it is a flag; null for other keys. */
const variableOf = ({ family, params }: KeyIdentity): { name: string; isFlag: boolean } | null => {
  if (family?.role !== 'variable') return null;
  const flag = family.part('flag');
  const name = partIn(family, params, 'name') ?? '';
  const prefix = flag && 'param' in flag ? flag.prefix : undefined;
  return { name, isFlag: prefix !== undefined && name.startsWith(prefix) };
};

const pageOf = (identity: KeyIdentity): TypedPage | null => {
  if (variableOf(identity)?.isFlag) return FLAGS;
  return (identity.family?.role && PAGES[identity.family.role]) ?? null;
};

const isSecretValue = (identity: KeyIdentity): boolean => {
  const { family, state, shown } = identity;
  if (state === 'unclassified') return isSecretKeyName(shown);
  const variable = variableOf(identity);
  if (variable) return isSecretName(variable.name);
  // Of `reset:{token}` the value is part of the secret, unless the catalog says which fields are.
  if (
    family?.sensitive &&
    !family.role &&
    !family.sensitiveFields &&
    isSecretKeyName(family.pattern.replace(/\{\w+\}/g, ' '))
  )
    return true;
  return family?.sensitiveValue === true && !(family.role && PARTLY_SHOWN.has(family.role));
};

/** Whether members are tokens, or name keys that contain one. */
const hasSecretMembers = ({ catalog }: Pick<ReadContext, 'catalog'>, { family }: KeyIdentity): boolean => {
  if (family?.role === 'session-index') return true;
  const members = family?.members;
  return members !== undefined && (catalog.get(members.family)?.sensitive?.includes(members.param) ?? false);
};

/** What a caller may see of a key's value. */
export interface ValueAccess {
  hidden: 'secret' | 'permission' | null;
  /** The permission that shows the value. */
  needs: Permission | null;
  /** The page made for this family. */
  page: string | null;
  rules: MaskRules;
  /** A string that looks like a secret is one completely, as the value of a variable. */
  isSingleValue: boolean;
  secretMembers: boolean;
}

/** Decides what this caller may see of the value: the same in pages of it, decoded forms and exports. */
export const valueAccess = (
  ctx: Pick<ReadContext, 'actor' | 'catalog'>,
  identity: KeyIdentity,
): ValueAccess => {
  const { family, state, key } = identity;
  const typed = pageOf(identity);
  const needs = isOwn(ctx.catalog, key) ? OWN_NEEDS : (typed?.needs ?? null);
  const isRefused = needs !== null && (ctx.actor.role === null || !may(ctx.actor.role, needs));
  const isKnown = state === 'classified' && family !== null;
  const ofCatalog = new Set(family?.sensitiveFields);
  const byName = isKnown ? isDescribedSecret : isSecretName;
  return {
    hidden: isRefused ? 'permission' : isSecretValue(identity) ? 'secret' : null,
    needs: isRefused ? needs : null,
    page: typed?.page ?? null,
    rules: {
      strict: !isKnown || family.guarded,
      isSecretField: (name) => ofCatalog.has(name) || byName(name),
    },
    isSingleValue: family?.role === 'variable' || family?.role === 'flag',
    secretMembers: hasSecretMembers(ctx, identity),
  };
};

/**
 * As `valueAccess`, for a reveal: what only looks like a secret is shown. Null for families of which the catalog says that
 * they hold some: tokens are never needed, and variables have a page that reveals them.
 */
export const revealedAccess = (
  ctx: Pick<ReadContext, 'actor' | 'catalog'>,
  identity: KeyIdentity,
): ValueAccess | null => {
  const access = valueAccess(ctx, identity);
  const isDescribed = holdsSecrets(identity.family) || isOwn(ctx.catalog, identity.key);
  if (access.hidden === 'permission' || access.secretMembers || isDescribed) return null;
  return { ...access, hidden: null, isSingleValue: false, rules: REVEALED };
};

/** What this caller may see of a key whose family is known, without reading it. */
export const accessOf = (
  ctx: Pick<ReadContext, 'actor' | 'catalog'>,
  { key, family }: { key: Key; family: Family },
): ValueAccess =>
  valueAccess(ctx, {
    key,
    family,
    state: 'classified',
    params: family.parse(key) ?? {},
    // Its name is shown by others.
    shown: MASK,
    name: MASK,
    shownParams: {},
    secret: true,
    guessable: true,
    sensitive: family.guarded,
  });
