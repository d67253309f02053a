import { startAnalysis } from '@/lib/analysis/commands';
import { listAnalyses } from '@/lib/analysis/reads';
import { analysisContracts } from '@/lib/analysis/schema';
import { commandRoute, readRoute } from '@/lib/http/routes';

export const GET = readRoute(analysisContracts.list, listAnalyses);
export const POST = commandRoute(startAnalysis);
