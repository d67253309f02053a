import { type BranchDefinition, checkEntity, type EntityDefinition } from '../entities';
import type { Family } from '../family';
import type { EntityInFile } from './definition';
import { qualified, titleOf } from './families';
import { grammarOf } from './grammars';
import { type CatalogText, shown } from './problems';
import type { Path } from './yaml-text';

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

const VALID: BranchDefinition = { id: 'any', title: 'Any', prefix: 'any:' };

/** Adds a problem for the facts of an entity, or one for each of its branches. */
export const checkEntityAt = (
  { entity, index }: BuiltEntity,
  families: ReadonlyMap<string, Family>,
  text: CatalogText,
): void => {
  const fails = (path: Path, branches: readonly BranchDefinition[], found: string): boolean => {
    try {
      checkEntity(families, { ...entity, branches });
      return false;
    } catch (error) {
      const reason = (error as Error).message.replace(/^Entity \S+: (?:branch \S+: )?/u, '');
      text.add(['entities', index, ...path], found, `a valid one: ${reason}`);
      return true;
    }
  };
  if (
    fails(entity.facts ? ['facts'] : [], [VALID], entity.facts ? 'facts' : `the entity ${shown(entity.kind)}`)
  )
    return;
  const ids = new Set<string>();
  for (const [i, branch] of entity.branches.entries()) {
    if (ids.has(branch.id))
      text.add(['entities', index, 'branches', i], `${shown(branch.id)} again`, 'an id of its own');
    ids.add(branch.id);
    fails(['branches', i], [branch], `the branch ${shown(branch.id)}`);
  }
};
