import { readSeries } from '@/lib/history/reads';
import { metricContracts } from '@/lib/history/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(metricContracts.series, (ctx, { from, to, stepSeconds }) => {
  const range = { from: Date.parse(from), to: Date.parse(to), stepMs: stepSeconds * 1000 };
  return readSeries(ctx.store, ctx.connection.config.id, range, ctx.now());
});
