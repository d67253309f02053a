import 'server-only';
import { z } from 'zod';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { Store } from '@/lib/redis/store';
import { iso } from '@/lib/time';
import { EVENT_KINDS, type HistoryEvent } from './schema';
import { type StreamRows, timedRows } from './timed-stream';

const storedEvent = z.object({
  kind: z.enum(EVENT_KINDS),
  text: z.string(),
  auditId: z.string().nullable().default(null),
});

const MAX_KEPT = 10_000;

/** Marks a moment on the charts of a connection. */
export const recordHistoryEvent = (
  store: Store,
  connection: string,
  event: { kind: HistoryEvent['kind']; text: string; auditId?: string },
): Promise<void> =>
  store.use(async (redis) => {
    const key = consoleFamilies.historyEvents.key({ connection });
    await redis.xadd(key, 'MAXLEN', '~', MAX_KEPT, '*', 'e', JSON.stringify(event));
  });

/** Moments in [from, to], epoch ms. */
export const readHistoryEvents = (
  store: Store,
  connection: string,
  from: number,
  to: number,
): Promise<HistoryEvent[]> =>
  store.use(async (redis) => {
    const key = consoleFamilies.historyEvents.key({ connection });
    const rows = (await redis.xrange(key, from, to, 'COUNT', 1000)) as StreamRows;
    return timedRows(storedEvent, rows).map((event) => ({ ...event, at: iso(event.at) }));
  });
