import 'server-only';
import { setSchedule, startAnalysis } from '@/lib/analysis/commands';
import { exportReport } from '@/lib/analysis/export';
import { analysisJob } from '@/lib/analysis/job';
import { getAnalysis, getSchedule, listAnalyses } from '@/lib/analysis/reads';
import { analysisContracts } from '@/lib/analysis/schema';
import { commandRoute, downloadRoute, readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    commandRoute(startAnalysis),
    readRoute(analysisContracts.list, listAnalyses),
    readRoute(analysisContracts.get, getAnalysis),
    downloadRoute(analysisContracts.export, async (ctx, { format, ...which }) => ({
      body: exportReport(await getAnalysis(ctx, which), format),
      contentType: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json',
      fileName: `keyward-${ctx.connection.config.id}-analysis.${format}`,
    })),
    readRoute(analysisContracts.scheduleGet, getSchedule),
    commandRoute(setSchedule),
  ],
  jobs: [analysisJob],
};
