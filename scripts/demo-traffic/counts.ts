import type { Batch } from './batch';
import { key, PEOPLE, type World } from './world';

/** What the application counts: leaderboards, counters, a bitmap and a HyperLogLog, all about the same people. */

const DAY = 86_400;
/** Maximum number of members of a leaderboard; the last ones are dropped. */
const MAX_MEMBERS = 100;

const leaderboardAt = key('common.leaderboard', { name: 'authors:weekly' });
const counterAt = (name: string): Buffer => key('common.counter', { name });
const dayOf = (world: World): string => new Date(world.now() * 1000).toISOString().slice(0, 10);

const score = (world: World, batch: Batch, points: number): void => {
  const member = `author:${1 + world.random.popular(PEOPLE)}`;
  batch.add('ZINCRBY', [leaderboardAt, points, member]);
};

const signIn = (world: World, batch: Batch): void => {
  const user = world.random.popular(PEOPLE);
  const day = dayOf(world);
  for (const [at, command, args] of [
    [key('common.bitmap', { name: `sign-in:${day}` }), 'SETBIT', [user, 1]],
    [key('common.hll', { name: `visitors:${day}` }), 'PFADD', [`user:${user}`]],
  ] as const) {
    batch.add(command, [at, ...args]);
    batch.add('EXPIRE', [at, 30 * DAY]);
  }
};

/** A request: counted, scored, and marked for the day. */
export const countVisit = (world: World, batch: Batch): void => {
  batch.add('INCR', [counterAt('api:calls')]);
  if (world.random.chance(0.5)) batch.add('INCRBY', [counterAt('page:views'), 1 + world.random.below(3)]);
  if (world.random.chance(0.3)) score(world, batch, 1 + world.random.below(5));
  if (world.random.chance(0.3)) signIn(world, batch);
  if (world.random.chance(0.02)) {
    batch.add('ZREMRANGEBYRANK', [leaderboardAt, 0, -1 - MAX_MEMBERS]);
    batch.add('EXPIRE', [leaderboardAt, 7 * DAY]);
  }
};

export const seedCounts = (world: World, batch: Batch): void => {
  for (let i = 0; i < 120; i++) score(world, batch, 10 + world.random.below(90));
  batch.add('EXPIRE', [leaderboardAt, 7 * DAY]);
  batch.add('SET', [counterAt('api:calls'), 48_000]);
  batch.add('SET', [counterAt('page:views'), 120_500]);
  for (let i = 0; i < 60; i++) signIn(world, batch);
};
