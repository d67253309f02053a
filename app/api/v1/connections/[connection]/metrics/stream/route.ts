import { streamLive } from '@/lib/history/reads';
import { metricContracts } from '@/lib/history/schema';
import { streamRoute } from '@/lib/http/stream';

export const GET = streamRoute(metricContracts.stream, (ctx, _input, sink) =>
  streamLive(ctx.store, ctx.connection.config.id, sink),
);
