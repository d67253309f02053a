import 'server-only';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { unavailable } from '@/lib/redis/failure';
import { whyNoReadScripts } from '@/lib/redis/read-script';
import { CURSORS, readyClient } from '@/lib/redis/topology';

/** Why a primary does not run read-only scripts for our user; null where all do. */
export const whyNoScripts = async ({ config, topology }: ConnectionHandle): Promise<string | null> => {
  for (const node of topology.primaries()) {
    const redis = await readyClient(config.id, node, CURSORS);
    const reason = await whyNoReadScripts(redis).catch((error: unknown) => {
      throw unavailable(config.id, error);
    });
    if (reason) return reason;
  }
  return null;
};
