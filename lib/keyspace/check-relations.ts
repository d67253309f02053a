import {
  ALIAS,
  type EntityDefinition,
  ID_FACT,
  type KeySource,
  messageFields,
  type RecordDefinition,
  type RelationDefinition,
} from './entities';
import type { Family } from './family';
import { type At, checkParams, type Families, isSecretField, KEBAB, mustHave, SOURCE_NAME } from './faults';
import type { FamilyType } from './roles';

/** The entities of the same application by kind. */
export type Kinds = (kind: string) => EntityDefinition | undefined;

const MAX_RELATIONS = 50;
const MEMBER_TYPES: readonly FamilyType[] = ['set', 'zset', 'list', 'string'];

const mustBe = (family: Family, types: readonly FamilyType[]): void => {
  if (![family.type, ...(family.otherTypes ?? [])].some((type) => types.includes(type)))
    throw new Error(`${family.id} is a ${family.type}, not a ${types.join(' or ')}`);
};

const mustBePublic = (family: Family, fields: readonly string[]): void => {
  const secret = fields.find((field) => isSecretField(family, field));
  if (secret !== undefined) throw new Error(`${secret} of ${family.id} is a secret`);
};

/** Only an alias may be a secret in the name of a key. */
const checkSecrets = ({ id, sensitive = [] }: Family, params: Readonly<Record<string, string>>): void => {
  for (const [param, source] of Object.entries(params))
    if (sensitive.includes(param) !== (source === ALIAS))
      throw new Error(
        source === ALIAS
          ? `{${param}} of ${id} is not sensitive, and an alias is a secret`
          : `{${param}} of ${id} is a secret, and only an alias is one`,
      );
};

const sourceNames = ({ pair, record }: EntityDefinition): string[] => [
  ID_FACT,
  ...(pair?.names ?? []),
  ...(record?.alias ? [ALIAS] : []),
];

/** The family of a key that an entity determines completely. */
const checkKey = (
  families: Families,
  entity: EntityDefinition,
  { family: id, params }: KeySource,
  types?: readonly FamilyType[],
): Family => {
  const family = mustHave(families, id);
  checkParams(family, params, sourceNames(entity));
  const missing = family.paramNames.find((name) => !Object.hasOwn(params, name));
  if (missing !== undefined) throw new Error(`nothing names {${missing}} of ${id}`);
  checkSecrets(family, params);
  if (types) mustBe(family, types);
  return family;
};

const checkPair = ({ id, pair }: EntityDefinition): void => {
  if (!pair) return;
  const { names, separator, unordered, grammars } = pair;
  if (id) throw new Error('the id of a pair has no grammar of its own');
  if (names[0] === names[1]) throw new Error('both parts have one name');
  const wrong = names.find((name) => !SOURCE_NAME.test(name) || name === ID_FACT || name === ALIAS);
  if (wrong !== undefined) throw new Error(`a part cannot be named ${wrong}`);
  if (separator === '') throw new Error('it needs a separator');
  if (unordered && grammars && grammars[0] !== grammars[1])
    throw new Error('parts without an order have one grammar');
};

const checkAlias = (
  families: Families,
  { family: id, param, fields }: NonNullable<RecordDefinition['alias']>,
) => {
  const family = mustHave(families, id);
  if (family.paramNames.join() !== param) throw new Error(`{${param}} is not the one parameter of ${id}`);
  if (!family.sensitive?.includes(param)) throw new Error(`{${param}} of ${id} is not sensitive`);
  if (fields.length === 0) throw new Error('an alias is made of fields');
};

const checkRecord = (families: Families, entity: EntityDefinition, at: At): void => {
  const { record } = entity;
  if (!record) return;
  const { keys, alias, title = [], idField, lookups = [] } = record;
  at(['record', 'keys'], () => {
    if (keys.length === 0) throw new Error('a record has a key');
  });
  for (const [i, source] of keys.entries())
    at(['record', 'keys', i], () => {
      const family = checkKey(families, entity, source, ['hash', 'string']);
      if (Object.values(source.params).includes(ALIAS)) throw new Error('a record is not read by its alias');
      mustBePublic(family, [...title, ...(idField === undefined ? [] : [idField])]);
    });
  if (alias) at(['record', 'alias'], () => checkAlias(families, alias));
  for (const [i, { family: id, param }] of lookups.entries())
    at(['record', 'lookups', i], () => {
      const family = mustHave(families, id);
      mustBe(family, ['string']);
      if (family.paramNames.join() !== param) throw new Error(`{${param}} is not the one parameter of ${id}`);
      if (family.sensitive?.includes(param) || family.sensitiveValue) throw new Error(`${id} is a secret`);
    });
};

const checkField = (families: Families, { record }: EntityDefinition, field: string): void => {
  if (!record) throw new Error(`there is no record with the field ${field}`);
  for (const { family } of record.keys) mustBePublic(mustHave(families, family), [field]);
};

type Keys = Extract<RelationDefinition['from'], { keys: unknown }>['keys'][number];

