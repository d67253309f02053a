import 'server-only';
import type { Registry } from '@/lib/catalog/registry';
import type { Census } from '@/lib/history/census';
import { countLimited } from '@/lib/rate-limits/limited';
import type { ConnectionHandle } from '@/lib/redis/connections';

/** The figures of the error collector that need more than a SCARD; nothing where the connection has no such app. */
export const measureGuard = async (
  handle: ConnectionHandle,
  catalog: Registry,
): Promise<Pick<Census, 'limitedProjects'>> => {
  if (!handle.config.apps.includes('hawk')) return { limitedProjects: null };
  return { limitedProjects: await countLimited(handle, catalog) };
};
