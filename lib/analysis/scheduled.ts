import 'server-only';
import { createHash } from 'node:crypto';
import { systemActor } from '@/lib/actor';
import { appendEvent } from '@/lib/audit/log';
import { catalogOf } from '@/lib/command/context';
import { newId } from '@/lib/ids';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { releaseLease, takeLease } from '@/lib/redis/lease';
import type { Store } from '@/lib/redis/store';
import { HOUR } from '@/lib/time';
import type { RegularPart } from '@/lib/walk/shared-walk';
import { AnalysisCollector } from './collector';
import { reportOf } from './report';
import { dueTime, markDone } from './schedule';
import { type AnalysisReport, analysisContracts } from './schema';
import { writeReport } from './stored-reports';

/** The report's id for a time of the schedule: storing it again replaces it. */
const idOf = (connection: string, time: number): string =>
  createHash('sha256')
    .update(`${connection} ${time}`)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');

const record = (store: Store, connection: string, report: AnalysisReport, now: number): Promise<void> =>
  appendEvent(
    store,
    {
      actor: systemActor(),
      action: analysisContracts.start.id,
      connection,
      target: 'all keys, by schedule',
      outcome: 'succeeded',
      detail: `${report.keys} keys in ${report.families.length} families.`,
    },
    now,
  );

/**
 * The analysis of a schedule: it joins the first walk after its time, whatever the walk is for, and needs no user. If
 * walks of several processes include it, the first to end stores the report.
 */
export const scheduledAnalysis = (
  store: Store,
  handle: ConnectionHandle,
  now: () => number = Date.now,
): RegularPart => {
  const connection = handle.config.id;
  let due: number | null = null;
  let counting: { time: number; counted: AnalysisCollector; catalog: ReturnType<typeof catalogOf> } | null =
    null;
  return {
    part: 'analysis',
    isDue: async () => {
      due = await dueTime(store, connection, now());
      return due !== null;
    },
    begin: () => {
      const catalog = catalogOf(handle);
      const counted = new AnalysisCollector(catalog, { exact: false });
      counting = { time: due ?? now(), counted, catalog };
      return counted;
    },
    done: async (walk) => {
      if (!counting) return;
      const { time, counted, catalog } = counting;
      counting = null;
      const owner = newId(now());
      const lease = consoleFamilies.lease.key({ name: `analysis-${connection}-${time}` });
      if (!(await takeLease(store, lease, owner, HOUR))) return;
      const ended = {
        id: idOf(connection, time),
        at: now(),
        complete: true,
        share: 1,
        scheduled: true,
        walk,
        reasons: [],
      };
      try {
        const report = await reportOf({ connection: handle, catalog, store, now }, counted, ended);
        await writeReport(store, connection, report);
        await markDone(store, connection, time);
        await record(store, connection, report, now());
      } catch (error) {
        // Still due: release the lease, otherwise the next walk would count in vain.
        await releaseLease(store, lease, owner);
        throw error;
      }
    },
  };
};
