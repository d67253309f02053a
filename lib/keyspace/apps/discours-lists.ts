import { type Family, type FamilyDefinition, family } from '../family';
import { anyText, digits, pairs, plainText } from '../grammar';

type Named = Pick<FamilyDefinition, 'id' | 'pattern' | 'title' | 'purpose'> & Partial<FamilyDefinition>;

/** Selections of publications under bare names, invalidated by the rule of a changed publication. */
const selection = (def: Named): Family => family({ type: 'string', ttl: 'any', role: 'cache', ...def });

const selections: readonly Family[] = [
  selection({
    id: 'discours.shouts',
    pattern: 'shouts:{params}',
    examples: [
      'shouts:limit=20:offset=0:sort=created_at',
      'shouts:author=123:limit=10',
      'shouts:topic=5:featured=true',
    ],
    params: { params: pairs },
    ttl: { seconds: 300 },
    title: 'Publications',
    purpose: 'JSON array of the publications of one selection (limit, offset, sort, author, topic…).',
  }),
  selection({
    id: 'discours.recent-shouts',
    pattern: 'recent_shouts',
    examples: ['recent_shouts'],
    title: 'Recent publications',
    purpose: 'The newest publications.',
  }),
  selection({
    id: 'discours.feed',
    pattern: 'feed',
    examples: ['feed'],
    title: 'Feed',
    purpose: 'The common feed of publications.',
  }),
  selection({
    id: 'discours.recent',
    pattern: 'recent',
    examples: ['recent'],
    title: 'Recent',
    purpose: 'The selection of recent publications.',
  }),
  selection({
    id: 'discours.unrated',
    pattern: 'unrated',
    examples: ['unrated'],
    title: 'Unrated',
    purpose: 'Publications without ratings.',
  }),
  selection({
    id: 'discours.random-top',
    pattern: 'random_top',
    examples: ['random_top'],
    title: 'Random top',
    purpose: 'A random choice of the best.',
  }),
  selection({
    id: 'discours.coauthored',
    pattern: 'coauthored',
    examples: ['coauthored'],
    title: 'Co-authored',
    purpose: 'Publications with several authors.',
  }),
  selection({
    id: 'discours.author-selection',
    pattern: 'author_{id}',
    examples: ['author_5'],
    params: { id: digits },
    title: "Author's selection",
    purpose: 'Publications shown for an author.',
  }),
  selection({
    id: 'discours.authored',
    pattern: 'authored_{id}',
    examples: ['authored_5'],
    params: { id: digits },
    title: 'Authored',
    purpose: 'Publications written by an author.',
  }),
  selection({
    id: 'discours.topic-selection',
    pattern: 'topic_{id}',
    examples: ['topic_5'],
    params: { id: digits },
    title: "Topic's selection",
    purpose: 'Publications shown for a topic.',
  }),
];

const searches: readonly Family[] = [
  selection({
    id: 'discours.search-cache',
    pattern: 'search_cache:{query}',
    examples: ['search_cache:поисковый запрос'],
    params: { query: anyText },
    ttl: { seconds: 600 },
    title: 'Search results',
    purpose: 'Results of a normalised query: lower-cased, spaces collapsed, parameters sorted.',
  }),
  selection({
    id: 'discours.search',
    pattern: 'search:{query}',
    examples: ['search:поиск'],
    params: { query: anyText },
    title: 'Search results (as written)',
    purpose: 'Results of a query under the key that the application really writes.',
  }),
  selection({
    id: 'discours.search-page',
    pattern: 'search:{text}:{offset}+{limit}',
    examples: ['search:поиск:0+20', 'search:a:b:0+20'],
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
    examples: ['topics:all:basic'],
    title: 'All topics',
    purpose: 'All topics in brief.',
  }),
  selection({
    id: 'discours.topics-stats',
    pattern: 'topics:stats:{params}',
    examples: ['topics:stats:limit=10:offset=0'],
    params: { params: plainText },
    title: 'Topics with figures',
    purpose: 'A selection of topics with their counts.',
  }),
  selection({
    id: 'discours.authors-stats',
    pattern: 'authors:stats:{params}',
    examples: ['authors:stats:limit=10:offset=0'],
    params: { params: plainText },
    title: 'Authors with figures',
    purpose: 'A selection of authors with their counts.',
  }),
];

/** Cached lists of the application. */
export const discoursListFamilies: readonly Family[] = [...selections, ...searches, ...overviews];
