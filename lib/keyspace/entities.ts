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
  /** Further keys about it (a counter of its views). */
  readonly keys?: readonly KeySource[];
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

/**
 * Keys of a family: its parameter → `id`, the name of a part of the pair, or `alias`: the fields of the record's alias
 * joined, which is a secret.
 */
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
    /** The field with the time of messages that were written differently. */
    readonly otherTime?: string;
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

/** The source of parameters that is the entity's id. */
export const ID_FACT = 'id';
/** The source that is the fields of the record's alias joined. */
export const ALIAS = 'alias';

export const idGrammarOf = (entity: Pick<EntityDefinition, 'id'>): Grammar => entity.id ?? digits;

export const factsOf = ({ facts = {} }: Pick<EntityDefinition, 'facts'>): [string, FactDefinition][] =>
  Object.entries(facts);

/** The keys that a relation is read from or found by; none for a field or parts of the id. */
export const sourcesOf = ({ from }: Pick<RelationDefinition, 'from'>): readonly KeySource[] => {
  if ('members' in from) return from.members;
  if ('keys' in from) return from.keys;
  return 'memberOf' in from ? [from.memberOf] : [];
};

/** All families that an entity names. */
export const familiesOf = (entity: EntityDefinition): string[] => {
  const { record, relations = [], conversation, keys = [], branches } = entity;
  const sources: readonly { readonly family: string }[] = [
    ...branches.flatMap((branch) => ('family' in branch ? [branch] : [])),
    ...factsOf(entity).flatMap(([, { lookup }]) => (lookup ? [lookup] : [])),
    ...(record ? [...record.keys, ...(record.lookups ?? []), ...(record.alias ? [record.alias] : [])] : []),
    ...relations.flatMap(sourcesOf),
    ...(conversation ? [...conversation.keys, ...(conversation.message?.keys ?? [])] : []),
    ...keys,
  ];
  return [...new Set(sources.map(({ family }) => family))];
};

/** The fields of a message's hash: sender, content, time, and the other name of the time where it has one. */
export const messageFields = ({
  sender,
  content,
  time,
  otherTime,
}: NonNullable<ConversationDefinition['message']>): string[] => [
  sender,
  content,
  time,
  ...(otherTime === undefined ? [] : [otherTime]),
];
