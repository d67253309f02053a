'use client';

import { useTranslations } from 'next-intl';
import { Select } from '@/components/patterns/select';
import { useFormat } from '@/components/patterns/use-format';
import type { AnalysisSummary } from '@/lib/analysis/schema';
import { earlierThan, NOT_COMPARED, type SetAnalysisFields } from './address';

interface ReportChoiceProps {
  /** Undefined while loading. */
  reports: readonly AnalysisSummary[] | undefined;
  chosen: { id: string; since: string };
  onChange: SetAnalysisFields;
}

/** Which report is shown, and with which earlier one it is compared. */
export const ReportChoice = ({ reports = [], chosen, onChange }: ReportChoiceProps) => {
  const t = useTranslations('analysis.choice');
  const tAnalysis = useTranslations('analysis');
  const { absolute } = useFormat();
  const option = ({ id, at, complete, exact }: AnalysisSummary) => {
    const words = [...(exact ? [t('exact')] : []), ...(complete ? [] : [tAnalysis('line.partial')])];
    return { value: id, label: [absolute(Date.parse(at)), ...words].join(' · ') };
  };
  const earlier = earlierThan(reports, chosen.id);
  return (
    <>
      <Select
        aria-label={t('report')}
        data={reports.map(option)}
        value={chosen.id || null}
        // The newest stays the newest when another one is made.
        onChange={(id) => onChange({ report: id === null || id === reports[0]?.id ? '' : id, since: '' })}
        allowDeselect={false}
        w={300}
      />
      <Select
        aria-label={t('since')}
        data={[
          { value: NOT_COMPARED, label: t('notCompared') },
          ...earlier.map(option).map(({ value, label }) => ({ value, label: t('sinceOf', { label }) })),
        ]}
        value={chosen.since || NOT_COMPARED}
        onChange={(since) => since && onChange({ since })}
        allowDeselect={false}
        w={320}
      />
    </>
  );
};
