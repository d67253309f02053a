import 'server-only';
import { instanceFigures } from '@/lib/figures/instance';
import { samplingFigures } from '@/lib/figures/sampling';
import { exportSeries } from '@/lib/history/export';
import { readSeriesWithBefore, streamLive } from '@/lib/history/reads';
import { historyContracts } from '@/lib/history/schema';
import { downloadRoute, readRoute } from '@/lib/http/routes';
import { streamRoute } from '@/lib/http/stream';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(historyContracts.series, ({ store, connection, now }, { compare, ...range }) =>
      readSeriesWithBefore(store, connection.config.id, range, { compare, now: now() }),
    ),
    downloadRoute(historyContracts.export, ({ store, connection, now }, { format, ...range }) => ({
      body: exportSeries(store, connection.config.id, range, { format, now: now() }),
      contentType: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json',
      fileName: `keyward-${connection.config.id}.${format}`,
    })),
    streamRoute(historyContracts.stream, (ctx, _input, sink) =>
      streamLive(ctx.store, ctx.connection.config.id, sink),
    ),
  ],
  figures: [instanceFigures, samplingFigures],
};
