import { readRoute } from '@/lib/http/routes';
import { listConnections } from '@/lib/insights/reads';
import { insightContracts } from '@/lib/insights/schema';

export const GET = readRoute(insightContracts.connections, listConnections);
