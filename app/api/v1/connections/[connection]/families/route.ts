import { readRoute } from '@/lib/http/routes';
import { listFamilies } from '@/lib/insights/reads';
import { insightContracts } from '@/lib/insights/schema';

export const GET = readRoute(insightContracts.families, listFamilies);
