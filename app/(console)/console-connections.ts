import 'server-only';
import { cookies } from 'next/headers';
import type { ConnectionFacts } from '@/components/patterns/connection';
import { LAST_CONNECTION_COOKIE } from '@/components/shell/last-connection';
import { connections } from '@/lib/redis/connections';

/** The configured connections without their addresses, for the shell. */
export const connectionFacts = (): ConnectionFacts[] =>
  [...connections().values()].map(({ config, role }) => ({
    id: config.id,
    name: config.name,
    environment: config.environment,
    role: role(),
    readOnly: config.readOnly || role() === 'replica',
    apps: config.apps,
  }));

/** The connection this browser used last, else the first; null without any. */
export const rememberedConnection = async (): Promise<string | null> => {
  const wanted = (await cookies()).get(LAST_CONNECTION_COOKIE)?.value;
  const known = connections();
  if (wanted !== undefined && known.has(wanted)) return wanted;
  return known.keys().next().value ?? null;
};
