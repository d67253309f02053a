import 'server-only';
import { json } from '@/lib/http/respond';
import { commandRoute, declareRoute, readRoute } from '@/lib/http/routes';
import { putOff } from '@/lib/overview/commands';
import { readiness } from '@/lib/overview/health';
import { getOverview } from '@/lib/overview/overview';
import { healthContracts, overviewContracts } from '@/lib/overview/schema';
import type { Domain } from './domain';

const NOT_READY: ReadonlySet<string> = new Set(['unavailable', 'stopping']);

export const domain: Domain = {
  routes: [
    declareRoute(healthContracts.live, async (_request, _params, requestId) =>
      json({ status: 'ok' }, 200, requestId),
    ),
    declareRoute(healthContracts.ready, async (_request, _params, requestId) => {
      const result = await readiness();
      return json(result, NOT_READY.has(result.status) ? 503 : 200, requestId);
    }),
    readRoute(overviewContracts.get, getOverview),
    commandRoute(putOff),
  ],
};
