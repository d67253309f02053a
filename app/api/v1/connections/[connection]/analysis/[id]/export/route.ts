import { exportReport } from '@/lib/analysis/export';
import { getAnalysis } from '@/lib/analysis/reads';
import { analysisContracts } from '@/lib/analysis/schema';
import { downloadRoute } from '@/lib/http/routes';

export const GET = downloadRoute(analysisContracts.export, async (ctx, { format, ...which }) => ({
  body: exportReport(await getAnalysis(ctx, which), format),
  contentType: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json',
  fileName: `keyward-${ctx.connection.config.id}-analysis.${format}`,
}));
