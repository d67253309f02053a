import 'server-only';
import { describeCapabilities } from '@/lib/capabilities/reads';
import { capabilityContracts } from '@/lib/capabilities/schema';
import { json } from '@/lib/http/respond';
import { declareRoute, readRoute } from '@/lib/http/routes';
import { readiness } from '@/lib/insights/health';
import { getOverview } from '@/lib/insights/overview';
import { listConnections, listFamilies, testConnection } from '@/lib/insights/reads';
import { healthContracts, insightContracts } from '@/lib/insights/schema';
import type { Domain } from './domain';

export const insights: Domain = {
  routes: [
    declareRoute(healthContracts.live, async (_request, _params, requestId) =>
      json({ status: 'ok' }, 200, requestId),
    ),
    declareRoute(healthContracts.ready, async (_request, _params, requestId) => {
      const result = await readiness();
      return json(result, result.status === 'unavailable' ? 503 : 200, requestId);
    }),
    readRoute(insightContracts.connections, listConnections),
    readRoute(insightContracts.connectionTest, testConnection),
    readRoute(insightContracts.overview, getOverview),
    readRoute(insightContracts.families, listFamilies),
    readRoute(capabilityContracts.get, describeCapabilities),
  ],
};
