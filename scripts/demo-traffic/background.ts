import type { Batch } from './batch';
import { shoutSlug } from './content';
import { key, SHOUTS, type World } from './world';

const HOUR = 3600;
const DAY = 86_400;

/** A figure that oscillates around `middle` with a period of six minutes. */
const wave = (world: World, middle: number): number =>
  Math.round(middle * (1 + 0.1 * Math.sin(world.now() / 60)) + world.random.below(1 + middle / 50));

const PERIODS = [
  ['hourly', HOUR],
  ['daily', DAY],
] as const;

/** The applications' own figures, consistent with the generated traffic. */
export const writeMetrics = (world: World, batch: Batch): void => {
  const metric = (name: string, period: string, value: number | string, ttl: number) =>
    batch.add('SET', [key('discours.metrics', { name, period }), value, 'EX', ttl]);
  for (const [period, ttl] of PERIODS) {
    metric('cache_hits', period, world.hits, ttl);
    metric('cache_misses', period, world.misses, ttl);
  }
  metric('active_sessions', 'hourly', world.sessions.length, HOUR);
  metric('active_sessions', 'daily', world.sessions.length + 240, DAY);
  metric('response_ms', 'hourly', wave(world, 38), HOUR);
  metric('response_ms', 'daily', 41.5, DAY);
};

/** A request is counted for each of its periods; a counter restarts when its period is over. */
export const countRequest = (world: World, batch: Batch): void => {
  for (const [period, ttl] of [...PERIODS, ['weekly', 7 * DAY], ['monthly', 30 * DAY]] as const) {
    const at = key('discours.metrics', { name: 'requests', period });
    batch.add('INCRBY', [at, 1 + world.random.below(4)], (count) => {
      // The first request of a period starts it.
      if (Number(count) <= 4) batch.add('EXPIRE', [at, ttl]);
    });
  }
};

/** Written by hand, so that it cannot be counted or drawn. */
export const seedMetricDamage = (batch: Batch): void => {
  const at = key('discours.metrics', { name: 'import_status', period: 'daily' });
  batch.add('SET', [at, 'waiting for approval', 'EX', 30 * DAY]);
};

export const writeStats = (world: World, batch: Batch): void => {
  const stats = (entity: string, timeframe: string, fields: (string | number)[], ttl: number) => {
    const at = key('discours.stats', { entity, timeframe });
    batch.add('HSET', [at, ...fields]);
    batch.add('EXPIRE', [at, ttl]);
  };
  const { random, people, sessions } = world;
  stats(
    'topics',
    'weekly',
    ['total', 40, 'new', 1 + random.below(3), 'followers', wave(world, 2400)],
    7 * DAY,
  );
  stats('authors', 'daily', ['total', people.length, 'active', sessions.length], DAY);
  stats('shouts', 'daily', ['total', SHOUTS, 'published', wave(world, 12), 'views', wave(world, 5200)], DAY);
};

/** Disagreements about views, one of each kind: tests compare the console's findings with it. */
export const VIEW_DAMAGE = {
  /** Has views, but no slug. */
  withoutSlug: SHOUTS + 1,
  notANumber: SHOUTS + 2,
  /** Has a slug, but no views. */
  withoutViews: SHOUTS + 3,
  /** Has two slugs. */
  renamed: 1,
  /** Number of publications in the older import. */
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
    `${shoutSlug(renamed)}-before`,
    String(renamed),
    shoutSlug(withoutViews),
    String(withoutViews),
  ];
  batch.add('HSET', [key('discours.migrated-views-slugs'), ...slugs, ...damaged]);
};
