'use client';

import { useTranslations } from 'next-intl';
import { FigureRow, type RowFigure } from '@/components/patterns/figure-row';
import { useFormat } from '@/components/patterns/use-format';
import type { AnalysisReport } from '@/lib/analysis/schema';
import { signedWith } from './growth';
import { unclassifiedOf } from './unclassified';

/** The totals, each with its difference from the report compared with. */
export const ReportFigures = ({ report }: { report: AnalysisReport | undefined }) => {
  const t = useTranslations('analysis.figure');
  const tAnalysis = useTranslations('analysis');
  const tWord = useTranslations('words');
  const format = useFormat();
  const unclassified = report && unclassifiedOf(report);
  const change = report?.change;
  const grown = (value: number | null | undefined, write: (value: number) => string) =>
    !change ? '' : value === 0 ? t('unchanged') : t('change', { change: signedWith(write)(value) });
  const share = (value: number | null | undefined) =>
    report && typeof value === 'number' && report.keys > 0
      ? t('share', { share: format.ratio(value / report.keys) })
      : '';
  const figures: RowFigure[] = [
    { id: 'keys', name: tWord('keys'), value: report?.keys, note: grown(change?.keys, format.count) },
    {
      id: 'memory',
      name: tWord('memory'),
      value: report?.memoryBytes,
      format: format.bytes,
      note: grown(change?.memoryBytes, format.bytes),
    },
    {
      id: 'withoutTtl',
      name: tWord('withoutTtl'),
      value: report?.withoutTtl,
      note: share(report?.withoutTtl),
    },
    {
      id: 'families',
      name: tWord('families'),
      value: report?.families.filter(({ keys }) => keys > 0).length,
    },
    {
      id: 'unclassified',
      name: tAnalysis('tabs.unclassified'),
      value: unclassified?.keys,
      note: unclassified?.change ? grown(unclassified.change.keys, format.count) : share(unclassified?.keys),
    },
    { id: 'own', name: tAnalysis('families.own'), value: report?.own.keys, note: t('ownNote') },
  ];
  return <FigureRow label={t('label')} figures={figures} loading={report === undefined} />;
};
