import { json } from '@/lib/http/respond';
import { guarded } from '@/lib/http/routes';
import { readiness } from '@/lib/insights/health';

export const GET = guarded(async (_request, _params, requestId) => {
  const result = await readiness();
  return json(result, result.status === 'unavailable' ? 503 : 200, requestId);
});
