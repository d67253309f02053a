import { type Family, type FamilyDefinition, family } from '../family';
import { anyText, digits, pairs, plainText, segment } from '../grammar';

type Named = Pick<FamilyDefinition, 'id' | 'pattern' | 'title' | 'purpose'> & Partial<FamilyDefinition>;

const DAY = 86_400;

/** Selections of publications under bare names, dropped by the rule of a changed publication. */
const selection = (def: Named): Family => family({ type: 'string', ttl: 'any', cache: true, ...def });

const selections: readonly Family[] = [
  selection({
    id: 'discours.shouts',
    pattern: 'shouts:{params}',
    params: { params: pairs },
    ttl: { seconds: 300 },
    title: 'Publications',
    purpose: 'JSON array of the publications of one selection (limit, offset, sort, author, topic…).',
  }),
  selection({
    id: 'discours.recent-shouts',
    pattern: 'recent_shouts',
    title: 'Recent publications',
    purpose: 'The newest publications.',
  }),
  selection({
    id: 'discours.feed',
    pattern: 'feed',
    title: 'Feed',
    purpose: 'The common feed of publications.',
  }),
  selection({
    id: 'discours.recent',
    pattern: 'recent',
    title: 'Recent',
    purpose: 'The selection of recent publications.',
  }),
  selection({
    id: 'discours.unrated',
    pattern: 'unrated',
    title: 'Unrated',
    purpose: 'Publications nobody has rated.',
  }),
  selection({
    id: 'discours.random-top',
    pattern: 'random_top',
    title: 'Random top',
    purpose: 'A random choice of the best.',
  }),
  selection({
    id: 'discours.coauthored',
    pattern: 'coauthored',
    title: 'Co-authored',
    purpose: 'Publications with several authors.',
  }),
  selection({
    id: 'discours.author-selection',
    pattern: 'author_{id}',
    params: { id: digits },
    title: "Author's selection",
    purpose: 'Publications shown for an author.',
  }),
  selection({
    id: 'discours.authored',
    pattern: 'authored_{id}',
    params: { id: digits },
    title: 'Authored',
    purpose: 'Publications written by an author.',
  }),
  selection({
    id: 'discours.topic-selection',
    pattern: 'topic_{id}',
    params: { id: digits },
    title: "Topic's selection",
    purpose: 'Publications shown for a topic.',
  }),
];

const searches: readonly Family[] = [
  selection({
    id: 'discours.search-cache',
    pattern: 'search_cache:{query}',
    params: { query: anyText },
    ttl: { seconds: 600 },
    title: 'Search results',
    purpose: 'Results of a normalised query: lower-cased, spaces collapsed, parameters sorted.',
  }),
  selection({
    id: 'discours.search',
    pattern: 'search:{query}',
    params: { query: anyText },
    title: 'Search results (as written)',
    purpose: 'Results of a query under the key that the application really writes.',
  }),
  selection({
    id: 'discours.search-page',
    pattern: 'search:{text}:{offset}+{limit}',
    params: { text: anyText, offset: digits, limit: digits },
    related: [{ family: 'discours.search', params: { query: 'text' } }],
    title: 'Search result pages',
    purpose: 'One page of results of a query.',
  }),
];

const overviews: readonly Family[] = [
  selection({
    id: 'discours.topics-all-basic',
    pattern: 'topics:all:basic',
    title: 'All topics',
    purpose: 'All topics in brief.',
  }),
  selection({
    id: 'discours.topics-stats',
    pattern: 'topics:stats:{params}',
    params: { params: plainText },
    title: 'Topics with figures',
    purpose: 'A selection of topics with their counts.',
  }),
  selection({
    id: 'discours.authors-stats',
    pattern: 'authors:stats:{params}',
    params: { params: plainText },
    title: 'Authors with figures',
    purpose: 'A selection of authors with their counts.',
  }),
];

/** 000, 5 and 8. */
const figures: readonly Family[] = [
  family({
    id: 'discours.migrated-views',
    pattern: 'migrated_views_{timestamp}',
    params: { timestamp: digits },
    type: 'hash',
    ttl: 'none',
    title: 'Migrated views',
    purpose: 'Views per publication at one time, with _timestamp and _total.',
  }),
  family({
    id: 'discours.migrated-views-slugs',
    pattern: 'migrated_views_slugs',
    type: 'hash',
    ttl: 'none',
    title: 'Migrated views by slug',
    purpose: 'Slug to publication id; may hold slug to views.',
  }),
  family({
    id: 'discours.viewed',
    pattern: 'viewed:{shout_id}',
    params: { shout_id: digits },
    type: 'string',
    ttl: 'none',
    title: 'View counters',
    purpose: 'How often a publication was viewed.',
  }),
  family({
    id: 'discours.metrics',
    pattern: 'metrics:{name}:{period}',
    params: { name: plainText, period: segment },
    type: 'string',
    ttl: { minSeconds: 3600, maxSeconds: 30 * DAY },
    title: 'Metrics',
    purpose: 'One number for one period.',
  }),
  family({
    id: 'discours.stats',
    pattern: 'stats:{entity}:{timeframe}',
    params: { entity: plainText, timeframe: segment },
    type: 'hash',
    ttl: { minSeconds: 3600, maxSeconds: 30 * DAY },
    title: 'Statistics',
    purpose: 'Numbers about a kind of entity for one time frame.',
  }),
  family({
    id: 'discours.chats',
    pattern: 'chats/{path}',
    params: { path: plainText },
    type: 'string',
    otherTypes: ['hash', 'list', 'set', 'zset'],
    ttl: 'any',
    title: 'Chats',
    purpose: 'Conversations and their messages, under names with slashes.',
  }),
];

const channel = (
  id: string,
  pattern: string,
  params: FamilyDefinition['params'],
  title: string,
  purpose: string,
): Family => family({ id, pattern, ...(params && { params }), type: 'channel', ttl: 'any', title, purpose });

/** 000, 6: documented channels; `reaction`, `shout` and `follower:{author_id}` are those really used. */
const channels: readonly Family[] = [
  channel(
    'discours.notifications',
    'notifications:{user_id}',
    { user_id: digits },
    'Personal notifications',
    'To one user.',
  ),
  channel(
    'discours.notifications-global',
    'notifications:global',
    undefined,
    'Global notifications',
    'To everyone.',
  ),
  channel(
    'discours.notifications-topic',
    'notifications:topic:{id}',
    { id: digits },
    'Topic notifications',
    'About a topic.',
  ),
  channel(
    'discours.notifications-shout',
    'notifications:shout:{id}',
    { id: digits },
    'Publication notifications',
    'About a publication.',
  ),
  channel('discours.reaction', 'reaction', undefined, 'Reactions', 'Payload and action of every reaction.'),
  channel('discours.shout', 'shout', undefined, 'Publications', 'Payload and action of every publication.'),
  channel(
    'discours.follower',
    'follower:{author_id}',
    { author_id: digits },
    'New followers',
    'Who began or ceased to follow an author.',
  ),
];

/** What the application lists, counts and announces. */
export const discoursListFamilies: readonly Family[] = [
  ...selections,
  ...searches,
  ...overviews,
  ...figures,
  ...channels,
];
