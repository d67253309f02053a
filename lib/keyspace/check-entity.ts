import { checkRule } from './check-branches';
import { checkParts, type Kinds } from './check-relations';
import type { EntityDefinition } from './entities';
import { collector, type EntityFault, type Families, KEBAB } from './faults';

/** All faults of an entity, general ones first. `kinds` are the entities of its application. */
export const entityFaults = (
  families: Families,
  entity: EntityDefinition,
  kinds: Kinds,
): readonly EntityFault[] => {
  const { faults, at } = collector();
  at([], () => {
    if (!KEBAB.test(entity.kind) || entity.kind.length > 40)
      throw new Error('its kind is not in kebab-case, or longer than 40 characters');
    if (entity.title.trim() === '') throw new Error('it needs a title');
    const { branches, record, relations = [], conversation } = entity;
    if (branches.length === 0 && !record && relations.length === 0 && !conversation)
      throw new Error('it needs branches, a record, relations or a conversation');
  });
  checkParts(families, entity, kinds, at);
  checkRule(families, entity, at);
  return faults;
};

/** The place of a fault as text; branches and relations by their ids. */
const placeOf = (entity: EntityDefinition, [what, i, ...rest]: EntityFault['path']): string => {
  if (what === undefined) return '';
  const part =
    typeof i === 'number' && (what === 'branches' || what === 'relations') ? entity[what]?.[i] : null;
  return `${part ? `${what === 'branches' ? 'branch' : 'relation'} ${part.id}` : [what, i, ...rest].filter((step) => step !== undefined).join('.')}: `;
};

/** Throws with the entity's kind and the reason when it refers to something that does not exist. */
export const checkEntity = (families: Families, entity: EntityDefinition, kinds: Kinds): void => {
  const [fault] = entityFaults(families, entity, kinds);
  if (fault) throw new Error(`Entity ${entity.kind}: ${placeOf(entity, fault.path)}${fault.reason}`);
};
