import 'server-only';
import { capabilitiesOf, judgeFeatures } from '@/lib/command/capable';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { readOnlyReason } from '@/lib/redis/connections';
import { iso } from '@/lib/time';
import type { capabilityContracts, FeatureRow } from './schema';

const READ_ONLY = {
  configured: 'this connection is read-only by its configuration',
  replica: 'it is a read-only replica',
} as const;

/** connections.capabilities. */
export const describeCapabilities = async ({
  connection,
  catalog,
  now,
}: ReadContext): Promise<Result<typeof capabilityContracts.get>> => {
  const judged = await judgeFeatures(connection, catalog);
  const readOnly = await readOnlyReason(connection);
  const features = judged.map(({ feature, ...found }): FeatureRow => {
    const { id, title, use, operations } = feature;
    const facts = { id, title, use, operations: [...operations] };
    if (!readOnly || !feature.changes || found.state === 'no') return { ...facts, ...found };
    return { ...facts, state: 'no', missing: [], acl: null, reason: READ_ONLY[readOnly] };
  });
  const nodes = (await capabilitiesOf(connection, catalog)).map(({ node, role, user, noReadScripts }) => ({
    ...{ id: node, role, user, scripts: noReadScripts === null },
  }));
  return { features, nodes, readAt: iso(now()) };
};
