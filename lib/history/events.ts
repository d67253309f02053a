import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { iso } from '@/lib/time';
import { readPlacedEvents } from './placed-events';
import { EVENT_KINDS, type HistoryEvent } from './schema';
import { type StreamRows, timedRows } from './timed-stream';

const storedEvent = z.object({
  kind: z.enum(EVENT_KINDS),
  text: z.string(),
  auditId: z.string().nullable().default(null),
  family: z.string().nullable().default(null),
});

const MAX_KEPT = 10_000;
const MAX_READ = 1000;

/** Records a current event of a connection for its charts. The text must not contain a secret. */
export const recordHistoryEvent = (
  store: Store,
  connection: string,
  event: { kind: HistoryEvent['kind']; text: string; auditId?: string; family?: string | null },
): Promise<void> =>
  store.use(async (redis) => {
    const key = consoleFamilies.historyEvents.key({ connection });
    await redis.xadd(key, 'MAXLEN', '~', MAX_KEPT, '*', 'e', JSON.stringify(event));
  });

/** Events in [from, to], epoch ms, oldest first. */
export const readHistoryEvents = async (
  store: Store,
  connection: string,
  from: number,
  to: number,
): Promise<HistoryEvent[]> => {
  const key = consoleFamilies.historyEvents.key({ connection });
  const rows = await store.use(
    async (redis) =>
      (await redis.xrange(key, Math.max(0, from), Math.max(0, to), 'COUNT', MAX_READ)) as StreamRows,
  );
  const events = timedRows(storedEvent, rows).map((event) => ({ ...event, href: null }));
  const placed = await readPlacedEvents(store, connection, from, to);
  return [...events, ...placed].sort((a, b) => a.at - b.at).map((event) => ({ ...event, at: iso(event.at) }));
};
