import type {
  BranchDefinition,
  EntityDefinition,
  FactDefinition,
  FamilyBranch,
  KeySource,
  RelationDefinition,
} from '../entities';

type Rest = Omit<FamilyBranch, 'id' | 'title' | 'family'>;

const keysOf = (name: string, title: string, rest: Rest = {}): FamilyBranch => ({
  id: name,
  title,
  family: `discours.${name}`,
  ...rest,
});

const byId: Rest = { params: { id: 'id' } };

/** Without the fact the branch covers the complete family: invalidating too much is cheaper than a stale selection. */
const ofEach = (fact: string): Rest => ({ params: { id: fact }, each: fact, wider: true });

const slugOf = (kind: 'author' | 'topic'): FactDefinition => ({
  title: 'Slug',
  hint: 'Read from the cached entry; enter it if that has expired',
  lookup: { family: `discours.${kind}-id`, params: { id: 'id' }, field: 'slug' },
});

const idsOf = (what: 'authors' | 'topics'): FactDefinition => ({
  title: `Ids of its ${what}`,
  hint: `Separated by commas. Without them, the selections of all ${what} are deleted`,
  list: true,
});

const author: readonly BranchDefinition[] = [
  keysOf('author-id', 'Author', byId),
  keysOf('author-slug', 'Author by slug', { params: { slug: 'slug' } }),
  keysOf('author-followers', 'Followers', byId),
  keysOf('author-follows-topics', 'Topics followed', byId),
  keysOf('author-follows-authors', 'Authors followed', byId),
  keysOf('author-follows-shouts', 'Publications followed', byId),
  keysOf('author-follows-communitys', 'Communities followed', byId),
  keysOf('follows-author', 'Follows of the author', byId),
];

const topic: readonly BranchDefinition[] = [
  keysOf('topic-id', 'Topic', byId),
  keysOf('topic-slug', 'Topic by slug', { params: { slug: 'slug' } }),
  keysOf('topic-authors', 'Authors', byId),
  keysOf('topic-followers', 'Followers', byId),
  keysOf('topic-shouts', 'Publications of the topic', byId),
  keysOf('topics-stats', 'Topics with figures'),
];

/** No key contains a publication's own id; keys contain its authors and topics. */
const shout: readonly BranchDefinition[] = [
  keysOf('feed', 'Feed'),
  keysOf('recent', 'Recent'),
  keysOf('unrated', 'Unrated'),
  keysOf('random-top', 'Random top'),
  keysOf('coauthored', 'Co-authored'),
  keysOf('author-selection', "Author's selection", ofEach('authorIds')),
  keysOf('authored', 'Authored', ofEach('authorIds')),
  keysOf('topic-selection', "Topic's selection", ofEach('topicIds')),
  keysOf('topic-shouts', 'Publications of the topic', ofEach('topicIds')),
  { id: 'shouts', title: 'Publications', prefix: 'shouts:' },
];

const keyOf = (name: string, param = 'id'): KeySource => ({
  family: `discours.${name}`,
  params: { [param]: 'id' },
});

/** JSON arrays of ids in a string. */
const arrayOf = (
  name: string,
  id: string,
  title: string,
  rest: Partial<RelationDefinition> = {},
): RelationDefinition => ({ id, title, from: { members: [keyOf(name)] }, ...rest });

const recordOf = (kind: 'author' | 'topic', title: readonly string[]) => ({
  keys: [keyOf(`${kind}-id`), keyOf(kind)],
  title,
  idField: 'id',
  lookups: [{ family: `discours.${kind}-slug`, param: 'slug' }],
});

const authorRelations: readonly RelationDefinition[] = [
  arrayOf('author-followers', 'followers', 'Followers', { kind: 'author', inverse: 'follows' }),
  arrayOf('author-follows-authors', 'follows', 'Authors followed', { kind: 'author', inverse: 'followers' }),
  arrayOf('author-follows-topics', 'topics', 'Topics followed', { kind: 'topic', inverse: 'followers' }),
  arrayOf('author-follows-shouts', 'shouts', 'Publications followed', { kind: 'shout' }),
  arrayOf('author-follows-communitys', 'communities', 'Communities followed'),
  { id: 'sessions', title: 'Sessions', from: { members: [keyOf('user-sessions', 'user_id')] } },
];

const topicRelations: readonly RelationDefinition[] = [
  arrayOf('topic-authors', 'authors', 'Authors', { kind: 'author' }),
  arrayOf('topic-followers', 'followers', 'Followers', { kind: 'author', inverse: 'topics' }),
];

/** What the publishing platform invalidates when an entity changes. */
export const discoursEntities: readonly EntityDefinition[] = [
  {
    app: 'discours',
    kind: 'author',
    title: 'Author',
    branches: author,
    facts: { slug: slugOf('author') },
    record: recordOf('author', ['name', 'slug']),
    relations: authorRelations,
  },
  {
    app: 'discours',
    kind: 'topic',
    title: 'Topic',
    branches: topic,
    facts: { slug: slugOf('topic') },
    record: recordOf('topic', ['title', 'slug']),
    relations: topicRelations,
  },
  {
    app: 'discours',
    kind: 'shout',
    title: 'Publication',
    branches: shout,
    facts: { authorIds: idsOf('authors'), topicIds: idsOf('topics') },
    keys: [keyOf('viewed', 'shout_id')],
  },
];
