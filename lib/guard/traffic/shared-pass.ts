import 'server-only';
import { processWide } from '@/lib/process-wide';
import type { Key } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { SECOND } from '@/lib/time';
import { heaviestFields, type Pass } from './pass';

/** A walk, and when it was over (epoch ms). */
export interface Taken extends Pass {
  at: number;
}

interface Shared {
  most: number;
  tookMs: number;
  walking: Promise<Taken> | null;
  last: Taken | null;
}

/** How many are kept: every table of a hundred or fewer shares one walk. */
const FEW = 100;
const MANY = 1000;
/** How long a walk is good for who looks at a page; one that took long is good for several times as long. */
const FRESH_MS = SECOND;
const REST = 4;

const passesOf = processWide('traffic-passes', () => new WeakMap<ConnectionHandle, Map<string, Shared>>());

const sharedOf = (handle: ConnectionHandle, key: Key, most: number): Shared => {
  const passes = passesOf().get(handle) ?? new Map<string, Shared>();
  passesOf().set(handle, passes);
  const id = `${most} ${key.toString('latin1')}`;
  const found = passes.get(id) ?? { most, tookMs: 0, walking: null, last: null };
  passes.set(id, found);
  return found;
};

/** The heaviest fields of a map, at least `limit` of them: a walk under way, one just over, or a new one. */
export const sharedPass = (
  handle: ConnectionHandle,
  key: Key,
  limit: number,
  now: () => number,
  freshMs = FRESH_MS,
): Promise<Taken> => {
  const entry = sharedOf(handle, key, limit <= FEW ? FEW : MANY);
  if (entry.walking) return entry.walking;
  const { last } = entry;
  const age = last ? now() - last.at : Number.POSITIVE_INFINITY;
  if (last && age >= 0 && age < Math.max(freshMs, REST * entry.tookMs)) return Promise.resolve(last);
  const started = performance.now();
  entry.walking = heaviestFields(handle, key, entry.most)
    .then((pass) => {
      entry.last = { ...pass, at: now() };
      entry.tookMs = performance.now() - started;
      return entry.last;
    })
    .finally(() => {
      entry.walking = null;
    });
  return entry.walking;
};