/** Keys with free parameters, which contain the other entity. */
const checkFound = (
  families: Families,
  entity: EntityDefinition,
  target: EntityDefinition,
  { family: id, params, names }: Keys,
): void => {
  const family = mustHave(families, id);
  checkParams(
    family,
    params,
    sourceNames(entity).filter((name) => name !== ALIAS),
  );
  checkParams(family, names, [ID_FACT, ...(target.pair?.names ?? [])]);
  checkSecrets(family, { ...params, ...names });
  if (family.paramNames.every((name) => Object.hasOwn(params, name)))
    throw new Error(`no parameter of ${id} is free`);
  const given = Object.values(names);
  if (!given.includes(ID_FACT) && !target.pair?.names.every((name) => given.includes(name)))
    throw new Error(`the parameters of ${id} do not name a ${target.kind}`);
};

const checkSource = (
  families: Families,
  entity: EntityDefinition,
  { from, kind }: RelationDefinition,
  target: EntityDefinition | undefined,
): void => {
  if ('members' in from) {
    if (from.members.length === 0) throw new Error('it names no keys');
    for (const source of from.members) {
      const family = checkKey(families, entity, source, MEMBER_TYPES);
      if (kind !== undefined && family.sensitiveValue)
        throw new Error(`the members of ${family.id} are secrets`);
    }
  } else if ('memberOf' in from) {
    if (kind !== undefined) throw new Error('being a member leads to no entity');
    checkKey(families, entity, from.memberOf, ['set', 'zset']);
  } else if (!target) throw new Error('it needs the kind that it leads to');
  else if ('field' in from) checkField(families, entity, from.field);
  else if ('parts' in from) {
    const unknown = from.parts.find((name) => !entity.pair?.names.includes(name));
    if (unknown !== undefined || from.parts.length === 0)
      throw new Error(`there is no part ${unknown ?? ''}`.trim());
  } else for (const source of from.keys) checkFound(families, entity, target, source);
};

/** Relations that can be checked from the opposite side. */
const isReadable = ({ from }: RelationDefinition): boolean => 'members' in from || 'field' in from;

const checkInverse = (
  entity: EntityDefinition,
  relation: RelationDefinition,
  target: EntityDefinition | undefined,
) => {
  const { inverse } = relation;
  if (inverse === undefined) return;
  const back = target?.relations?.find(({ id }) => id === inverse);
  if (!back) throw new Error(`${target ? `a ${target.kind}` : 'nothing'} has no relation ${inverse}`);
  if (back.kind !== entity.kind) throw new Error(`${inverse} of a ${target?.kind} leads to another kind`);
  if (!isReadable(relation) || !isReadable(back))
    throw new Error('only members and fields can be compared with an inverse');
};

const checkRelation = (
  families: Families,
  entity: EntityDefinition,
  relation: RelationDefinition,
  kinds: Kinds,
): void => {
  const { id, title, kind, countField } = relation;
  if (!KEBAB.test(id)) throw new Error('the id is not in kebab-case');
  if (entity.relations?.find((other) => other.id === id) !== relation)
    throw new Error('the id is there twice');
  if (title.trim() === '') throw new Error('it needs a title');
  const target = kind === undefined ? undefined : kinds(kind);
  if (kind !== undefined && !target) throw new Error(`there is no kind ${kind}`);
  checkSource(families, entity, relation, target);
  checkInverse(entity, relation, target);
  if (countField !== undefined) {
    if (!('members' in relation.from)) throw new Error('only members are counted by a field');
    checkField(families, entity, countField);
  }
};

const checkConversation = (families: Families, entity: EntityDefinition, kinds: Kinds, at: At): void => {
  const { conversation } = entity;
  if (!conversation) return;
  const { keys, text, message, senderKind, members } = conversation;
  at(['conversation'], () => {
    if (keys.length === 0) throw new Error('it names no keys');
    if (!text && !message) throw new Error('it needs text or message');
    if (text && (new Set(text).size !== text.length || text.at(-1) !== 'content'))
      throw new Error('text ends with content, and has each part once');
    if (senderKind !== undefined && !kinds(senderKind)) throw new Error(`there is no kind ${senderKind}`);
    if (members !== undefined && !entity.relations?.some(({ id }) => id === members))
      throw new Error(`there is no relation ${members}`);
  });
  for (const [i, source] of keys.entries())
    at(['conversation', 'keys', i], () => {
      checkKey(families, entity, source, ['list', 'zset']);
      if (source.sender !== undefined && !entity.pair?.names.includes(source.sender))
        throw new Error(`there is no part ${source.sender}`);
    });
  const fields = message ? messageFields(message) : [];
  for (const [i, source] of message?.keys.entries() ?? [])
    at(['conversation', 'message', 'keys', i], () => {
      // Its id is the message's.
      mustBePublic(checkKey(families, { ...entity, pair: undefined }, source, ['hash', 'string']), fields);
    });
};

/** Checks the parts of an entity: its record, relations, conversation and further keys. */
export const checkParts = (families: Families, entity: EntityDefinition, kinds: Kinds, at: At): void => {
  at(['pair'], () => checkPair(entity));
  checkRecord(families, entity, at);
  const { relations = [], keys = [] } = entity;
  at(['relations'], () => {
    if (relations.length > MAX_RELATIONS) throw new Error(`more than ${MAX_RELATIONS} relations`);
  });
  for (const [i, relation] of relations.entries())
    at(['relations', i], () => checkRelation(families, entity, relation, kinds));
  checkConversation(families, entity, kinds, at);
  for (const [i, source] of keys.entries()) at(['keys', i], () => void checkKey(families, entity, source));
};
