import 'server-only';
import { z } from 'zod';
import type { ReadContext } from '@/lib/command/context';
import { badField, fallbackFor } from '@/lib/errors';
import { bytesEqualAt } from '@/lib/keyspace/bytes';
import { type EntityDefinition, factsOf, idGrammarOf } from '@/lib/keyspace/entities';
import {
  entityBranches as branchesOf,
  type EntityBranch,
  type EntityFacts,
  type FactLookup,
  isEntityId,
  lookupOf,
} from '@/lib/keyspace/entity-branches';
import { refOf } from '@/lib/keyspace/entity-ids';
import type { Family, Params } from '@/lib/keyspace/family';
import { escapeGlob } from '@/lib/keyspace/glob';
import { hasOwnPrefix, isOwn } from '@/lib/keyspace/guarded';
import { fitsGrammar } from '@/lib/keyspace/pattern';
import type { Registry } from '@/lib/keyspace/registry';
import type { Key } from '@/lib/redis/commands';
import { isWrongType } from '@/lib/redis/failure';
import { parseStored } from '@/lib/stored-json';
import { familySearch } from './family-search';
import type { InvalidationTarget } from './schema';
import type { Branch, Search } from './target';

type Entity = NonNullable<InvalidationTarget['entity']>;

const refuse = (path: string, message: string) => badField(`entity.${path}`, message);

/** All keys under a prefix that the application deletes, of any family. */
const prefixSearch = (catalog: Registry, prefix: string): Search => {
  const bytes = Buffer.from(prefix);
  const begins = (key: Key) => key.length >= bytes.length && bytesEqualAt(key, 0, bytes);
  return { match: `${escapeGlob(prefix)}*`, accepts: (key) => begins(key) && !isOwn(catalog, key) };
};

/** The keys of a family with exactly these parameters, because a fact read from Redis contains no wildcards. */
const exactSearch = (catalog: Registry, family: Family, params: Params): Search => {
  const accepts = (key: Key): boolean => {
    if (hasOwnPrefix(key)) return false;
    const classified = catalog.classify(key);
    return (
      classified.family?.id === family.id &&
      'params' in classified &&
      Object.entries(params).every(([name, value]) => classified.params[name] === value)
    );
  };
  return { match: family.match(params), accepts };
};

/** A fact that is invalid in a key yields no key. */
const orNothing = <T>(make: () => T): T | null => {
  try {
    return make();
  } catch {
    return null;
  }
};

const keysOrSearch = (
  catalog: Registry,
  { target }: EntityBranch,
): Pick<Branch, 'keys' | 'search' | 'known' | 'confirmedFamily'> => {
  if (target === null) return { keys: [], search: null, known: false };
  if ('prefix' in target) return { keys: [], search: prefixSearch(catalog, target.prefix), known: true };
  const family = catalog.mustGet(target.family);
  const { params } = target;
  if (family.paramNames.every((name) => Object.hasOwn(params, name))) {
    const key = orNothing(() => family.key(params));
    const named = { keys: key ? [key] : [], search: null, known: true };
    return family.identifyingFields ? { ...named, confirmedFamily: family } : named;
  }
  if (Object.keys(params).length === 0)
    return { keys: [], search: familySearch(catalog, family, {}), known: true };
  return { keys: [], search: orNothing(() => exactSearch(catalog, family, params)), known: true };
};

/** The kinds that can be invalidated, qualified where several applications have that kind. */
const kindsOf = ({ entities }: Registry): string[] => {
  const stale = entities.filter(({ branches }) => branches.length > 0);
  return stale.map((entity) =>
    entities.some(({ kind, app }) => kind === entity.kind && app !== entity.app)
      ? refOf(entity)
      : entity.kind,
  );
};

const kindRefusal = (catalog: Registry, kind: string) => {
  const [first, ...others] = catalog.entitiesOf(kind);
  if (others.length > 0)
    return refuse(
      'kind',
      `Several applications have this kind: ${catalog.entitiesOf(kind).map(refOf).join(', ')}.`,
    );
  if (first) return refuse('kind', `No rule invalidates a ${first.kind}.`);
  const kinds = kindsOf(catalog).join(', ');
  return refuse(
    'kind',
    kinds === ''
      ? 'The catalog of this connection has no entities to invalidate.'
      : `This is one of ${kinds}.`,
  );
};

/** The definition of an entity's kind. Throws 400 where the catalog has none, and for an id that does not fit. */
const definitionOf = (catalog: Registry, { kind, id }: Entity): EntityDefinition => {
  const definition = catalog.entity(kind);
  if (!definition || definition.branches.length === 0) throw kindRefusal(catalog, kind);
  if (!isEntityId(definition, id)) throw refuse('id', `This is ${idGrammarOf(definition).description}.`);
  return definition;
};

