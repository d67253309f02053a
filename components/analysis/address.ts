import type { AnalysisReport, AnalysisSummary } from '@/lib/analysis/schema';

/** `report` and `since` are ids; empty: the newest, and the one before it. `since=none` compares with nothing. */
export const FIELDS = {
  report: '',
  since: '',
  tab: 'families',
  by: 'memory',
  order: 'desc',
  type: '',
  family: '',
  job: '',
};
export const STEPS = { tabs: ['tab'], opens: ['family'] } as const;

export type AnalysisFields = typeof FIELDS;
export type SetAnalysisFields = (change: Partial<AnalysisFields>) => void;

/** What each tab shows. */
export interface ReportTabProps {
  /** Undefined while loading. */
  report: AnalysisReport | undefined;
  /** It is still the report of the choice before. */
  placeholder: boolean;
}

export const NOT_COMPARED = 'none';

/** The report to show and the one to compare it with, as ids; empty where there is none. */
export const chosenReports = (
  reports: readonly AnalysisSummary[],
  { report, since }: Pick<AnalysisFields, 'report' | 'since'>,
): { id: string; since: string } => {
  const id = report || (reports[0]?.id ?? '');
  if (since === NOT_COMPARED || since === id) return { id, since: '' };
  return { id, since: since || (previousOf(reports, id)?.id ?? '') };
};

/** The reports before one, newest first: what it can be compared with. */
export const earlierThan = (reports: readonly AnalysisSummary[], id: string): AnalysisSummary[] => {
  const at = reports.find((each) => each.id === id)?.at;
  return at === undefined ? [] : reports.filter((each) => each.at < at);
};

/**
 * Reports that are partial, or whose memory was measured in another way, are compared only if chosen: the difference
 * would come from that too.
 */
const previousOf = (reports: readonly AnalysisSummary[], id: string): AnalysisSummary | undefined => {
  const shown = reports.find((each) => each.id === id);
  return shown?.complete
    ? earlierThan(reports, id).find(({ complete, exact }) => complete && exact === shown.exact)
    : undefined;
};

/** Whether two reports measured memory in different ways. */
export const differInMethod = (
  reports: readonly AnalysisSummary[],
  { id, since }: { id: string; since: string },
): boolean => {
  const [shown, earlier] = [id, since].map((each) => reports.find((report) => report.id === each));
  return shown !== undefined && earlier !== undefined && shown.exact !== earlier.exact;
};
