import type { User } from './people';
import { PEOPLE, SHOUTS, TOPICS, type World } from './world';

/** What the applications cache: JSON in the publishing platform's format, equal for equal ids. */

const TITLES = [
  'Свобода и необходимость',
  'Город как текст',
  'О чём молчит архив',
  'Письма с границы',
  'Новая этика чтения',
  'The commons, revisited',
  'Against the feed',
  'How a river became a map',
  'Notes on slow software',
  '城市的声音',
  '边界与诗',
  'Музей одной улицы',
  'Кто пишет историю',
  'Радио после тишины',
];
const TOPIC_TITLES = [
  'Философия',
  'Культура',
  'Политика',
  'Искусство',
  'Наука',
  'Общество',
  'Кино',
  'Музыка',
  'Poetry',
  'Urbanism',
  'История',
  'Театр',
  'Экология',
  '文学',
  'Technology',
];
const QUERY_WORDS = [
  'свобода',
  'город',
  'архив',
  'музей',
  'кино',
  'river',
  'software',
  'poetry',
  '城市',
  'этика',
  'театр',
  'история',
];

const range = (random: World['random'], count: number, below: number): number[] =>
  Array.from({ length: count }, () => 1 + random.below(below));

const authorJson = (world: World, user: User): string =>
  JSON.stringify({
    id: Number(user.id),
    email: user.email,
    name: user.name,
    slug: user.slug,
    pic: `https://cdn.example.org/avatars/${user.slug}.webp`,
    bio: `${user.name} — автор, ${1 + (Number(user.id) % 12)} лет в сообществе.`,
    email_verified: Number(user.id) % 7 !== 0,
    created_at: 1_640_995_200 + Number(user.id) * 86_400,
    updated_at: world.now() - world.random.below(86_400),
    last_seen: world.now() - world.random.below(3600),
    stat: { topics: Number(user.id) % 15, authors: Number(user.id) % 60, shouts: Number(user.id) % 42 },
  });

export const author = (world: World, id: number): string =>
  authorJson(world, world.people[(id - 1) % PEOPLE]!);

export const topicSlug = (id: number): string => `topic-${id}`;

export const topic = (world: World, id: number): string =>
  JSON.stringify({
    id,
    title: TOPIC_TITLES[id % TOPIC_TITLES.length],
    slug: topicSlug(id),
    description: `Тема «${TOPIC_TITLES[id % TOPIC_TITLES.length]}»: разборы, переводы, интервью.`,
    pic: `https://cdn.example.org/topics/${id}.webp`,
    community: 1,
    created_at: 1_640_995_200 + id * 3600,
    updated_at: world.now() - world.random.below(86_400),
    stat: { shouts: 20 + id * 3, authors: 5 + id, followers: 30 + id * 2 },
  });

export const ids = (world: World, most: number, below = PEOPLE): string =>
  JSON.stringify(range(world.random, 1 + world.random.below(most), below));

export const shoutSlug = (id: number): string => `shout-${id}`;

const shout = (id: number, createdAt: number) => ({
  id,
  slug: shoutSlug(id),
  title: TITLES[id % TITLES.length],
  lead: 'Первый абзац, по которому решают, читать ли дальше.',
  author: 1 + (id % PEOPLE),
  topic: 1 + (id % TOPICS),
  created_at: createdAt - id * 1800,
  stat: { viewed: id * 17, rating: id % 50, comments: id % 23 },
});

export const shouts = (world: World, count: number): string =>
  JSON.stringify(range(world.random, count, SHOUTS).map((id) => shout(id, world.now())));

/** One of 120 queries, already normalised. */
export const query = (world: World): string => {
  const first = world.random.popular(QUERY_WORDS.length);
  const second = world.random.below(10);
  return second === 0
    ? QUERY_WORDS[first]!
    : `${QUERY_WORDS[first]} ${QUERY_WORDS[(first + second) % QUERY_WORDS.length]}`;
};

export const searchResults = (world: World, text: string): string => {
  const results = range(world.random, 2 + world.random.below(8), SHOUTS).map((id, i) => ({
    type: 'shout',
    id,
    title: TITLES[id % TITLES.length],
    slug: shoutSlug(id),
    score: Number((0.95 - i * 0.07).toFixed(2)),
  }));
  return JSON.stringify({ query: text, results, total: results.length, cached_at: world.now() });
};

/** One of about 120 selections of publications. */
export const selection = (world: World): string => {
  const { random } = world;
  const kind = random.below(10);
  if (kind < 4)
    return `limit=20:offset=${20 * random.popular(10)}:sort=${random.pick(['created_at', 'rating'])}`;
  if (kind < 8) return `author=${1 + random.popular(PEOPLE)}:limit=10`;
  return `topic=${1 + random.popular(TOPICS)}:featured=true`;
};
