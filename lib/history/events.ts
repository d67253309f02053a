import 'server-only';
import { consoleFamilies } from '@/lib/catalog/apps/console';
import type { Store } from '@/lib/redis/store';
import { iso } from '@/lib/time';
import type { HistoryEvent } from './schema';

const MOST_KEPT = 10_000;

/** Marks a moment on the charts of a connection. */
export const recordHistoryEvent = (
  store: Store,
  connection: string,
  event: { kind: HistoryEvent['kind']; text: string; auditId?: string },
): Promise<void> =>
  store.use(async (redis) => {
    const key = consoleFamilies.historyEvents.key({ connection });
    await redis.xadd(key, 'MAXLEN', '~', MOST_KEPT, '*', 'e', JSON.stringify(event));
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
    const rows = (await redis.xrange(key, from, to, 'COUNT', 1000)) as [string, string[]][];
    return rows.map(([id, fields]) => {
      const event = JSON.parse(fields[1]!) as { kind: HistoryEvent['kind']; text: string; auditId?: string };
      return {
        at: iso(Number(id.split('-')[0])),
        kind: event.kind,
        text: event.text,
        auditId: event.auditId ?? null,
      };
    });
  });
