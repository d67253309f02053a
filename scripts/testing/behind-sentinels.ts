import type { ConnectionConfig } from '@/lib/configuration';
import { type ConnectionHandle, openConnection } from '@/lib/redis/connections';
import { newShared } from '@/lib/redis/topology/node';
import type { Sentinels } from '../sentinels.mjs';

/** The connection to the primary that Sentinels name. The caller closes its topology. */
export const behindSentinels = (config: ConnectionConfig, { name, nodes }: Sentinels): ConnectionHandle => {
  const sentinel = { name, nodes } as ConnectionConfig['sentinel'];
  return openConnection({ ...config, url: null, sentinel }, newShared());
};
