import { readRoute } from '@/lib/http/routes';
import { getOverview } from '@/lib/insights/overview';
import { insightContracts } from '@/lib/insights/schema';

export const GET = readRoute(insightContracts.overview, getOverview);
