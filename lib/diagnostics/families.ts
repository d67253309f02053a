import 'server-only';
import type { Registry } from '@/lib/keyspace/registry';

/** The name of a family; an id that is no longer in the catalog stands for itself. */
export const familyName = (catalog: Pick<Registry, 'get'>, id: string) => {
  const family = catalog.get(id);
  return { family: id, title: family?.title ?? id, pattern: family?.pattern ?? '' };
};
