import 'server-only';
import type { ReadOf } from '@/lib/command/context';
import { type EntityDefinition, type RelationDefinition, sourcesOf } from '@/lib/keyspace/entities';
import { refOf } from '@/lib/keyspace/entity-ids';
import type { Registry } from '@/lib/keyspace/registry';
import { pageOfRows } from '@/lib/list-page';
import { checkNeedsIfAny } from './check-needs';
import { idHintOf } from './kinds';
import type { EntityKindRow, entityContracts } from './schema';

const familiesOf = (relation: RelationDefinition): string[] => [
  ...new Set(sourcesOf(relation).map(({ family }) => family)),
];

const rowOf = (catalog: Registry, entity: EntityDefinition): EntityKindRow => ({
  kind: entity.kind,
  app: entity.app,
  title: entity.title,
  ref: refOf(entity),
  record: entity.record !== undefined,
  conversation: entity.conversation !== undefined,
  idHint: idHintOf(entity),
  relations: (entity.relations ?? []).map((relation) => ({
    relation: relation.id,
    title: relation.title,
    families: familiesOf(relation),
  })),
  checkNeeds: checkNeedsIfAny(catalog, { kind: refOf(entity) }),
  familyChecks: [...new Set((entity.relations ?? []).flatMap(familiesOf))].map((family) => ({
    family,
    checkNeeds: checkNeedsIfAny(catalog, { family }),
  })),
});

/** The kinds of a connection's applications, in the order of their catalogs. */
export const listKinds: ReadOf<typeof entityContracts.kinds> = async ({ catalog }, input) => {
  const rows = catalog.entities.map((entity, index) => ({ row: rowOf(catalog, entity), index }));
  const { items, nextCursor } = pageOfRows(rows, input, ['number'], ({ index }) => [index]);
  return { items: items.map(({ row }) => row), nextCursor };
};
