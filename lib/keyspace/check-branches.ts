import { CONSOLE_PREFIX } from './apps/console-own';
import { encodeText } from './bytes';
import {
  type EntityDefinition,
  type FamilyBranch,
  factsOf,
  ID_FACT,
  type LookupDefinition,
} from './entities';
import { type At, checkParams, type Families, isSecretField, KEBAB, mustHave, SOURCE_NAME } from './faults';

const MAX_BRANCHES = 100;
const MAX_FACTS = 20;
/** Fields of a changed entity that are not facts. */
const RESERVED = new Set([ID_FACT, 'kind', 'branches', 'facts']);

/** Branches show the results of lookups, so these must not be secret. */
const checkLookup = (
  families: Families,
  { family: id, params, field }: LookupDefinition,
  known: readonly string[],
) => {
  const family = mustHave(families, id);
  checkParams(family, params, known);
  const missing = family.paramNames.find((name) => !Object.hasOwn(params, name));
  if (missing !== undefined) throw new Error(`the lookup in ${id} does not name {${missing}}`);
  if (family.type !== 'string' && family.type !== 'hash')
    throw new Error(`a lookup reads a string or a hash, and ${id} is a ${family.type}`);
  if (family.guarded || isSecretField(family, field))
    throw new Error(`a lookup must not read ${id}, which may be a secret`);
  if (field === '') throw new Error('a lookup names a field');
};

/** Facts are looked up in the order of their declaration, so that none depends on a later one. */
const checkFacts = (families: Families, entity: EntityDefinition): void => {
  const names: readonly string[] = entity.pair?.names ?? [];
  const known = [ID_FACT, ...names];
  const facts = factsOf(entity);
  if (facts.length > MAX_FACTS) throw new Error(`more than ${MAX_FACTS} facts`);
  for (const [name, { title, list, lookup }] of facts) {
    if (!SOURCE_NAME.test(name) || RESERVED.has(name) || names.includes(name))
      throw new Error(`a fact cannot be named ${name}`);
    if (title.trim() === '') throw new Error(`the fact ${name} needs a title`);
    if (lookup && list) throw new Error(`the fact ${name} is a list and cannot be looked up`);
    if (lookup) checkLookup(families, lookup, known);
    if (!list) known.push(name);
  }
};

const checkFamilyBranch = (families: Families, entity: EntityDefinition, branch: FamilyBranch): void => {
  const family = mustHave(families, branch.family);
  const { params = {}, each, wider } = branch;
  const facts = factsOf(entity);
  const ofId = [ID_FACT, ...(entity.pair?.names ?? [])];
  const single = facts.filter(([, { list }]) => !list).map(([name]) => name);
  const sources = Object.values(params);
  if (each !== undefined) {
    if (!facts.some(([name, { list }]) => list && name === each)) throw new Error(`${each} is no list fact`);
    if (!sources.includes(each)) throw new Error(`no parameter is read from ${each}`);
  }
  checkParams(family, params, [...ofId, ...single, ...(each === undefined ? [] : [each])]);
  if (wider && sources.every((source) => ofId.includes(source)))
    throw new Error('without a fact there is nothing wider to cover');
};

const checkPrefix = (prefix: string): void => {
  if (encodeText(prefix).length < 2) throw new Error('a prefix has at least two bytes');
  if (prefix.startsWith(CONSOLE_PREFIX)) throw new Error("these are the console's own keys");
};

/** Checks an entity's facts and its invalidation rule. */
export const checkRule = (families: Families, entity: EntityDefinition, at: At): void => {
  at(entity.facts ? ['facts'] : [], () => checkFacts(families, entity));
  const { branches } = entity;
  at(['branches'], () => {
    if (branches.length > MAX_BRANCHES) throw new Error(`more than ${MAX_BRANCHES} branches`);
  });
  const ids = new Set<string>();
  for (const [i, branch] of branches.entries())
    at(['branches', i], () => {
      if (!KEBAB.test(branch.id)) throw new Error('the id is not in kebab-case');
      if (ids.has(branch.id)) throw new Error('the id is there twice');
      if (branch.title.trim() === '') throw new Error('it needs a title');
      ids.add(branch.id);
      if ('prefix' in branch) checkPrefix(branch.prefix);
      else checkFamilyBranch(families, entity, branch);
    });
};
