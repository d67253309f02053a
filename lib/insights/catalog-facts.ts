import 'server-only';
import { factsOf, idGrammarOf } from '@/lib/catalog/entities';
import { digits } from '@/lib/catalog/grammar';
import type { Registry } from '@/lib/catalog/registry';
import type { Connection, EntityKind } from './schema';

const describeEntity = (entity: Registry['entities'][number]): EntityKind => ({
  kind: entity.kind,
  title: entity.title,
  numericId: idGrammarOf(entity) === digits,
  explored: Boolean(entity.record ?? entity.pair ?? entity.conversation),
  facts: factsOf(entity).map(([name, { title, hint = null, list = false }]) => ({ name, title, hint, list })),
});

/** What the pages of a connection follow from: the roles and the entities of its catalog. */
export const catalogFacts = (catalog: Registry): Pick<Connection, 'roles' | 'entities'> => {
  const roles = new Set<string>(catalog.roles);
  if (catalog.role('variable')?.part('flag')) roles.add('flag');
  return { roles: [...roles].sort(), entities: catalog.entities.map(describeEntity) };
};
