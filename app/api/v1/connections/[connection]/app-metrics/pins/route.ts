import { commandRoute, readRoute } from '@/lib/http/routes';
import { pinMetric } from '@/lib/metrics/commands';
import { listPinned } from '@/lib/metrics/pinned';
import { appMetricContracts } from '@/lib/metrics/schema';

export const GET = readRoute(appMetricContracts.pinned, listPinned);
export const POST = commandRoute(pinMetric);
