import { countRequest, seedMetricDamage, seedViews, writeMetrics, writeStats } from './background';
import { batchOn, type Target } from './batch';
import { seedCollector } from './collector';
import { seedConfiguration } from './configuration';
import { seedCounts } from './counts';
import { seedDamage } from './damage';
import { seedDamagedTokens } from './damaged-tokens';
import { seedLocks } from './locks';
import { seedPages } from './pages';
import { seedProcesses } from './processes';
import { seedQueues } from './queues';
import { oauth, oauthState, signIn, verify } from './visitors';
import { createWorld, type TrafficOptions, type World } from './world';

export type { TrafficOptions, World } from './world';

const DAY = 86_400;
const SESSIONS = 2000;

/**
 * Writes a realistic state of the applications into an empty Redis: about 300 users, 2 000 sessions, the caches,
 * configuration with secrets, the collector's keys, locks, processes, queues and figures, and some damage. Returns the
 * world, with which the live traffic continues.
 */
export const seed = async (redis: Target, options: TrafficOptions = {}): Promise<World> => {
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
  }
  seedViews(world, batch);
  seedDamage(world, batch);
  await batch.flush();
  seedCollector(world, batch);
  writeMetrics(world, batch);
  writeStats(world, batch);
  seedDamagedTokens(world, batch);
  await batch.flush();
  for (const fill of [seedLocks, seedProcesses, seedQueues, seedCounts, countRequest]) fill(world, batch);
  seedMetricDamage(batch);
  await batch.flush();
  // Sends the commands that replies have added.
  await batch.flush();
  return world;
};
