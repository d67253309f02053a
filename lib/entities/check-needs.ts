import 'server-only';
import { Problem } from '@/lib/errors';
import { sourcesOf } from '@/lib/keyspace/entities';
import type { Registry } from '@/lib/keyspace/registry';
import type { Permission } from '@/lib/permissions';
import { type CheckTarget, checkPlan } from './check-plan';
import { permissionOf } from './show';

/** The permissions for the values of the checked families, and of those they are compared with. */
export const checkNeeds = (catalog: Registry, of: Partial<CheckTarget>): Permission[] => {
  const { families } = checkPlan(catalog, of);
  const involved = [...families.values()].flatMap(({ family, members, fields }) => [
    family,
    ...[...members, ...fields].flatMap(({ target, inverse }) =>
      [...(inverse ? sourcesOf(inverse) : []), ...(inverse && target?.record ? target.record.keys : [])].map(
        (source) => catalog.mustGet(source.family),
      ),
    ),
  ]);
  return [...new Set(involved.flatMap((family) => permissionOf(catalog, family) ?? []))];
};

/** Like `checkNeeds`; null where nothing can be checked, so that a check would be refused. */
export const checkNeedsIfAny = (catalog: Registry, of: Partial<CheckTarget>): Permission[] | null => {
  try {
    return checkNeeds(catalog, of);
  } catch (error) {
    if (error instanceof Problem && error.code === 'bad_input') return null;
    throw error;
  }
};
