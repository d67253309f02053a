import type { Batch } from './batch';
import * as content from './content';
import { key, PEOPLE, SHOUTS, TOPICS, type World } from './world';

const SHOUTS_TTL = 300;
const SEARCH_TTL = 600;

interface Cached {
  at: Buffer;
  make: () => string;
  ttl?: number;
}

/** Cache-aside: reads; on a miss, writes what the database would return. Counts hits and misses. */
const through = (world: World, batch: Batch, { at, make, ttl }: Cached): void =>
  batch.add('GET', [at], (value) => {
    if (value !== null) {
      world.hits++;
      return;
    }
    world.misses++;
    batch.add('SET', ttl ? [at, make(), 'EX', ttl] : [at, make()]);
  });

const authorId = (world: World): number => 1 + world.random.popular(PEOPLE);
const topicId = (world: World): number => 1 + world.random.popular(TOPICS);

export const readAuthor = (world: World, batch: Batch): void => {
  const id = authorId(world);
  const slug = world.people[id - 1]!.slug;
  if (world.random.chance(0.3)) {
    through(world, batch, { at: key('discours.author-slug', { slug }), make: () => String(id) });
  }
  through(world, batch, { at: key('discours.author-id', { id }), make: () => content.author(world, id) });
};

const AUTHOR_LISTS = [
  'discours.author-followers',
  'discours.author-follows-topics',
  'discours.author-follows-authors',
  'discours.author-follows-shouts',
];

export const readAuthorList = (world: World, batch: Batch): void => {
  const at = key(world.random.pick(AUTHOR_LISTS), { id: authorId(world) });
  through(world, batch, { at, make: () => content.ids(world, 30) });
};

export const readTopic = (world: World, batch: Batch): void => {
  const id = topicId(world);
  const make = () => content.topic(world, id);
  const bySlug = world.random.chance(0.5);
  const at = bySlug
    ? key('discours.topic-slug', { slug: content.topicSlug(id) })
    : key('discours.topic-id', { id });
  through(world, batch, { at, make });
};

export const readTopicPage = (world: World, batch: Batch): void => {
  const id = topicId(world);
  through(world, batch, {
    at: key('discours.topic-shouts', { id }),
    make: () => content.shouts(world, 8),
    ttl: SHOUTS_TTL,
  });
  const list = world.random.pick(['discours.topic-authors', 'discours.topic-followers']);
  through(world, batch, { at: key(list, { id }), make: () => content.ids(world, 25) });
};

export const readShouts = (world: World, batch: Batch): void => {
  const at = key('discours.shouts', { params: content.selection(world) });
  through(world, batch, { at, make: () => content.shouts(world, 10), ttl: SHOUTS_TTL });
};

export const search = (world: World, batch: Batch): void => {
  const query = content.query(world);
  const make = () => content.searchResults(world, query);
  const at = world.random.chance(0.8)
    ? key('discours.search-cache', { query })
    : key('discours.search-page', { text: query, offset: 0, limit: 10 });
  through(world, batch, { at, make, ttl: SEARCH_TTL });
};

export const view = (world: World, batch: Batch): void =>
  batch.add('INCR', [key('discours.viewed', { shout_id: 1 + world.random.popular(SHOUTS) })]);

const announce = (batch: Batch, channel: Buffer, message: object): void =>
  batch.add('PUBLISH', [channel, JSON.stringify(message)]);

/** An author changed: the application's rule deletes the author's caches. */
export const changeAuthor = (world: World, batch: Batch): void => {
  const id = authorId(world);
  const slug = world.people[id - 1]!.slug;
  const changed = key('discours.author-id', { id });
  const lists = AUTHOR_LISTS.map((family) => key(family, { id }));
  for (const stale of [changed, key('discours.author-slug', { slug }), ...lists]) batch.add('DEL', [stale]);
  batch.add('SET', [key('discours.invalidated', { key: changed.toString() }), '1', 'EX', 300]);
  announce(batch, key('discours.follower', { author_id: id }), { payload: { id, slug }, action: 'updated' });
};

/** A publication was added: its topic's caches are deleted and followers are notified. */
export const publish = (world: World, batch: Batch): void => {
  const shout = 1 + world.random.below(SHOUTS);
  const topic = topicId(world);
  const who = world.random.pick(world.people);
  for (const family of ['discours.topic-shouts', 'discours.topic-id'])
    batch.add('DEL', [key(family, { id: topic })]);
  const message = {
    type: 'shout',
    user_id: Number(who.id),
    entity_type: 'shout',
    entity_id: shout,
    action: world.random.pick(['created', 'updated', 'deleted']),
    data: { title: `Публикация ${shout}`, author: who.name },
    timestamp: world.now(),
  };
  announce(batch, key('discours.notifications', { user_id: world.random.pick(world.people).id }), message);
  announce(batch, key('discours.notifications-topic', { id: topic }), message);
  announce(batch, key('discours.shout'), {
    payload: { id: shout, slug: content.shoutSlug(shout) },
    action: message.action,
  });
};

/** The caches after a while: most entities, some selections. */
export const seedPages = (world: World, batch: Batch): void => {
  for (let id = 1; id <= PEOPLE; id++) {
    if (world.random.chance(0.15)) continue;
    batch.add('SET', [key('discours.author-id', { id }), content.author(world, id)]);
    batch.add('SET', [key('discours.author-slug', { slug: world.people[id - 1]!.slug }), String(id)]);
    for (const list of AUTHOR_LISTS) {
      if (world.random.chance(0.6)) batch.add('SET', [key(list, { id }), content.ids(world, 30)]);
    }
  }
  for (let id = 1; id <= TOPICS; id++) {
    batch.add('SET', [key('discours.topic-id', { id }), content.topic(world, id)]);
    batch.add('SET', [key('discours.topic-slug', { slug: content.topicSlug(id) }), content.topic(world, id)]);
    batch.add('SET', [key('discours.topic-authors', { id }), content.ids(world, 25)]);
    batch.add('SET', [key('discours.topic-followers', { id }), content.ids(world, 60)]);
    batch.add('SET', [
      key('discours.topic-shouts', { id }),
      content.shouts(world, 8),
      'EX',
      60 + world.random.below(240),
    ]);
  }
  for (let i = 0; i < 120; i++) {
    const at = key('discours.shouts', { params: content.selection(world) });
    batch.add('SET', [at, content.shouts(world, 10), 'EX', 30 + world.random.below(270)]);
    const query = content.query(world);
    const results = content.searchResults(world, query);
    batch.add('SET', [key('discours.search-cache', { query }), results, 'EX', 60 + world.random.below(540)]);
  }
  batch.add('SET', [key('discours.topics-all-basic'), content.topic(world, 1)]);
  batch.add('SET', [key('discours.recent-shouts'), content.shouts(world, 20)]);
};
