import { entityFaults } from '../check-entity';
import type { Kinds } from '../check-relations';
import type { BranchDefinition, EntityDefinition, PairDefinition, RelationDefinition } from '../entities';
import type { Family } from '../family';
import type { EntityFault } from '../faults';
import type { Grammar } from '../grammar';
import type { EntityInFile } from './entity-definition';
import { qualified, titleOf } from './families';
import { grammarOf } from './grammars';
import { type CatalogText, shown } from './problems';

/** An entity of a file and its index there. */
export interface BuiltEntity {
  readonly entity: EntityDefinition;
  readonly index: number;
}

type Branch = NonNullable<EntityInFile['branches']>[number];
type Relation = NonNullable<EntityInFile['relations']>[number];

const branchOf = (app: string, given: Branch): BranchDefinition => {
  if ('prefix' in given) return { title: titleOf(given.id), ...given };
  const { family, wider, title, ...rest } = given;
  const id = given.id ?? family.slice(family.indexOf('.') + 1);
  return {
    ...rest,
    id,
    title: title ?? titleOf(id),
    family: qualified(app, family),
    ...(wider && { wider }),
  };
};

const factsIn = (app: string, facts: NonNullable<EntityInFile['facts']>): EntityDefinition['facts'] =>
  Object.fromEntries(
    Object.entries(facts).map(([name, { list, lookup, ...fact }]) => [
      name,
      {
        ...fact,
        title: fact.title ?? titleOf(name),
        ...(list && { list }),
        ...(lookup && { lookup: { ...lookup, family: qualified(app, lookup.family) } }),
      },
    ]),
  );

const pairOf = ({ unordered, grammars, ...pair }: NonNullable<EntityInFile['pair']>): PairDefinition => {
  const [first, second] = grammars ?? [];
  const built = first !== undefined && second !== undefined ? [grammarOf(first), grammarOf(second)] : null;
  return {
    ...pair,
    ...(unordered && { unordered }),
    ...(built && { grammars: built as [Grammar, Grammar] }),
  };
};

/** Names of mappings of parameters; a parameter may be called `family`. */
const PARAMS = ['params', 'names'];

/** Qualifies the names of families everywhere in a part of an entity. */
const qualifiedIn = <T>(app: string, value: T): T => {
  if (Array.isArray(value)) return value.map((item) => qualifiedIn(app, item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => {
    if (name === 'family' && typeof each === 'string') return [name, qualified(app, each)];
    return [name, PARAMS.includes(name) ? each : qualifiedIn(app, each)];
  });
  return Object.fromEntries(entries) as T;
};

const relationOf = (app: string, { title, ...relation }: Relation): RelationDefinition => ({
  ...qualifiedIn(app, relation),
  title: title ?? titleOf(relation.id),
});

/** An entity of a file in the form of the catalog; its families are checked later. */
export const buildEntity = (app: string, given: EntityInFile): EntityDefinition => {
  const { kind, title, id, pair, facts, branches = [], record, relations, conversation, keys } = given;
  return {
    app,
    kind,
    title: title ?? titleOf(kind),
    branches: branches.map((branch) => branchOf(app, branch)),
    ...(id !== undefined && { id: grammarOf(id) }),
    ...(pair && { pair: pairOf(pair) }),
    ...(facts && { facts: factsIn(app, facts) }),
    ...(record && { record: qualifiedIn(app, record) }),
    ...(relations && { relations: relations.map((relation) => relationOf(app, relation)) }),
    ...(conversation && { conversation: qualifiedIn(app, conversation) }),
    ...(keys && { keys: qualifiedIn(app, keys) }),
  };
};

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
