import type { Params } from './family';

/** The keys of one family with these parameters (any value for omitted ones), or everything under a prefix. */
export type InvalidationTarget =
  | { readonly family: string; readonly params: Readonly<Partial<Params>> }
  | { readonly prefix: string };

/** Where a missing fact can be read: a field of the JSON value of another key. */
export interface Lookup {
  readonly family: string;
  readonly params: Readonly<Params>;
  readonly field: string;
}

export interface InvalidationBranch {
  /** Unique within the entity's branches. */
  readonly id: string;
  readonly title: string;
  /** Null until the fact of `lookup` is known and passed in. */
  readonly target: InvalidationTarget | null;
  readonly lookup?: Lookup;
  /** The target affects more than this entity, because the fact that would narrow it is not known. */
  readonly wider?: boolean;
}

/** The application that has these entities. */
export const ENTITY_APP = 'discours';
export const ENTITY_KINDS = ['author', 'topic', 'shout'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

/** Known facts about the entity: they narrow the branches, or make them possible. */
export interface EntityFacts {
  readonly slug?: string;
  /** A publication's authors and topics. */
  readonly authorIds?: readonly string[];
  readonly topicIds?: readonly string[];
}

type Rule = (id: string, facts: EntityFacts) => readonly InvalidationBranch[];

const one = (branch: string, title: string, params: Readonly<Partial<Params>> = {}): InvalidationBranch => ({
  id: branch,
  title,
  target: { family: `discours.${branch}`, params },
});

const bySlug = (kind: 'author' | 'topic', title: string, id: string, slug?: string): InvalidationBranch => ({
  id: `${kind}-slug`,
  title,
  target: slug === undefined ? null : { family: `discours.${kind}-slug`, params: { slug } },
  lookup: { family: `discours.${kind}-id`, params: { id }, field: 'slug' },
});

/**
 * One branch per known id; without any, the complete family: invalidating too much is cheaper than a stale selection.
 */
const ofEach = (name: string, title: string, ids: readonly string[] | undefined): InvalidationBranch[] =>
  ids === undefined
    ? [{ ...one(name, title), wider: true }]
    : ids.map((id) => ({ ...one(name, title, { id }), id: `${name}:${id}` }));

const author: Rule = (id, { slug }) => [
  one('author-id', 'Author', { id }),
  bySlug('author', 'Author by slug', id, slug),
  one('author-followers', 'Followers', { id }),
  one('author-follows-topics', 'Topics followed', { id }),
  one('author-follows-authors', 'Authors followed', { id }),
  one('author-follows-shouts', 'Publications followed', { id }),
  one('author-follows-communitys', 'Communities followed', { id }),
  one('follows-author', 'Follows of the author', { id }),
];

const topic: Rule = (id, { slug }) => [
  one('topic-id', 'Topic', { id }),
  bySlug('topic', 'Topic by slug', id, slug),
  one('topic-authors', 'Authors', { id }),
  one('topic-followers', 'Followers', { id }),
  one('topic-shouts', 'Publications of the topic', { id }),
  one('topics-stats', 'Topics with figures'),
];

const shout: Rule = (_id, { authorIds, topicIds }) => [
  one('feed', 'Feed'),
  one('recent', 'Recent'),
  one('unrated', 'Unrated'),
  one('random-top', 'Random top'),
  one('coauthored', 'Co-authored'),
  ...ofEach('author-selection', "Author's selection", authorIds),
  ...ofEach('authored', 'Authored', authorIds),
  ...ofEach('topic-selection', "Topic's selection", topicIds),
  ...ofEach('topic-shouts', 'Publications of the topic', topicIds),
  { id: 'shouts', title: 'Publications', target: { prefix: 'shouts:' } },
];

/** keyspace, "Invalidation rules in use": what the publishing platform invalidates when an entity changes. */
export const invalidationRules: Readonly<Record<EntityKind, Rule>> = { author, topic, shout };

/**
 * The branches of an entity's rule. `id` is decimal digits: throws otherwise. A publication's own id is in no key; its
 * authors and topics are, and without them their branches cover the complete family (`wider`).
 */
export const invalidationTargets = (
  kind: EntityKind,
  id: string,
  facts: EntityFacts = {},
): readonly InvalidationBranch[] => {
  if (!/^\d{1,32}$/u.test(id)) throw new Error(`The id of a ${kind} is decimal digits`);
  return invalidationRules[kind](id, facts);
};
