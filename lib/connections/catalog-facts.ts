import 'server-only';
import type { Connection, EntityKind } from '@/lib/connections/schema';
import { type EntityDefinition, factsOf, idGrammarOf } from '@/lib/keyspace/entities';
import { refOf } from '@/lib/keyspace/entity-ids';
import { DIGITS } from '@/lib/keyspace/grammar';
import type { Registry } from '@/lib/keyspace/registry';

const isNumeric = (entity: EntityDefinition): boolean => {
  const { shape } = idGrammarOf(entity);
  return !entity.pair && shape.kind === 'chars' && shape.chars === DIGITS;
};

const describeEntity = (entity: EntityDefinition): EntityKind => ({
  kind: entity.kind,
  app: entity.app,
  ref: refOf(entity),
  title: entity.title,
  invalidates: entity.branches.length > 0,
  explored: Boolean(entity.record ?? entity.pair ?? entity.conversation),
  numericId: isNumeric(entity),
  facts: factsOf(entity).map(([name, { title, hint = null, list = false }]) => ({ name, title, hint, list })),
});

/** What the pages of a connection follow from: the roles and the entities of its catalog. */
export const catalogFacts = (catalog: Registry): Pick<Connection, 'roles' | 'entities'> => {
  const roles = new Set<string>(catalog.roles);
  if (catalog.role('variable')?.part('flag')) roles.add('flag');
  return { roles: [...roles].sort(), entities: catalog.entities.map(describeEntity) };
};
