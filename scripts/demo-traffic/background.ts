import type { Batch } from './batch';
import { shoutSlug } from './content';
import { key, SHOUTS, type World } from './world';

const HOUR = 3600;
const DAY = 86_400;

/**
 * SET NX EX with an owner, released by a compare-and-delete (here: deleted by its owner a tick later, or left to
 * expire).
 */
export const lock = (world: World, batch: Batch): void => {
  const { random } = world;
  const at = key('discours.lock', {
    operation: random.pick(['reindex', 'publish', 'import']),
    entity_id: 1 + random.below(50),
  });
  batch.add('SET', [at, `worker-${random.below(4)}`, 'NX', 'EX', 30], (reply) => {
    if (reply === 'OK' && random.chance(0.5)) batch.add('DEL', [at]);
  });
};

export const state = (world: World, batch: Batch): void => {
  const { random } = world;
  const at = key('discours.state', {
    process: random.pick(['digest', 'migration', 'export']),
    id: 1 + random.below(12),
  });
  const fields = [
    'status',
    random.pick(['running', 'done', 'waiting']),
    'progress',
    String(random.below(101)),
  ];
  batch.add('HSET', [at, ...fields, 'updated_at', String(world.now())]);
  batch.add('EXPIRE', [at, random.pick([60, 600, HOUR])]);
};

/** The applications' own figures, consistent with what the generator did. */
export const writeMetrics = (world: World, batch: Batch): void => {
  const metric = (name: string, period: string, value: number, ttl: number) =>
    batch.add('SET', [key('discours.metrics', { name, period }), value, 'EX', ttl]);
  for (const [period, ttl] of [
    ['hourly', HOUR],
    ['daily', DAY],
  ] as const) {
    metric('cache_hits', period, world.hits, ttl);
    metric('cache_misses', period, world.misses, ttl);
  }
  metric('active_sessions', 'hourly', world.sessions.length, HOUR);
};

export const writeStats = (world: World, batch: Batch): void => {
  const stats = (entity: string, timeframe: string, fields: (string | number)[], ttl: number) => {
    const at = key('discours.stats', { entity, timeframe });
    batch.add('HSET', [at, ...fields]);
    batch.add('EXPIRE', [at, ttl]);
  };
  stats('topics', 'weekly', ['total', 40, 'new', 1 + world.random.below(3), 'followers', 2400], 7 * DAY);
  stats('authors', 'daily', ['total', world.people.length, 'active', world.sessions.length], DAY);
};

/** What disagrees about views, of each kind one: tests compare what the console finds with it. */
export const VIEW_DAMAGE = {
  /** Has views, and no slug leads to it. */
  withoutSlug: SHOUTS + 1,
  notANumber: SHOUTS + 2,
  /** A slug leads to it, and it has no views. */
  withoutViews: SHOUTS + 3,
  /** Two slugs lead to it. */
  renamed: 1,
  /** Publications that the older import says it has. */
  total: 240,
} as const;

const IMPORTED = 200;

/** Views: counters, two migrations, the map of slugs, and some damage. */
export const seedViews = (world: World, batch: Batch): void => {
  const viewed = (id: number) => key('discours.viewed', { shout_id: id });
  for (let id = 1; id <= SHOUTS; id++) batch.add('SET', [viewed(id), world.random.below(5000)]);
  batch.add('SET', [viewed(VIEW_DAMAGE.withoutSlug), 12]);
  batch.add('SET', [viewed(VIEW_DAMAGE.notANumber), 'many']);
  for (const [day, total] of [
    [7, VIEW_DAMAGE.total],
    [1, IMPORTED],
  ] as const) {
    const timestamp = world.now() - day * DAY;
    const counts = Array.from({ length: IMPORTED }, (_, i) => [
      String(i + 1),
      String(world.random.below(900)),
    ]).flat();
    const at = key('discours.migrated-views', { timestamp });
    batch.add('HSET', [at, ...counts, '_timestamp', String(timestamp), '_total', String(total)]);
  }
  const slugs = Array.from({ length: SHOUTS }, (_, i) => [shoutSlug(i + 1), String(i + 1)]).flat();
  const { renamed, withoutViews } = VIEW_DAMAGE;
  const damaged = [
    ...[`${shoutSlug(renamed)}-before`, String(renamed)],
    ...[shoutSlug(withoutViews), String(withoutViews)],
  ];
  batch.add('HSET', [key('discours.migrated-views-slugs'), ...slugs, ...damaged]);
};
