import { readRoute } from '@/lib/http/routes';
import { testConnection } from '@/lib/insights/reads';
import { insightContracts } from '@/lib/insights/schema';

export const POST = readRoute(insightContracts.connectionTest, testConnection);
