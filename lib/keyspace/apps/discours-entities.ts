import { type Family, type FamilyDefinition, family } from '../family';
import { digits, segment } from '../grammar';

type Entity = Pick<FamilyDefinition, 'id' | 'pattern' | 'title' | 'purpose'> & Partial<FamilyDefinition>;

/** Entity caches are JSON strings without TTL, invalidated on change; nearly all are keyed by one numeric id. */
const entity = (def: Entity): Family =>
  family({ params: { id: digits }, type: 'string', ttl: 'none', role: 'cache', ...def });

const authorIdOf = [{ family: 'discours.author-id', params: { id: 'id' } }];
const topicIdOf = [{ family: 'discours.topic-id', params: { id: 'id' } }];

const authorLists: readonly Family[] = [
  entity({
    id: 'discours.author-followers',
    pattern: 'author:followers:{id}',
    examples: ['author:followers:123'],
    related: authorIdOf,
    title: "Author's followers",
    purpose: "JSON array of the ids of the author's followers.",
  }),
  entity({
    id: 'discours.author-follows-topics',
    pattern: 'author:follows-topics:{id}',
    examples: ['author:follows-topics:123'],
    related: authorIdOf,
    title: 'Topics an author follows',
    purpose: 'JSON array of topic ids.',
  }),
  entity({
    id: 'discours.author-follows-authors',
    pattern: 'author:follows-authors:{id}',
    examples: ['author:follows-authors:123'],
    related: authorIdOf,
    title: 'Authors an author follows',
    purpose: 'JSON array of author ids.',
  }),
  entity({
    id: 'discours.author-follows-shouts',
    pattern: 'author:follows-shouts:{id}',
    examples: ['author:follows-shouts:123'],
    related: authorIdOf,
    title: 'Publications an author follows',
    purpose: 'JSON array of publication ids.',
  }),
  entity({
    id: 'discours.author-follows-communitys',
    pattern: 'author:follows-communitys:{id}',
    examples: ['author:follows-communitys:123'],
    related: authorIdOf,
    title: 'Communities an author follows',
    purpose: 'JSON array of community ids; the spelling is the application’s.',
  }),
  entity({
    id: 'discours.follows-author',
    pattern: 'follows:author:{id}',
    examples: ['follows:author:123'],
    related: authorIdOf,
    title: 'Follows of an author',
    purpose: 'Further data about the followers of this author.',
  }),
];

const authors: readonly Family[] = [
  entity({
    id: 'discours.author-id',
    pattern: 'author:id:{id}',
    examples: ['author:id:123'],
    related: [
      ...authorLists.map((list) => ({ family: list.id, params: { id: 'id' } })),
      { family: 'discours.user-sessions', params: { user_id: 'id' } },
    ],
    title: 'Authors',
    purpose: 'The author as JSON: name, slug, picture, counts.',
  }),
  entity({
    id: 'discours.author-slug',
    pattern: 'author:slug:{slug}',
    examples: ['author:slug:anna-karenina', 'author:slug:анна'],
    params: { slug: segment },
    title: 'Author ids by slug',
    purpose: "The author's id, looked up by the slug of the address.",
  }),
  entity({
    id: 'discours.author',
    pattern: 'author:{id}',
    examples: ['author:123'],
    related: authorIdOf,
    title: 'Authors (short key)',
    purpose: 'The author under the shorter key that the application also writes.',
  }),
  ...authorLists,
];

const topicLists: readonly Family[] = [
  entity({
    id: 'discours.topic-authors',
    pattern: 'topic:authors:{id}',
    examples: ['topic:authors:5'],
    related: topicIdOf,
    title: "Topic's authors",
    purpose: "JSON array of the ids of the topic's authors.",
  }),
  entity({
    id: 'discours.topic-followers',
    pattern: 'topic:followers:{id}',
    examples: ['topic:followers:5'],
    related: topicIdOf,
    title: "Topic's followers",
    purpose: "JSON array of the ids of the topic's followers.",
  }),
  entity({
    id: 'discours.topic-shouts',
    pattern: 'topic_shouts_{id}',
    examples: ['topic_shouts_5'],
    ttl: { seconds: 300 },
    related: topicIdOf,
    title: "Topic's publications",
    purpose: 'JSON array of the publications of a topic (legacy name).',
  }),
  entity({
    id: 'discours.topic-content',
    pattern: 'topic_content:{id}',
    examples: ['topic_content:5'],
    ttl: 'any',
    related: topicIdOf,
    title: "Topic's content",
    purpose: 'The rendered content of a topic.',
  }),
];

const topics: readonly Family[] = [
  entity({
    id: 'discours.topic-id',
    pattern: 'topic:id:{id}',
    examples: ['topic:id:5'],
    related: topicLists.map((list) => ({ family: list.id, params: { id: 'id' } })),
    title: 'Topics',
    purpose: 'The topic as JSON: title, slug, description, counts.',
  }),
  entity({
    id: 'discours.topic-slug',
    pattern: 'topic:slug:{slug}',
    examples: ['topic:slug:tema-slug'],
    params: { slug: segment },
    title: 'Topics by slug',
    purpose: 'The topic as JSON, looked up by the slug of the address.',
  }),
  entity({
    id: 'discours.topic',
    pattern: 'topic:{id}',
    examples: ['topic:5'],
    related: topicIdOf,
    title: 'Topics (short key)',
    purpose: 'The topic under the shorter key that the application also writes.',
  }),
  ...topicLists,
];

/** The caches of single authors and topics. */
export const discoursEntityFamilies: readonly Family[] = [...authors, ...topics];
