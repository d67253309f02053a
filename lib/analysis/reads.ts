import 'server-only';
import type { ReadContext, ReadOf } from '@/lib/command/context';
import type { Input, Result } from '@/lib/contract';
import { notFound } from '@/lib/errors';
import { pageOfRows } from '@/lib/list-page';
import { compareReports } from './compare';
import { readSchedule, shownSchedule } from './schedule';
import type { AnalysisReport, analysisContracts } from './schema';
import { readReport, readSummaries } from './stored-reports';

/** analysis.list: stored analyses, newest first. */
export const listAnalyses: ReadOf<typeof analysisContracts.list> = async ({ store, connection }, input) =>
  pageOfRows(await readSummaries(store, connection.config.id), input, ['number', 'string'], ({ at, id }) => [
    -Date.parse(at),
    id,
  ]);

const mustRead = async ({ store, connection }: ReadContext, id: string): Promise<AnalysisReport> => {
  const report = await readReport(store, connection.config.id, id);
  if (!report) throw notFound('The analysis');
  return report;
};

/** analysis.get: one report, compared with an earlier one on request. */
export const getAnalysis = async (
  ctx: ReadContext,
  { id, since }: Input<typeof analysisContracts.get>,
): Promise<AnalysisReport> => {
  const report = await mustRead(ctx, id);
  return since === undefined ? report : compareReports(report, await mustRead(ctx, since));
};

/** analysis.schedule.get: how often the connection is analysed automatically. */
export const getSchedule = async ({
  store,
  connection,
  now,
}: ReadContext): Promise<Result<typeof analysisContracts.scheduleGet>> =>
  shownSchedule(await readSchedule(store, connection.config.id), now());
