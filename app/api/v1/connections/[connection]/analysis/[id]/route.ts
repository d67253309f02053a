import { getAnalysis } from '@/lib/analysis/reads';
import { analysisContracts } from '@/lib/analysis/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(analysisContracts.get, getAnalysis);
