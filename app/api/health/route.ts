import { publicRoute } from '@/lib/http/routes';
import { healthContracts } from '@/lib/insights/schema';

export const GET = publicRoute(healthContracts.live, async () => ({ status: 'ok' as const }));
