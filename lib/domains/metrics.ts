import 'server-only';
import { commandRoute, readRoute } from '@/lib/http/routes';
import { pinMetric, unpinMetric } from '@/lib/metrics/commands';
import { metricFigures } from '@/lib/metrics/figures';
import { listPinned } from '@/lib/metrics/pinned';
import { listMetrics, readMetricSeries } from '@/lib/metrics/reads';
import { metricContracts } from '@/lib/metrics/schema';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(metricContracts.list, listMetrics),
    readRoute(metricContracts.series, readMetricSeries),
    readRoute(metricContracts.pinned, listPinned),
    commandRoute(pinMetric),
    commandRoute(unpinMetric),
  ],
  figures: [metricFigures],
};
