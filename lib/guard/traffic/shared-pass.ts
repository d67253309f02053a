import 'server-only';
import { processWide } from '@/lib/process-wide';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { SingleFlight } from '@/lib/single-flight';
import { SECOND } from '@/lib/time';
import { heaviestFields, type Pass } from './pass';

/** A walk, and when it was over (epoch ms). */
export interface Taken extends Pass {
  at: number;
}

/** The walks of one connection's maps, and the last of each with what it took. */
class SharedPasses {
  readonly walks = new SingleFlight<Taken>();
  readonly last = new Map<string, { taken: Taken; tookMs: number }>();
}

/** How many are kept: every table of a hundred or fewer shares one walk. */
const FEW = 100;
const MANY = 1000;
/** How long a walk is good for who looks at a page; one that took long is good for several times as long. */
const FRESH_MS = SECOND;
const REST = 4;

const shared = processWide('traffic-passes', () => new WeakMap<ConnectionHandle, SharedPasses>());

/** The heaviest fields of a map, at least `limit` of them: a walk under way, one just over, or a new one. */
export const sharedPass = (
  handle: ConnectionHandle,
  key: Key,
  limit: number,
  now: () => number,
  freshMs = FRESH_MS,
): Promise<Taken> => {
  const passes = shared().get(handle) ?? new SharedPasses();
  shared().set(handle, passes);
  // One more than a page has tells whether there is a next one.
  const most = (limit <= FEW ? FEW : MANY) + 1;
  const id = `${most} ${key.toString('latin1')}`;
  return passes.walks.run(id, async () => {
    const last = passes.last.get(id);
    const age = last ? now() - last.taken.at : Number.POSITIVE_INFINITY;
    if (last && age >= 0 && age < Math.max(freshMs, REST * last.tookMs)) return last.taken;
    const started = performance.now();
    const taken = { ...(await heaviestFields(handle, key, { most })), at: now() };
    passes.last.set(id, { taken, tookMs: performance.now() - started });
    return taken;
  });
};
