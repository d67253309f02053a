import { CONSOLE_PREFIX } from './apps/console-own';
import { encodeText } from './bytes';
import type { Family } from './family';
import { digits, type Grammar } from './grammar';

/** What an application's users call one thing (an author, a product), and the keys that are stale when it changes. */
export interface EntityDefinition {
  /** The application or the team's own catalog that has these entities. */
  readonly app: string;
  /** Kebab-case; a connection has one entity of a kind. */
  readonly kind: string;
  readonly title: string;
  /** The syntax of its id; decimal digits by default. */
  readonly id?: Grammar;
  /** What may be known beside its id, by name. A lookup may use the facts declared before its own. */
  readonly facts?: Readonly<Record<string, FactDefinition>>;
  /** None for what is no cache (a conversation). */
  readonly branches: readonly BranchDefinition[];
  /** An id of two parts, which are sources of parameters beside `id`. */
  readonly pair?: PairDefinition;
  readonly record?: RecordDefinition;
  readonly relations?: readonly RelationDefinition[];
  readonly conversation?: ConversationDefinition;
}

/** An id of two parts: `1_4`, `u1000:climbing`. The second may contain the separator. */
export interface PairDefinition {
  readonly names: readonly [string, string];
  readonly separator: string;
  /** The syntax of the parts; any text by default. The first cannot contain the separator. */
  readonly grammars?: readonly [Grammar, Grammar];
  /** The order means nothing: the smaller part comes first, by number where both are digits, else by bytes. */
  readonly unordered?: true;
}

/** Keys of a family: its parameter → `id`, or the name of a part of the pair. */
export interface KeySource {
  readonly family: string;
  readonly params: Readonly<Record<string, string>>;
}

/** What is stored of the entity itself: a hash, or a JSON object in a string. */
export interface RecordDefinition {
  /** The keys that may hold it. The first that exists counts. */
  readonly keys: readonly KeySource[];
  /**
   * A further key of the same record, named by fields of it joined (user name and password). Its name is a secret: it is
   * listed masked, and never read for the record.
   */
  readonly alias?: { readonly family: string; readonly param: string; readonly fields: readonly string[] };
  /** Fields by which people know it: the first that is not empty. They are searched. */
  readonly title?: readonly string[];
  /** The field that repeats the id. A record without it, or with another id, is damaged. */
  readonly idField?: string;
  /** Strings under another name of the entity, such as a slug: the id, or a JSON object with `idField`. */
  readonly lookups?: readonly { readonly family: string; readonly param: string }[];
}

/** What belongs to an entity. */
export interface RelationDefinition {
  /** Unique within the entity, in kebab-case. */
  readonly id: string;
  readonly title: string;
  /** The kind of the same application that it leads to. Without one its elements are words. */
  readonly kind?: string;
  readonly from: RelationSource;
  /** The relation of that kind which leads back. One without the other is one-sided. */
  readonly inverse?: string;
  /** The field of the record that counts it. Fewer elements than that are a partial set. */
  readonly countField?: string;
}

export type RelationSource =
  /**
   * Elements of a set, a sorted set, a list, or a JSON array in a string, of whatever type is stored. Each source that
   * exists is listed by itself: several names of one thing, or both orders of a pair.
   */
  | { readonly members: readonly KeySource[] }
  /** A field of the record: the id of one entity. */
  | { readonly field: string }
  /** Parts of the pair: the id of one entity each. */
  | { readonly parts: readonly string[] }
  /** Whether the id is a member of this set (who is online). */
  | { readonly memberOf: KeySource }
  /**
   * Keys of families whose other parameters are free, found by scanning. `names`: parameter → `id`, or the name of a part
   * of the other kind's pair. Several keys of one entity count once.
   */
  | { readonly keys: readonly (KeySource & { readonly names: Readonly<Record<string, string>> })[] };

/** The messages of a chat or a room. */
export interface ConversationDefinition {
  /** Lists of texts, or sorted sets of ids, shown as one conversation by time. */
  readonly keys: readonly (KeySource & {
    /** The part of the pair that wrote everything in this key. */
    readonly sender?: string;
  })[];
  /** Parts of a text, separated by `|`. The last one keeps further separators. */
  readonly text?: readonly ('sender' | 'time' | 'content')[];
  /** Hashes of messages whose ids are the members, by `id`; the names of their fields. */
  readonly message?: {
    readonly keys: readonly KeySource[];
    readonly sender: string;
    readonly time: string;
    readonly content: string;
  };
  /** The kind of a sender that is an id. */
  readonly senderKind?: string;
  /** The relation that lists the members. */
  readonly members?: string;
}

export interface FactDefinition {
  readonly title: string;
  /** What to enter, for the form. */
  readonly hint?: string;
  /** It has several values (the ids of a publication's authors). */
  readonly list?: true;
  /** Where it is read when it was not given. Not for a list. */
  readonly lookup?: LookupDefinition;
}

/** A text field of another key: of a hash, or of the JSON object in a string. */
export interface LookupDefinition {
  readonly family: string;
  /** Every parameter of the family → `id`, or the name of a fact. */
  readonly params: Readonly<Record<string, string>>;
  readonly field: string;
}

export type BranchDefinition = FamilyBranch | PrefixBranch;

interface BranchNames {
  /** Unique within the entity, in kebab-case. */
  readonly id: string;
  readonly title: string;
}

