import 'server-only';
import { z } from 'zod';
import { appendTimed, type StreamRows, timedRows } from '@/lib/history/timed-stream';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { Store } from '@/lib/redis/store';
import { parseStored } from '@/lib/stored-json';
import { DAY, MINUTE } from '@/lib/time';
import { type Checked, checked } from './checked';
import { countsOf } from './report';
import { type ConventionsReport, RULE_IDS, type RuleId } from './schema';

const KEPT_MS = 90 * DAY;
/** The interval in the history between checks that nobody requested. */
const HISTORY_STEP_MS = 10 * MINUTE;

const historyRow = z.object({
  score: z.number().nullable(),
  counts: z.partialRecord(z.enum(RULE_IDS), z.number()),
});
export type HistoryRow = z.output<typeof historyRow> & { at: number };

const keyOf = (connection: string): Buffer => consoleFamilies.conventionCheck.key({ connection });
const historyOf = (connection: string): Buffer => consoleFamilies.conventionHistory.key({ connection });

export const readCheck = (store: Store, connection: string): Promise<Checked | null> =>
  store.use(async (redis) => parseStored(checked, await redis.get(keyOf(connection))));

export const writeCheck = (store: Store, connection: string, check: Checked): Promise<void> =>
  store.use(async (redis) => {
    await redis.set(keyOf(connection), JSON.stringify(check), 'PX', KEPT_MS);
  });

/** Rows at or before a time, newest first. */
export const readHistory = (
  store: Store,
  connection: string,
  { to, count }: { to: number | '+'; count: number },
): Promise<HistoryRow[]> =>
  store.use(async (redis) => {
    const rows = await redis.xrevrange(historyOf(connection), to, '-', 'COUNT', count);
    return timedRows(historyRow, rows as StreamRows);
  });

/** Adds a report to the history, unless one was added recently and nobody requested this one. */
export const addToHistory = async (
  store: Store,
  connection: string,
  report: ConventionsReport,
  { at, wasRequested }: { at: number; wasRequested: boolean },
): Promise<void> => {
  const [last] = await readHistory(store, connection, { to: '+', count: 1 });
  if (!wasRequested && last && at - last.at < HISTORY_STEP_MS) return;
  const kept = { score: report.score, counts: countsOf(report) };
  await appendTimed(store, historyOf(connection), { at, kept, trim: ['MINID', at - KEPT_MS] });
};

/** Violations by rule in the last report at least a day older; null without one. */
export const countsOfYesterday = async (
  store: Store,
  connection: string,
  now: number,
): Promise<Partial<Record<RuleId, number>> | null> => {
  const [row] = await readHistory(store, connection, { to: now - DAY, count: 1 });
  return row && row.at >= now - 2 * DAY ? row.counts : null;
};
