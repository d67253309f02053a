import { readRoute } from '@/lib/http/routes';
import { readMetricSeries } from '@/lib/metrics/reads';
import { appMetricContracts } from '@/lib/metrics/schema';

export const GET = readRoute(appMetricContracts.series, readMetricSeries);
