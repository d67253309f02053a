import 'server-only';
import type { Registry } from '@/lib/keyspace/registry';

/** A family by its words; an id that the catalog lacks by now stands for itself. */
export const familyName = (catalog: Pick<Registry, 'get'>, id: string) => {
  const found = catalog.get(id);
  return { family: id, title: found?.title ?? id, pattern: found?.pattern ?? '' };
};
