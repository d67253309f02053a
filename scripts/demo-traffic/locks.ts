import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Batch } from './batch';
import { key, type World } from './world';

// Relative to the project's root, where all callers run: a bundle is in another folder than its source.
const releaseLock = readFileSync(join(process.cwd(), 'scripts/demo-traffic/release-lock.lua'), 'utf8');

const TTL_SECONDS = 30;
const OPERATIONS = ['reindex', 'publish', 'import'];

/** A lock that a worker holds until `until`, Unix seconds. */
interface Held {
  at: Buffer;
  owner: string;
  until: number;
}

const held = new WeakMap<World, Held[]>();

const ownerOf = ({ random }: World): string => `worker-${random.below(4)}:${random.hex(12)}`;

/** SET NX EX with an owner token. Some workers die: their locks expire. */
const acquire = (world: World, batch: Batch, mine: Held[]): void => {
  const { random } = world;
  const at = key('discours.lock', { operation: random.pick(OPERATIONS), entity_id: 1 + random.below(50) });
  const owner = ownerOf(world);
  const until = world.now() + 2 + random.below(20);
  const dies = random.chance(0.1);
  batch.add('SET', [at, owner, 'NX', 'EX', TTL_SECONDS], (reply) => {
    if (reply === 'OK' && !dies) mine.push({ at, owner, until });
  });
};

/** A worker acquires a lock, and finished workers release theirs by compare-and-delete. */
export const lock = (world: World, batch: Batch): void => {
  const mine = held.get(world) ?? [];
  const now = world.now();
  for (const { at, owner } of mine.filter(({ until }) => until <= now))
    batch.add('EVAL', [releaseLock, 1, at, owner]);
  const rest = mine.filter(({ until }) => until > now);
  acquire(world, batch, rest);
  held.set(world, rest);
};

export const LOCK_DAMAGE = {
  /** Never expires: its worker died between SET and EXPIRE. */
  withoutTtl: { operation: 'reindex', entity_id: 'catalog' },
  /** Its TTL is far longer than a lock's. */
  tooLong: { operation: 'import', entity_id: '2024-01' },
} as const;

export const seedLocks = (world: World, batch: Batch): void => {
  const { withoutTtl, tooLong } = LOCK_DAMAGE;
  batch.add('SET', [key('discours.lock', withoutTtl), ownerOf(world)]);
  batch.add('SET', [key('discours.lock', tooLong), ownerOf(world), 'EX', 6 * 3600]);
};
