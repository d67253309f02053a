import 'server-only';
import { badField } from '@/lib/errors';
import type { EntityDefinition, KeySource, RelationDefinition } from '@/lib/keyspace/entities';
import { idOfParts, refOf } from '@/lib/keyspace/entity-ids';
import type { Family, Params } from '@/lib/keyspace/family';
import { OWN_APP } from '@/lib/keyspace/guarded';
import type { Registry } from '@/lib/keyspace/registry';
import { definitionsOf, targetOf } from './kinds';
import { namedParts } from './stored-keys';

/** The target of a check: a family or a kind, as `{app}.{kind}` unless several applications have it. */
export interface CheckTarget {
  family: string | null;
  kind: string | null;
}

/** One relation, as stored by keys of one family. */
export interface CheckedRelation {
  /** The entity with this relation; null for a family without an entity, whose members refer to another family. */
  owner: EntityDefinition | null;
  relation: Pick<RelationDefinition, 'id' | 'countField' | 'from'>;
  /** The key pattern that yields the owner's id. */
  source: KeySource;
  /** The entity its elements refer to; null for words. */
  target: EntityDefinition | null;
  /** The target's relation in the opposite direction. */
  inverse: RelationDefinition | null;
}

export interface FamilyPlan {
  family: Family;
  /** Relations stored as elements of its keys. */
  members: CheckedRelation[];
  /** Relations stored as fields of its keys, which are records. */
  fields: CheckedRelation[];
}

export interface CheckPlan {
  /** For the audit log. */
  label: string;
  families: ReadonlyMap<string, FamilyPlan>;
}

/** The relations of an entity stored as members or fields, by the family of their keys. */
function* relationsOf(catalog: Registry, owner: EntityDefinition): Generator<CheckedRelation> {
  for (const relation of owner.relations ?? []) {
    const target = targetOf(catalog, owner, relation.kind);
    const inverse = target?.relations?.find(({ id }) => id === relation.inverse) ?? null;
    const { from } = relation;
    const checked = (source: KeySource): CheckedRelation => ({ owner, relation, source, target, inverse });
    if ('members' in from) yield* from.members.map(checked);
    if ('field' in from && target) yield* (owner.record?.keys ?? []).map(checked);
  }
}

/** For words only the type is checked, and their number if the record counts them. */
const isChecked = ({ target, relation }: CheckedRelation): boolean =>
  target !== null || relation.countField !== undefined;

const familiesOf = (catalog: Registry, found: Iterable<CheckedRelation>): Map<string, FamilyPlan> => {
  const plans = new Map<string, FamilyPlan>();
  for (const checked of found) {
    const family = catalog.get(checked.source.family);
    if (!family) continue;
    const plan = plans.get(family.id) ?? { family, members: [], fields: [] };
    plans.set(family.id, plan);
    if ('field' in checked.relation.from) plan.fields.push(checked);
    else plan.members.push(checked);
  }
  return plans;
};

/** A family's own `members` as a relation without an owner, whose targets are keys of the other family. */
const declaredMembers = (catalog: Registry, { members }: Family): CheckedRelation | null => {
  const other = members && catalog.get(members.family);
  const [param, more] = other?.paramNames ?? [];
  if (!members || !other || param !== members.param || more !== undefined) return null;
  const name = other.id.slice(other.app.length + 1);
  const target: EntityDefinition = {
    app: other.app,
    kind: name,
    title: other.title,
    id: other.compiled.params[0]!.grammar,
    branches: [],
    record: { keys: [{ family: other.id, params: { [param]: 'id' } }] },
  };
  const source = { family: '', params: {} };
  return {
    owner: null,
    relation: { id: 'members', from: { members: [source] } },
    source,
    target,
    inverse: null,
  };
};

const WORDS = 'the elements of its keys are words, which name nothing';
const NOTHING =
  'no entity of the catalog has it as a relation, and the catalog does not say what its members are';

/** The families used by entities, for the error about an unknown one. */
const related = (catalog: Registry): string => {
  const relations = catalog.entities.flatMap((entity) => [...relationsOf(catalog, entity)]);
  return [...new Set(relations.map(({ source }) => source.family))].join(', ') || 'none';
};

const familyPlan = (catalog: Registry, id: string): CheckPlan => {
  const family = catalog.get(id);
  if (!family || family.app === OWN_APP || family.type === 'channel')
    throw badField('family', `The connection has no such family. These have relations: ${related(catalog)}.`);
  const matching = catalog.entities
    .flatMap((entity) => [...relationsOf(catalog, entity)])
    .filter(({ source }) => source.family === id);
  const checked = matching.filter(isChecked);
  const label = `family ${id}`;
  if (checked.length > 0) return { label, families: familiesOf(catalog, checked) };
  const declared = matching.length === 0 ? declaredMembers(catalog, family) : null;
  if (!declared)
    throw badField('family', `${id} has no relation to check: ${matching.length > 0 ? WORDS : NOTHING}.`);
  return { label, families: new Map([[id, { family, members: [declared], fields: [] }]]) };
};

const kindPlan = (catalog: Registry, kind: string): CheckPlan => {
  const entities = definitionsOf(catalog, kind);
  const relations = entities.flatMap((entity) => [...relationsOf(catalog, entity)]);
  const refs = entities.map(refOf).join(' and ');
  if (relations.length === 0)
    throw badField('kind', `${refs} has no relation to check: none is stored as members or in a field.`);
  return { label: `kind ${refs}`, families: familiesOf(catalog, relations) };
};

/**
 * The plan of a check. Throws 400 unless exactly one of both is given, for an unknown one, and for one without
 * anything to check.
 */
export const checkPlan = (catalog: Registry, { family, kind }: Partial<CheckTarget>): CheckPlan => {
  if (family != null && kind == null) return familyPlan(catalog, family);
  if (kind != null && family == null) return kindPlan(catalog, kind);
  throw badField(family == null ? 'family' : 'kind', 'Give a family or a kind, and not both.');
};

/** The target as a job stores it, independent of how it was written. */
export const storedTarget = (catalog: Registry, { family, kind }: Partial<CheckTarget>): CheckTarget => {
  const entity = kind == null ? undefined : catalog.entity(kind);
  return { family: family ?? null, kind: entity ? refOf(entity) : (kind ?? null) };
};

/** The id of the entity of this key; null where the key's name yields none. */
export const ownerId = ({ owner, source }: CheckedRelation, params: Readonly<Params>): string | null => {
  const parts = owner && namedParts(source.params, params);
  return parts && idOfParts(owner, parts);
};
