import 'server-only';
import { capabilitiesOf, judgeFeatures, obstructed } from '@/lib/command/capable';
import type { ReadContext } from '@/lib/command/context';
import type { Result } from '@/lib/contract';
import { readOnlyReason } from '@/lib/redis/connections';
import { iso } from '@/lib/time';
import type { connectionContracts, FeatureRow } from './schema';

const READ_ONLY = {
  configured: 'this connection is read-only by its configuration',
  replica: 'it is a read-only replica',
} as const;

/** connections.capabilities. */
export const describeCapabilities = async ({
  connection,
  catalog,
  now,
}: ReadContext): Promise<Result<typeof connectionContracts.capabilities>> => {
  const judged = await judgeFeatures(connection, catalog);
  const readOnly = await readOnlyReason(connection);
  const features = judged.map((judgement): FeatureRow => {
    const isObstructed = readOnly && judgement.feature.changes;
    const { feature, ...found } = isObstructed ? obstructed(judgement, READ_ONLY[readOnly]) : judgement;
    const { id, title, use, operations } = feature;
    return { id, title, use, operations: [...operations], ...found };
  });
  const nodes = (await capabilitiesOf(connection, catalog)).map(({ node, role, user, noReadScripts }) => ({
    id: node,
    role,
    user,
    scripts: noReadScripts === null,
  }));
  return { features, nodes, readAt: iso(now()) };
};
