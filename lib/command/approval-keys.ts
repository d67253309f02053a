import 'server-only';
import type { FamilyRole } from '@/lib/keyspace/roles';
import type { Key } from '@/lib/redis/commands';
import { approvalRequiredForKeys } from './approval';
import { approvalRule, connectionsOfDatabase, patternFor } from './approval-rule';
import { catalogOf, type ReadContext } from './context';
import { FEATURES } from './features';

/** Keys of operations that need approval: no other operation may change them without, or it would be a way around. */

export const MATCHES_NONE = (): boolean => false;

type Ruled = Pick<ReadContext, 'connection' | 'isApproved'>;

/** The roles of families that operations under the rule change, each with the pattern of the rule. */
export const ruledRoles = ({
  connection,
  isApproved,
}: Ruled): ReadonlyMap<FamilyRole | undefined, string> => {
  const rule = approvalRule(connection);
  if (isApproved || rule.operations.length === 0) return new Map();
  const changes = FEATURES.filter((feature) => feature.changes !== undefined && !feature.anyKey);
  return new Map(
    changes.flatMap(({ operations, roles = [] }) => {
      const pattern = patternFor(rule, operations);
      return pattern === null ? [] : roles.map((role) => [role, pattern] as const);
    }),
  );
};

/** A key's pattern of the rule; null where this context may change it. */
const patternOfKey = (ctx: Ruled): ((key: Key) => string | null) => {
  const roles = ruledRoles(ctx);
  if (roles.size === 0) return () => null;
  // By the catalogs of all connections to the database: this one's may not have the family.
  const catalogs = connectionsOfDatabase(ctx.connection).map(catalogOf);
  return (key) => {
    for (const catalog of catalogs) {
      const { family, malformedOf, candidate } = catalog.locate(key);
      const pattern = roles.get((family ?? malformedOf ?? candidate)?.role);
      if (pattern !== undefined) return pattern;
    }
    return null;
  };
};

/** Matches the keys that this context may not change without approval. */
export const ruledKeyMatcher = (ctx: Ruled): ((key: Key) => boolean) => {
  if (ruledRoles(ctx).size === 0) return MATCHES_NONE;
  const patternOf = patternOfKey(ctx);
  return (key) => patternOf(key) !== null;
};

/** 409 if a change of one of these keys needs approval. */
export const refuseRuledKeys = (ctx: Ruled, keys: readonly Key[]): void => {
  const patternOf = patternOfKey(ctx);
  const pattern = keys.map(patternOf).find((found) => found !== null);
  if (pattern) throw approvalRequiredForKeys(ctx.connection.config.id, pattern);
};
