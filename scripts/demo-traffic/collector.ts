import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Batch } from './batch';
import { QUIET, quietProject } from './limits';
import { key, NOISY_ADDRESS, type World } from './world';

/** The error collector: requests per address, blocked projects, rate limits by its own atomic rule. */

// Relative to the project's root, where all callers run: a bundle is in another folder than its source.
const rateLimit = readFileSync(join(process.cwd(), 'scripts/demo-traffic/rate-limit.lua'), 'utf8');

const allow = (world: World, batch: Batch, project: string): void => {
  const { limit, periodSeconds } = world.limitOf(project);
  batch.add('EVAL', [rateLimit, 1, key('hawk.rate-limits'), project, world.now(), limit, periodSeconds]);
};

/** A window in each possible state; projects without traffic keep it. */
const quietWindow = (world: World, state: (typeof QUIET)[number], project: string): string => {
  const { limit, periodSeconds } = world.limitOf(project);
  const started = world.now() - Math.floor(periodSeconds / 10);
  switch (state) {
    case 'near':
      return `${started}:${Math.ceil(limit * 0.87)}`;
    case 'limited':
      return `${started}:${limit}`;
    case 'expired':
      return `${world.now() - 2 * periodSeconds}:${limit}`;
    case 'unreadable':
      // Limited for ever, because the rule cannot parse it.
      return 'reset by hand';
    default:
      return `${started}:${Math.ceil(limit * 0.3) + 1}`;
  }
};

/** Three projects send far more than their limit; the others rarely reach it. */
const someProject = (world: World): string =>
  world.random.chance(0.65) ? world.projects[world.random.below(3)]! : world.random.pick(world.projects);

/** A request: increments both maps, then applies the rate limit of its project. */
export const request = (world: World, batch: Batch): void => {
  const { random, addresses } = world;
  const address = random.chance(0.6) ? NOISY_ADDRESS : addresses[random.popular(addresses.length)]!;
  batch.add('HINCRBY', [key('hawk.all-ips'), address, 1]);
  batch.add('HINCRBY', [key('hawk.current-period'), address, 1]);
  if (!random.chance(0.5)) return;
  const project = someProject(world);
  if (!world.blockedProjects.has(project)) allow(world, batch, project);
};

/** BLOCKED_PROJECTS_UPDATE_PERIOD: loads the list with SSCAN. */
export const reloadBlocked = (world: World, batch: Batch): void =>
  batch.add('SSCAN', [key('hawk.disabled-projects'), 0, 'COUNT', 1000], (reply) => {
    world.blockedProjects = new Set((reply as [string, string[]])[1]);
  });

/** BLACKLIST_UPDATE_PERIOD: reads and deletes the period's map. Only people add to the blacklist. */
export const endPeriod = (_world: World, batch: Batch): void => {
  batch.add('SSCAN', [key('hawk.blacklist-ips'), 0, 'COUNT', 1000]);
  batch.add('HKEYS', [key('hawk.current-period')]);
  batch.add('HVALS', [key('hawk.current-period')]);
  batch.add('DEL', [key('hawk.current-period')]);
};

export const seedCollector = (world: World, batch: Batch): void => {
  const { random } = world;
  for (const project of world.blockedProjects) batch.add('SADD', [key('hawk.disabled-projects'), project]);
  // The collector compares exactly, so a network never matches an address.
  const blacklisted = ['192.0.2.200', '203.0.113.66', '2001:db8::bad', '198.51.100.99', '198.51.100.0/24'];
  batch.add('SADD', [key('hawk.blacklist-ips'), ...blacklisted]);
  for (const [i, address] of world.addresses.entries()) {
    const requests = i === 0 ? 184_000 : 20 + random.below(9000);
    batch.add('HSET', [key('hawk.all-ips'), address, requests]);
    if (random.chance(0.5))
      batch.add('HSET', [key('hawk.current-period'), address, 1 + random.below(i === 0 ? 200 : 20)]);
  }
  for (let event = 0; event < 900; event++) {
    const project = someProject(world);
    if (!world.blockedProjects.has(project)) allow(world, batch, project);
  }
  QUIET.forEach((state, n) => {
    const project = quietProject(n);
    batch.add('HSET', [key('hawk.rate-limits'), project, quietWindow(world, state, project)]);
  });
};
