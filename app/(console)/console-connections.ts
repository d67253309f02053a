import 'server-only';
import { cookies } from 'next/headers';
import type { ConnectionFacts } from '@/components/patterns/connection';
import { LAST_CONNECTION_COOKIE } from '@/components/shell/remembered';
import { catalogOf } from '@/lib/command/context';
import { approvalFacts } from '@/lib/connections/approval-facts';
import { catalogFacts } from '@/lib/connections/catalog-facts';
import { connections } from '@/lib/redis/connections';

/** The configured connections without their addresses, for the shell. */
export const connectionFacts = (): ConnectionFacts[] =>
  [...connections().values()].map((handle) => ({
    id: handle.config.id,
    name: handle.config.name,
    environment: handle.config.environment,
    role: handle.role(),
    readOnly: handle.config.readOnly || handle.role() === 'replica',
    topology: handle.topology.kind,
    ...catalogFacts(catalogOf(handle)),
    approvals: approvalFacts(handle),
  }));

/** The connection last used in this browser, otherwise the first; null without any. */
export const rememberedConnection = async (): Promise<string | null> => {
  const wanted = (await cookies()).get(LAST_CONNECTION_COOKIE)?.value;
  const known = connections();
  if (wanted !== undefined && known.has(wanted)) return wanted;
  return known.keys().next().value ?? null;
};