/** Keys of one family. Parameters that are not named may have any value. */
export interface FamilyBranch extends BranchNames {
  readonly family: string;
  /** Parameter of the family → `id`, or the name of a fact. */
  readonly params?: Readonly<Record<string, string>>;
  /** The list fact in `params` whose values are a branch each, with the ids `{id}:{value}`. */
  readonly each?: string;
  /** Without its fact it covers the family with any value of that parameter, instead of nothing. */
  readonly wider?: true;
}

/** All keys that start with these bytes, of whatever family. */
export interface PrefixBranch extends BranchNames {
  readonly prefix: string;
}

export const ID_FACT = 'id';
const MAX_BRANCHES = 100;
const MAX_FACTS = 20;
const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/u;
const FACT_NAME = /^[a-z][A-Za-z0-9]{0,39}$/u;
/** Fields of a changed entity that are no facts. */
const RESERVED = new Set([ID_FACT, 'kind', 'branches', 'facts']);

export const idGrammarOf = (entity: Pick<EntityDefinition, 'id'>): Grammar => entity.id ?? digits;

export const factsOf = ({ facts = {} }: Pick<EntityDefinition, 'facts'>): [string, FactDefinition][] =>
  Object.entries(facts);

type Families = Pick<ReadonlyMap<string, Family>, 'get'>;

const mustHave = (families: Families, id: string): Family => {
  const found = families.get(id);
  if (!found) throw new Error(`there is no family ${id}`);
  if (found.app === 'console') throw new Error(`${id} is a family of the console's own`);
  if (found.type === 'channel') throw new Error(`${id} is a channel and has no keys`);
  return found;
};

const checkParams = (family: Family, params: Readonly<Record<string, string>>, known: readonly string[]) => {
  for (const [param, source] of Object.entries(params)) {
    if (!family.paramNames.includes(param)) throw new Error(`${family.id} has no parameter {${param}}`);
    if (!known.includes(source))
      throw new Error(`{${param}} of ${family.id} is read from ${source}, which is not known there`);
  }
};

/** What a lookup reads is shown in branches, so it must not be a secret. */
const checkLookup = (
  families: Families,
  { family: id, params, field }: LookupDefinition,
  known: string[],
) => {
  const family = mustHave(families, id);
  checkParams(family, params, known);
  const missing = family.paramNames.find((name) => !Object.hasOwn(params, name));
  if (missing !== undefined) throw new Error(`the lookup in ${id} does not name {${missing}}`);
  if (family.type !== 'string' && family.type !== 'hash')
    throw new Error(`a lookup reads a string or a hash, and ${id} is a ${family.type}`);
  if (family.guarded || family.sensitiveValue || family.sensitiveFields?.includes(field))
    throw new Error(`a lookup must not read ${id}, which may be a secret`);
  if (field === '') throw new Error('a lookup names a field');
};

/** Facts are looked up in the order of their declaration, so that no two wait for each other. */
const checkFacts = (families: Families, entity: EntityDefinition): void => {
  const known = [ID_FACT];
  const facts = factsOf(entity);
  if (facts.length > MAX_FACTS) throw new Error(`more than ${MAX_FACTS} facts`);
  for (const [name, { title, list, lookup }] of facts) {
    if (!FACT_NAME.test(name) || RESERVED.has(name)) throw new Error(`a fact cannot be named ${name}`);
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
  const single = facts.filter(([, { list }]) => !list).map(([name]) => name);
  const sources = Object.values(params);
  if (each !== undefined) {
    if (!facts.some(([name, { list }]) => list && name === each)) throw new Error(`${each} is no list fact`);
    if (!sources.includes(each)) throw new Error(`no parameter is read from ${each}`);
  }
  checkParams(family, params, [ID_FACT, ...single, ...(each === undefined ? [] : [each])]);
  if (wider && sources.every((source) => source === ID_FACT))
    throw new Error('without a fact there is nothing wider to cover');
};

const checkPrefix = (prefix: string): void => {
  if (encodeText(prefix).length < 2) throw new Error('a prefix has at least two bytes');
  if (prefix.startsWith(CONSOLE_PREFIX)) throw new Error("these are the console's own keys");
};

const checkBranches = (families: Families, entity: EntityDefinition): void => {
  const { branches } = entity;
  if (branches.length > MAX_BRANCHES) throw new Error(`more than ${MAX_BRANCHES} branches`);
  const ids = new Set<string>();
  for (const branch of branches) {
    try {
      if (!KEBAB.test(branch.id)) throw new Error('the id is not in kebab-case');
      if (ids.has(branch.id)) throw new Error('the id is there twice');
      if (branch.title.trim() === '') throw new Error('it needs a title');
      ids.add(branch.id);
      if ('prefix' in branch) checkPrefix(branch.prefix);
      else checkFamilyBranch(families, entity, branch);
    } catch (cause) {
      throw new Error(`branch ${branch.id}: ${cause instanceof Error ? cause.message : String(cause)}`, {
        cause,
      });
    }
  }
};

/** Throws with the entity's kind and the reason when it names what does not exist. */
export const checkEntity = (families: Families, entity: EntityDefinition): void => {
  try {
    if (!KEBAB.test(entity.kind) || entity.kind.length > 40)
      throw new Error('its kind is not in kebab-case, or longer than 40 characters');
    if (entity.title.trim() === '') throw new Error('it needs a title');
    checkFacts(families, entity);
    checkBranches(families, entity);
  } catch (cause) {
    throw new Error(`Entity ${entity.kind}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
};
