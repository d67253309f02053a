import { readSeriesWithBefore } from '@/lib/history/reads';
import { metricContracts } from '@/lib/history/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(metricContracts.series, ({ store, connection, now }, { compare, ...range }) =>
  readSeriesWithBefore(store, connection.config.id, range, { compare, now: now() }),
);
