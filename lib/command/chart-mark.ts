import 'server-only';
import { recordHistoryEvent } from '@/lib/history/events';
import type { Store } from '@/lib/redis/store';
import type { AnyCommand, MarkedChange } from './define';

/** Marks a change on the charts of its connection. A failure of the mark does not fail the change. */
export const markChange = async (
  store: Store,
  command: AnyCommand,
  connection: string | null,
  { auditId, ...change }: MarkedChange & { auditId: string },
): Promise<void> => {
  const mark = command.chartMark?.(change);
  if (!mark || connection === null) return;
  await recordHistoryEvent(store, connection, { ...mark, auditId }).catch(() => undefined);
};
