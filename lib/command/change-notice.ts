import 'server-only';
import { newId } from '@/lib/ids';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { processWide } from '@/lib/process-wide';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { withoutStore } from '@/lib/redis/failure';
import { HOUR } from '@/lib/time';
import type { ReadContext } from './context';

/** Longer than any process caches its reads. */
const NOTICE_MS = HOUR;

type On = Pick<ReadContext, 'store' | 'connection'>;

/** Informs other processes that cached data has changed. Without the store they notice when they read again. */
export const changeNotice = (topic: 'locks' | 'rate-limits') => {
  const known = processWide(`notices of ${topic}`, () => new WeakMap<ConnectionHandle, string>());
  const keyOf = ({ config }: ConnectionHandle) =>
    consoleFamilies.changed.key({ name: topic, connection: config.id });
  return {
    /** Called after a change by this process. */
    send: async ({ store, connection }: On): Promise<void> => {
      const id = newId();
      known().set(connection, id);
      await store.use((redis) => redis.set(keyOf(connection), id, 'PX', NOTICE_MS)).catch(withoutStore(null));
    },
    /** Whether another process made a change since the last call. */
    isNew: async ({ store, connection }: On): Promise<boolean> => {
      const last = await store.use((redis) => redis.get(keyOf(connection))).catch(withoutStore(null));
      if (last === null || last === known().get(connection)) return false;
      known().set(connection, last);
      return true;
    },
  };
};
