import { digits, type Grammar } from './grammar';

/**
 * What an application's users consider one thing (an author, a product), and the keys that become stale when it
 * changes.
 */
export interface EntityDefinition {
  /** The application, or the team's own catalog, with these entities. */
  readonly app: string;
  /** Kebab-case; unique within a connection. */
  readonly kind: string;
  readonly title: string;
  /** The syntax of its id; decimal digits by default. */
  readonly id?: Grammar;
  /** Facts in addition to its id, by name. A lookup may use the facts declared before its own. */
  readonly facts?: Readonly<Record<string, FactDefinition>>;
  /** Empty for what is not cached (a conversation). */
  readonly branches: readonly BranchDefinition[];
  /** An id of two parts, which can be used as parameters like `id`. */
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
  /** The parts are unordered: the smaller one comes first, by number where both are digits, otherwise by bytes. */
  readonly unordered?: true;
}

/**
 * Keys of a family: its parameter → `id`, a part of the pair, or `alias`: the joined fields of the record's alias,
 * which is a secret.
 */
export interface KeySource {
  readonly family: string;
  readonly params: Readonly<Record<string, string>>;
}

/** The stored record of an entity: a hash, or a JSON object in a string. */
export interface RecordDefinition {
  /** The keys that may hold it. The first existing one counts. */
  readonly keys: readonly KeySource[];
  /**
   * A further key of the same record, named by joined fields (user name and password). Its name is a secret: it is
   * listed masked, and never read for the record.
   */
  readonly alias?: { readonly family: string; readonly param: string; readonly fields: readonly string[] };
  /** The fields with its title, by which users search: the first non-empty one. */
  readonly title?: readonly string[];
  /** The field that repeats the id. A record without it, or with another id, is damaged. */
  readonly idField?: string;
  /** Strings under another name of the entity, such as a slug: the id, or a JSON object with `idField`. */
  readonly lookups?: readonly { readonly family: string; readonly param: string }[];
}

export interface RelationDefinition {
  /** Unique within the entity, in kebab-case. */
  readonly id: string;
  readonly title: string;
  /** The target's kind, in the same application. Without one, elements are words. */
  readonly kind?: string;
  readonly from: RelationSource;
  /** The opposite relation of that kind. If one side exists without the other, the relation is one-sided. */
  readonly inverse?: string;
  /** The field of the record with the number of elements. If there are fewer, the set is partial. */
  readonly countField?: string;
}

export type RelationSource =
  /**
   * Elements of a set, a sorted set, a list, or a JSON array in a string, whatever type is stored. Each existing
   * source is listed separately: several names of one thing, or both orders of a pair.
   */
  | { readonly members: readonly KeySource[] }
  /** A field of the record with the id of one entity. */
  | { readonly field: string }
  /** Parts of the pair, each the id of one entity. */
  | { readonly parts: readonly string[] }
  /** Whether a set contains the id (who is online). */
  | { readonly memberOf: KeySource }
  /**
   * Keys of families with other, free parameters, found by scanning. `names`: parameter → `id`, or a part of the other
   * kind's pair. Several keys of one entity count once.
   */
  | { readonly keys: readonly (KeySource & { readonly names: Readonly<Record<string, string>> })[] };

/** The messages of a chat or a room. */
export interface ConversationDefinition {
  /** Lists of texts, or sorted sets of ids, shown as one conversation by time. */
  readonly keys: readonly (KeySource & {
    /** The part of the pair that wrote all messages in this key. */
    readonly sender?: string;
  })[];
  /** Parts of a text, separated by `|`. The last one keeps further separators. */
  readonly text?: readonly ('sender' | 'time' | 'content')[];
  /** Hashes of messages whose ids are the members, by `id`; the names of their fields. */
  readonly message?: {
    readonly keys: readonly KeySource[];
    readonly sender: string;
    readonly time: string;
    /** The field with the time in messages of another format. */
    readonly otherTime?: string;
    readonly content: string;
  };
  readonly senderKind?: string;
  readonly members?: string;
}

export interface FactDefinition {
  readonly title: string;
  /** Tells users of the form what to enter. */
  readonly hint?: string;
  /** Whether it has several values (the ids of a publication's authors). */
  readonly list?: true;
  /** Where to read it when it was not given. Not for a list. */
  readonly lookup?: LookupDefinition;
}

/** A text field of another key: a hash, or the JSON object in a string. */
export interface LookupDefinition {
  readonly family: string;
  /** Every parameter of the family → `id`, or a fact. */
  readonly params: Readonly<Record<string, string>>;
  readonly field: string;
}

export type BranchDefinition = FamilyBranch | PrefixBranch;

interface BranchNames {
  /** Unique within the entity, in kebab-case. */
  readonly id: string;
  readonly title: string;
}

/** Keys of one family. Parameters without a source may have any value. */
export interface FamilyBranch extends BranchNames {
  readonly family: string;
  /** Parameter of the family → `id`, or a fact. */
  readonly params?: Readonly<Record<string, string>>;
  /** The list fact in `params` with one branch per value, with the ids `{id}:{value}`. */
  readonly each?: string;
  /** Without its fact the branch covers the family with any value of that parameter, instead of nothing. */
  readonly wider?: true;
}

/** All keys that start with these bytes, whatever their family. */
export interface PrefixBranch extends BranchNames {
  readonly prefix: string;
}

/** The parameter source for the entity's id. */
export const ID_FACT = 'id';
/** The parameter source for the record's joined alias fields. */
export const ALIAS = 'alias';

export const idGrammarOf = (entity: Pick<EntityDefinition, 'id'>): Grammar => entity.id ?? digits;

export const factsOf = ({ facts = {} }: Pick<EntityDefinition, 'facts'>): [string, FactDefinition][] =>
  Object.entries(facts);

/** The keys to read or find a relation; empty for a field or parts of the id. */
export const sourcesOf = ({ from }: Pick<RelationDefinition, 'from'>): readonly KeySource[] => {
  if ('members' in from) return from.members;
  if ('keys' in from) return from.keys;
  return 'memberOf' in from ? [from.memberOf] : [];
};

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

/** The fields of a message's hash: sender, content, time, and the alternative field of the time. */
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
