import { entityFaults } from '../check-entity';
import type { Kinds } from '../check-relations';
import type { BranchDefinition, EntityDefinition } from '../entities';
import type { Family } from '../family';
import type { EntityFault } from '../faults';
import type { EntityInFile } from './definition';
import { qualified, titleOf } from './families';
import { grammarOf } from './grammars';
import { type CatalogText, shown } from './problems';

/** An entity of a file and its index there. */
export interface BuiltEntity {
  readonly entity: EntityDefinition;
  readonly index: number;
}

const branchOf = (app: string, given: EntityInFile['branches'][number]): BranchDefinition => {
  if ('prefix' in given) return { title: titleOf(given.id), ...given };
  const { family, wider, title, ...rest } = given;
  const id = given.id ?? family.slice(family.indexOf('.') + 1);
  return {
    ...{ ...rest, id, title: title ?? titleOf(id), family: qualified(app, family) },
    ...(wider && { wider }),
  };
};

/** An entity of a file as the catalog has it; its families are checked afterwards. */
export const buildEntity = (app: string, given: EntityInFile): EntityDefinition => {
  const { kind, title, id, facts, branches } = given;
  const built = Object.entries(facts ?? {}).map(([name, { list, lookup, ...fact }]) => [
    name,
    {
      ...{ ...fact, title: fact.title ?? titleOf(name) },
      ...(list && { list }),
      ...(lookup && { lookup: { ...lookup, family: qualified(app, lookup.family) } }),
    },
  ]);
  return {
    ...{ app, kind, title: title ?? titleOf(kind), branches: branches.map((each) => branchOf(app, each)) },
    ...(id !== undefined && { id: grammarOf(id) }),
    ...(facts && { facts: Object.fromEntries(built) }),
  };
};

/** The item of a file that a fault is about. */
const itemOf = (entity: EntityDefinition, [what, i]: EntityFault['path']): string => {
  if (what === undefined) return `the entity ${shown(entity.kind)}`;
  if (what === 'branches' && typeof i === 'number') return `the branch ${shown(entity.branches[i]?.id)}`;
  if (what === 'relations' && typeof i === 'number')
    return `the relation ${shown(entity.relations?.[i]?.id)}`;
  return String(what);
};

/** Adds a problem for each fault of an entity, at its place. `kinds` are the entities of its application. */
export const checkEntityAt = (
  { entity, index }: BuiltEntity,
  families: ReadonlyMap<string, Family>,
  kinds: Kinds,
  text: CatalogText,
): void => {
  for (const { path, reason } of entityFaults(families, entity, kinds))
    text.add(['entities', index, ...path], itemOf(entity, path), `a valid one: ${reason}`);
};
