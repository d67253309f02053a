import type { Redis } from 'ioredis';
import { seedViews, state, writeMetrics, writeStats } from './background';
import { batchOn } from './batch';
import { seedCollector } from './collector';
import { seedConfiguration } from './configuration';
import { seedDamage } from './damage';
import { seedDamagedTokens } from './damaged-tokens';
import { seedPages } from './pages';
import { oauth, oauthState, signIn, verify } from './visitors';
import { createWorld, type TrafficOptions, type World } from './world';

export type { TrafficOptions, World } from './world';

const DAY = 86_400;
const SESSIONS = 2000;

/**
 * Writes a realistic state of the applications into an empty Redis: about 300 users, 2 000 sessions, the caches,
 * configuration with secrets, the collector's keys and some damage. Returns the world, for the live traffic to continue
 * with.
 */
export const seed = async (redis: Redis, options: TrafficOptions = {}): Promise<World> => {
  const world = createWorld(options);
  const batch = batchOn(redis, world.ledger.write);
  seedConfiguration(world, batch);
  seedPages(world, batch);
  await batch.flush();
  for (let i = 0; i < SESSIONS; i++) {
    world.sessions.push(signIn(world, batch, { age: world.random.popular(29 * DAY) }));
    if (batch.size > 1000) await batch.flush();
  }
  for (let i = 0; i < 60; i++) {
    oauth(world, batch);
    verify(world, batch);
    if (i % 3 === 0) oauthState(world, batch);
    if (i % 5 === 0) state(world, batch);
  }
  seedViews(world, batch);
  seedDamage(world, batch);
  await batch.flush();
  seedCollector(world, batch);
  writeMetrics(world, batch);
  writeStats(world, batch);
  seedDamagedTokens(world, batch);
  await batch.flush();
  return world;
};