const fitsKeys = (catalog: Registry, { branches }: EntityDefinition, fact: string, value: string): boolean =>
  branches.every((branch) => {
    if ('prefix' in branch) return true;
    const family = catalog.mustGet(branch.family);
    const params = Object.entries(branch.params ?? {}).filter(([, source]) => source === fact);
    return params.every(([name]) => fitsGrammar(family.params[name]!, Buffer.from(value)));
  });

/**
 * The facts of an entity. Throws 400 for an unknown fact, for a value that should be a list, and for a listed value
 * that no key can contain. A single fact may have been read from Redis: then it yields no key.
 */
const knownFacts = (catalog: Registry, definition: EntityDefinition, entity: Entity): EntityFacts => {
  const { slug, authorIds, topicIds, facts: given = {} } = entity;
  const declared = new Map(factsOf(definition));
  for (const [name, value] of Object.entries(given)) {
    const fact = declared.get(name);
    if (!fact) throw refuse(`facts.${name}`, `A ${definition.kind} has no such fact.`);
    if (Array.isArray(value) !== (fact.list ?? false))
      throw refuse(`facts.${name}`, fact.list ? 'This is a list.' : 'This is one text.');
    const wrong = Array.isArray(value)
      ? value.findIndex((item) => !fitsKeys(catalog, definition, name, item))
      : -1;
    if (wrong >= 0) throw refuse(`facts.${name}[${wrong}]`, 'No key has such a value.');
  }
  const named = Object.entries({ slug, authorIds, topicIds }).filter(([name]) => declared.has(name));
  return { ...Object.fromEntries(named), ...given };
};

/** The application's invalidation rule for this entity, as branches. Throws 400 for an unknown entity or branch. */
export const entityBranches = (catalog: Registry, entity: Entity): Branch[] => {
  const { id, branches: wanted } = entity;
  const definition = definitionOf(catalog, entity);
  const rule = branchesOf(definition, id, knownFacts(catalog, definition, entity));
  const ids = new Set(rule.map((branch) => branch.id));
  const unknown = wanted?.findIndex((name) => !ids.has(name)) ?? -1;
  if (unknown >= 0) throw refuse(`branches[${unknown}]`, 'The entity has no such branch.');
  return rule.map((branch) => ({
    id: branch.id,
    title: branch.title,
    included: wanted?.includes(branch.id) ?? true,
    wider: branch.wider,
    ...keysOrSearch(catalog, branch),
  }));
};

const MAX_VALUE_BYTES = 256 * 1024;
const MAX_FACT_LENGTH = 300;

const orNullIfWrongType = <T>(work: Promise<T>): Promise<T | null> =>
  work.catch(fallbackFor(isWrongType, null));

const hashField = async (ctx: ReadContext, key: Key, field: string): Promise<string | null> => {
  const length = await orNullIfWrongType(ctx.reader.read(['HSTRLEN', key, field]));
  if (length === null || length > MAX_FACT_LENGTH) return null;
  return (await orNullIfWrongType(ctx.reader.read(['HGET', key, field])))?.toString() ?? null;
};

const jsonField = async (ctx: ReadContext, key: Key, field: string): Promise<unknown> => {
  const value = await orNullIfWrongType(ctx.reader.getString(key, MAX_VALUE_BYTES));
  return parseStored(z.record(z.string(), z.unknown()), value?.bytes.toString('utf8'))?.[field];
};

/** A text field of a hash, or of the JSON object in a string; null when it is missing or not text. */
const fieldOf = async (
  ctx: ReadContext,
  { family: id, params, field }: FactLookup,
): Promise<string | null> => {
  const family = ctx.catalog.mustGet(id);
  const key = orNothing(() => family.key(params));
  if (!key) return null;
  const value = await (family.type === 'hash' ? hashField(ctx, key, field) : jsonField(ctx, key, field));
  return typeof value === 'string' && value !== '' && value.length <= MAX_FACT_LENGTH ? value : null;
};

/** Adds facts that can be looked up: an author's slug is in the author's key. Throws 400 like `entityBranches`. */
export const withEntityFacts = async (
  ctx: ReadContext,
  input: InvalidationTarget,
): Promise<InvalidationTarget> => {
  const { entity } = input;
  if (!entity) return input;
  const definition = definitionOf(ctx.catalog, entity);
  const known: Record<string, EntityFacts[string]> = {
    ...knownFacts(ctx.catalog, definition, entity),
  };
  const facts: Record<string, string> = {};
  for (const [name] of factsOf(definition)) {
    const lookup = lookupOf(definition, entity.id, name, known);
    const value = lookup && (await fieldOf(ctx, lookup));
    if (value !== null) facts[name] = known[name] = value;
  }
  if (Object.keys(facts).length === 0) return input;
  return { ...input, entity: { ...entity, facts: { ...entity.facts, ...facts } } };
};
