import 'server-only';
import type { Result } from '@/lib/contract';
import { shutdown } from '@/lib/http/stream';
import { type ConnectionHandle, connections } from '@/lib/redis/connections';
import { sharedAnswer } from '@/lib/redis/shared-answer';
import { store } from '@/lib/redis/store';
import { SECOND } from '@/lib/time';
import type { healthContracts } from './schema';

/** Probes share a ping of the store: many of them cost it no more than one. */
const storeState = sharedAnswer<'ready' | 'unreachable'>('store-state', SECOND);

/** health.ready: stopping after SIGTERM, unavailable without the store, degraded while a Redis is unreachable. */
export const readiness = async (): Promise<Result<typeof healthContracts.ready>> => {
  const own = await storeState.of(store(), () =>
    store()
      .use((redis) => redis.ping())
      .then(() => 'ready' as const)
      .catch(() => 'unreachable' as const),
  );
  const dependencies = [
    { name: 'store', state: own as ReturnType<ConnectionHandle['status']>['state'] },
    ...[...connections().values()].map((handle) => ({
      name: handle.config.id,
      state: handle.status().state,
    })),
  ];
  if (shutdown().signal.aborted) return { status: 'stopping', dependencies };
  if (own !== 'ready') return { status: 'unavailable', dependencies };
  const degraded = dependencies.some((dependency) => dependency.state !== 'ready');
  return { status: degraded ? 'degraded' : 'ok', dependencies };
};
