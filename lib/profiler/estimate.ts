import 'server-only';
import { isProfiling } from '@/lib/calls/monitor-lease';
import { mayUse } from '@/lib/command/capable';
import type { ReadContext } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isNotPermitted } from '@/lib/redis/failure';
import { parseInfo } from '@/lib/redis/info';
import { readServer } from '@/lib/redis/server-reads';
import { expectedCoverageOf, statedShareOf } from './cost';
import { MAX_SECONDS, MAX_SHARE, type profilerContracts } from './schema';

/** Commands per second now, as the server counts them; null where INFO is refused. */
export const readLoad = async (handle: ConnectionHandle): Promise<number | null> => {
  const info = await readServer(handle, ['INFO']).catch((error) => {
    if (isNotPermitted(error)) return null;
    throw error;
  });
  const load = info && parseInfo(String(info)).get('instantaneous_ops_per_sec');
  return load ? Number(load) : null;
};

/** profiler.estimate: what a profile would cost now, and whether there can be one. */
export const estimateProfile = async (
  { connection, catalog, store }: ReadContext,
  { seconds }: Input<typeof profilerContracts.estimate>,
): Promise<Result<typeof profilerContracts.estimate>> => {
  const commandsPerSecond = await readLoad(connection);
  const statedShare = statedShareOf(commandsPerSecond);
  return {
    ...{ seconds, commandsPerSecond, statedShare, maxSeconds: MAX_SECONDS, maxShare: MAX_SHARE },
    expectedCoverage: expectedCoverageOf(commandsPerSecond, statedShare),
    maxAddedLatencyMs: connection.config.scan.maxAddedLatencyMs,
    monitor: await mayUse(connection, catalog, 'MONITOR'),
    running: await isProfiling(store, connection),
  };
};
