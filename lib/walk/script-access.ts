import 'server-only';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { knownPrimaries } from '@/lib/redis/each-primary';
import { unavailable } from '@/lib/redis/failure';
import { whyNoReadScripts } from '@/lib/redis/read-script';
import { CURSORS, readyClient } from '@/lib/redis/topology';

/** Why a primary does not run read-only scripts for our user, as text without a full stop; null where all do. */
export const whyNoScripts = async (handle: ConnectionHandle): Promise<string | null> => {
  for (const node of await knownPrimaries(handle)) {
    const redis = await readyClient(handle.config.id, node, CURSORS);
    const reason = await whyNoReadScripts(redis).catch((error: unknown) => {
      throw unavailable(handle.config.id, error);
    });
    if (reason) return reason;
  }
  return null;
};
