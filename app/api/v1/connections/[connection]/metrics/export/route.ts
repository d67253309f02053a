import { exportSeries } from '@/lib/history/export';
import { metricContracts } from '@/lib/history/schema';
import { downloadRoute } from '@/lib/http/routes';

export const GET = downloadRoute(
  metricContracts.export,
  ({ store, connection, now }, { format, ...range }) => ({
    body: exportSeries(store, connection.config.id, range, { format, now: now() }),
    contentType: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json',
    fileName: `keyward-${connection.config.id}.${format}`,
  }),
);
