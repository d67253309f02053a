import 'server-only';
import { processWidePer } from '@/lib/process-wide';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { SingleFlight } from '@/lib/single-flight';
import { SECOND } from '@/lib/time';
import { heaviestFields, type Pass } from './pass';

/** A pass, and when it finished (epoch ms). */
export interface TimedPass extends Pass {
  at: number;
}

/** The running passes of one connection's maps, and the last one of each with its duration. */
class SharedPasses {
  readonly running = new SingleFlight<TimedPass>();
  readonly last = new Map<string, { pass: TimedPass; tookMs: number }>();
}

/** Sizes of a pass: all tables of a hundred rows or fewer share one. */
const SMALL_TOP = 100;
const LARGE_TOP = 1000;
/** How long readers share a pass; a slow one is shared for several times its duration. */
const SHARED_MS = SECOND;
const REST_FACTOR = 4;

const passesOf = processWidePer('traffic-passes', (_: ConnectionHandle) => new SharedPasses());

/** The heaviest fields of a map, at least `limit` of them: from a running pass, a recent one, or a new one. */
export const sharedPass = (
  handle: ConnectionHandle,
  key: Key,
  limit: number,
  now: () => number,
  sharedMs = SHARED_MS,
): Promise<TimedPass> => {
  const passes = passesOf(handle);
  // One more than the page shows whether there is a next page.
  const most = (limit <= SMALL_TOP ? SMALL_TOP : LARGE_TOP) + 1;
  const id = `${most} ${key.toString('latin1')}`;
  return passes.running.run(id, async () => {
    const last = passes.last.get(id);
    const age = last ? now() - last.pass.at : Number.POSITIVE_INFINITY;
    if (last && age >= 0 && age < Math.max(sharedMs, REST_FACTOR * last.tookMs)) return last.pass;
    const started = performance.now();
    const pass = { ...(await heaviestFields(handle, key, { most })), at: now() };
    passes.last.set(id, { pass, tookMs: performance.now() - started });
    return pass;
  });
};
