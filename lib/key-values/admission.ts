import 'server-only';
import { refuseRuledKeys } from '@/lib/command/approval-keys';
import type { ReadContext } from '@/lib/command/context';
import { identifyKeys } from '@/lib/command/identify-keys';
import { Problem } from '@/lib/errors';
import { displayKey, displayUnclassified } from '@/lib/keyspace/display';
import type { Family } from '@/lib/keyspace/family';
import { isOwn } from '@/lib/keyspace/guarded';
import { may, type Permission } from '@/lib/permissions';
import type { Key } from '@/lib/redis/commands';
import { APPROVAL_REQUIRED, approvalFlagMatcher } from '@/lib/values/two-person';

/** The permission to change sessions, tokens, variables and locks. */
const SENSITIVE = 'caches:invalidate-sensitive' satisfies Permission;

/** The family of a key, or the one whose prefix it has. That of a bare key follows from its fields. */
export const familyOf = async (ctx: ReadContext, key: Key): Promise<Family | null> => {
  const [found] = await identifyKeys(ctx.reader, ctx.catalog, [key]);
  return found?.family ?? found?.malformedOf ?? null;
};

/**
 * The family that a name suggests, before there is a key. A bare name belongs to its family only with that family's type;
 * without a type it may.
 */
export const familyOfName = (
  { catalog }: Pick<ReadContext, 'catalog'>,
  key: Key,
  type: string | null,
): Family | null => {
  const { family, malformedOf, candidate } = catalog.locate(key);
  if (!candidate) return family ?? malformedOf;
  return type === null || type === candidate.type ? candidate : null;
};

/** The name of a key of this type that does not exist yet, for display. */
export const shownName = ({ catalog }: Pick<ReadContext, 'catalog'>, key: Key, type: string): string => {
  const { family, candidate } = catalog.locate(key);
  const isUnclassified = candidate ? candidate.type !== type : !family;
  return isUnclassified ? displayUnclassified(key, catalog) : displayKey(key, catalog);
};

/**
 * Throws 403 for the console's own keys, and 409 for a flag that needs approval: neither may be changed as a key, by no
 * command and no undo. Also 409 for keys of operations that need approval, unless this change was approved.
 */
export const refuseProtected = (ctx: ReadContext, ...keys: readonly Key[]): void => {
  if (keys.some((key) => isOwn(ctx.catalog, key)))
    throw new Problem('forbidden', 'Keyward’s own keys cannot be changed.');
  if (keys.some(approvalFlagMatcher(ctx))) throw new Problem('approval_required', APPROVAL_REQUIRED);
  refuseRuledKeys(ctx, keys);
};

/** What changing these keys needs beyond `keys:write`. Throws as `refuseProtected`. */
export const permissionsFor = (
  ctx: ReadContext,
  keys: readonly Key[],
  families: readonly (Family | null)[],
): Permission[] => {
  refuseProtected(ctx, ...keys);
  return families.some((family) => family?.guarded) ? [SENSITIVE] : [];
};

/** As `permissionsFor` of one key, for an undo: throws 403 where its caller lacks the permission. */
export const refuseUndoOf = async (ctx: ReadContext, ...keys: readonly Key[]): Promise<void> => {
  const families = await Promise.all(keys.map((key) => familyOf(ctx, key)));
  const named = keys.map((key) => familyOfName(ctx, key, null));
  for (const needed of permissionsFor(ctx, keys, [...families, ...named])) {
    if (ctx.actor.role === null || !may(ctx.actor.role, needed))
      throw new Problem('forbidden', `This needs the permission ${needed}.`);
  }
};
