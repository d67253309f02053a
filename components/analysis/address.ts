import type { AnalysisSummary } from '@/lib/analysis/schema';

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

/** A difference from half of a keyspace says nothing, so partial reports are compared only if chosen. */
const previousOf = (reports: readonly AnalysisSummary[], id: string): AnalysisSummary | undefined =>
  reports.find((each) => each.id === id)?.complete
    ? earlierThan(reports, id).find(({ complete }) => complete)
    : undefined;
