import { type BranchDefinition, type EntityDefinition, type FamilyBranch, idGrammarOf } from './entities';
import { partsOf } from './entity-ids';
import type { Params } from './family';

/** The keys of one family with these parameters (any value for omitted ones), or everything under a prefix. */
export type BranchTarget =
  | { readonly family: string; readonly params: Readonly<Params> }
  | { readonly prefix: string };

export interface EntityBranch {
  /** Unique within the entity's branches. */
  readonly id: string;
  readonly title: string;
  /** Null where a fact that its keys contain is missing. */
  readonly target: BranchTarget | null;
  /** Whether the target covers more than this entity, because a narrowing fact is unknown. */
  readonly wider: boolean;
}

/** Known facts of an entity in addition to its id: a text, or the values of a list fact. */
export type EntityFacts = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A field of a key that contains a fact. */
export interface FactLookup {
  readonly fact: string;
  readonly family: string;
  readonly params: Readonly<Params>;
  readonly field: string;
}

/** Whether a text can be the id of such an entity. */
export const isEntityId = (entity: EntityDefinition, id: string): boolean => partsOf(entity, id) !== null;

/** The parameters whose facts are known; `complete` if all are. */
const resolve = (sources: Readonly<Record<string, string>>, known: ReadonlyMap<string, string>) => {
  const params: Params = {};
  let complete = true;
  for (const [param, source] of Object.entries(sources)) {
    const value = known.get(source);
    if (value === undefined) complete = false;
    else params[param] = value;
  }
  return { params, complete };
};

const singleFacts = (entity: EntityDefinition, id: string, facts: EntityFacts): Map<string, string> => {
  const known = new Map(partsOf(entity, id));
  for (const [name, value] of Object.entries(facts)) if (typeof value === 'string') known.set(name, value);
  return known;
};

const oneBranch = (branch: FamilyBranch, known: ReadonlyMap<string, string>): EntityBranch => {
  const { params, complete } = resolve(branch.params ?? {}, known);
  const target = complete || branch.wider ? { family: branch.family, params } : null;
  return { id: branch.id, title: branch.title, target, wider: !complete && target !== null };
};

const branchesOf = (
  branch: BranchDefinition,
  known: ReadonlyMap<string, string>,
  facts: EntityFacts,
): EntityBranch[] => {
  if ('prefix' in branch)
    return [{ id: branch.id, title: branch.title, target: { prefix: branch.prefix }, wider: false }];
  const { each } = branch;
  const values = each === undefined ? undefined : facts[each];
  if (each === undefined || !Array.isArray(values)) return [oneBranch(branch, known)];
  return [...new Set<string>(values)].map((value) => ({
    ...oneBranch(branch, new Map(known).set(each, value)),
    id: `${branch.id}:${value}`,
  }));
};

/** The branches of an entity whose `id` fits its grammar: throws otherwise. Facts it does not have are ignored. */
export const entityBranches = (
  entity: EntityDefinition,
  id: string,
  facts: EntityFacts = {},
): readonly EntityBranch[] => {
  if (!isEntityId(entity, id))
    throw new Error(`The id of a ${entity.kind} is ${idGrammarOf(entity).description}`);
  const known = singleFacts(entity, id, facts);
  return entity.branches.flatMap((branch) => branchesOf(branch, known, facts));
};

/** Where to read a missing fact; null without a lookup, or while the lookup lacks facts itself. */
export const lookupOf = (
  entity: EntityDefinition,
  id: string,
  fact: string,
  facts: EntityFacts,
): FactLookup | null => {
  const lookup = entity.facts?.[fact]?.lookup;
  const known = singleFacts(entity, id, facts);
  if (!lookup || known.has(fact)) return null;
  const { params, complete } = resolve(lookup.params, known);
  return complete ? { fact, family: lookup.family, params, field: lookup.field } : null;
};
