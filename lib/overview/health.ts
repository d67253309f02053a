import 'server-only';
import type { Result } from '@/lib/contract';
import { shutdown } from '@/lib/http/shutdown';
import { type ConnectionHandle, connections } from '@/lib/redis/connections';
import { codeOf, describeFailure } from '@/lib/redis/failure';
import { toServerInfo } from '@/lib/redis/info';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import { type Store, store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import { isBeingUpgraded } from '@/lib/upgrade/stored-version';
import type { healthContracts } from './schema';

export interface StoreState {
  /**
   * `version`: another console upgraded it, or its version is not known yet. `upgrading`: one does so now. `full`: its
   * disk or its memory is, so that it takes no changes.
   */
  state: 'ready' | 'version' | 'upgrading' | 'full' | 'unreachable';
  /** A sentence; null where it is ready or unreachable. */
  reason: string | null;
}

const READY: StoreState = { state: 'ready', reason: null };

const full = (why: string): StoreState => ({
  state: 'full',
  reason: `Keyward's own store takes no changes: ${why}.`,
});

/** A server that cannot write to its disk refuses PING too, so that it counts as failed. */
export const stateOfStore = async (own: Store): Promise<StoreState> => {
  try {
    const text = await own.use(async (redis) => {
      await redis.ping();
      return redis.info('memory');
    });
    const { usedMemoryBytes, maxMemoryBytes, maxMemoryPolicy } = toServerInfo(text, 0, 0);
    const isFull =
      maxMemoryBytes > 0 && usedMemoryBytes >= maxMemoryBytes && maxMemoryPolicy === 'noeviction';
    return isFull ? full('its memory limit is reached') : READY;
  } catch (error) {
    const { cause } = error as Error;
    return codeOf(cause) === 'full' ? full(describeFailure(cause)) : { state: 'unreachable', reason: null };
  }
};

const shared = sharedAnswer<StoreState>('store-state', SECOND);

/** Probes and overviews share an answer for a second: many of them cost the store no more than one. */
export const storeState = async (): Promise<StoreState> => {
  const refusal = store().refusal();
  if (!refusal) return shared.of(store(), () => stateOfStore(store()));
  return { state: isBeingUpgraded(refusal) ? 'upgrading' : 'version', reason: refusal.message };
};

type Dependency = Result<typeof healthContracts.ready>['dependencies'][number];

const STATES = {
  ready: 'ready',
  version: 'degraded',
  upgrading: 'degraded',
  full: 'degraded',
  unreachable: 'unreachable',
} as const;

/**
 * health.ready: stopping after SIGTERM; unavailable without the store, and where another console upgraded it, so that requests go to that one;
 * degraded while a Redis is unreachable, the store is being upgraded, or it is full, which is the same for all consoles.
 */
export const readiness = async (): Promise<Result<typeof healthContracts.ready>> => {
  const { state, reason } = await storeState();
  const stateOf = (handle: ConnectionHandle): Dependency => ({
    name: handle.config.id,
    state: handle.status().state,
    reason: null,
  });
  const dependencies = [
    { name: 'store', state: STATES[state], reason },
    ...[...connections().values()].map(stateOf),
  ];
  if (shutdown().signal.aborted) return { status: 'stopping', dependencies };
  if (state === 'unreachable' || state === 'version') return { status: 'unavailable', dependencies };
  const degraded = dependencies.some((dependency) => dependency.state !== 'ready');
  return { status: degraded ? 'degraded' : 'ok', dependencies };
};
