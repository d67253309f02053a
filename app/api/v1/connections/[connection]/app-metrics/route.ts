import { readRoute } from '@/lib/http/routes';
import { listMetrics } from '@/lib/metrics/reads';
import { appMetricContracts } from '@/lib/metrics/schema';

export const GET = readRoute(appMetricContracts.list, listMetrics);
