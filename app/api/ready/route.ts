import { json } from '@/lib/http/respond';
import { declareRoute } from '@/lib/http/routes';
import { readiness } from '@/lib/insights/health';
import { healthContracts } from '@/lib/insights/schema';

export const GET = declareRoute(healthContracts.ready, async (_request, _params, requestId) => {
  const result = await readiness();
  return json(result, result.status === 'unavailable' ? 503 : 200, requestId);
});
