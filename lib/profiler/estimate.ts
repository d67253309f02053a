import 'server-only';
import { isProfiling } from '@/lib/calls/monitor-lease';
import { mayUse } from '@/lib/command/capable';
import type { ReadOf } from '@/lib/command/context';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { fromPrimaries, sumOf } from '@/lib/redis/each-primary';
import { parseInfo } from '@/lib/redis/info';
import { orRefused } from '@/lib/redis/section';
import { readServer } from '@/lib/redis/server-reads';
import { expectedCoverageOf, statedShareOf } from './cost';
import { MAX_SECONDS, MAX_SHARE, type profilerContracts } from './schema';

/** The current commands per second of each primary, by its own count; null where INFO is refused. */
export const readLoads = async (handle: ConnectionHandle): Promise<number[] | null> => {
  const reading = fromPrimaries(handle, async (node) =>
    parseInfo(String(await readServer(handle, node, ['INFO']))).get('instantaneous_ops_per_sec'),
  );
  const { value } = await orRefused(reading);
  const loads = (value?.answers ?? []).map((answer) => Number(answer.value));
  return value && loads.every((load) => !Number.isNaN(load)) ? loads : null;
};

/** The highest load of a server: each has its own share. */
export const highestLoad = (loads: readonly number[] | null): number | null => loads && Math.max(...loads);

/** profiler.estimate: the cost of a profile at the current load, and whether one can start. */
export const estimateProfile: ReadOf<typeof profilerContracts.estimate> = async (
  { connection, catalog, store },
  { seconds },
) => {
  const loads = await readLoads(connection);
  const highest = highestLoad(loads);
  const statedShare = statedShareOf(highest);
  return {
    commandsPerSecond: loads && sumOf(loads),
    seconds,
    statedShare,
    maxSeconds: MAX_SECONDS,
    maxShare: MAX_SHARE,
    expectedCoverage: expectedCoverageOf(highest, statedShare),
    maxAddedLatencyMs: connection.config.scan.maxAddedLatencyMs,
    monitor: await mayUse(connection, catalog, 'MONITOR'),
    running: await isProfiling(store, connection),
  };
};
