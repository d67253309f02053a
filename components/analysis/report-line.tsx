'use client';

import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { SmallNote } from '@/components/patterns/dimmed';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useFormat } from '@/components/patterns/use-format';
import type { AnalysisReport } from '@/lib/analysis/schema';
import type { WalkCost } from '@/lib/walk/schema';
import { analysisQueries } from './queries';

interface ReportLineProps {
  report: AnalysisReport;
  /** Only when it was made and how it measured. */
  brief?: boolean;
}

/** When the report was made, how it measured, what its walk cost, and when the next one is. */
export const ReportLine = ({ report, brief = false }: ReportLineProps) => {
  const t = useTranslations('analysis.line');
  const { id } = useConnection();
  const { data: schedule } = useQuery(analysisQueries.schedule(id));
  const { at, complete, exact, detailed, keys, scheduled, walk } = report;
  return (
    <SmallNote aria-live="off">
      {t.rich('at', { when: () => <RelativeTime at={at} /> })} · {t(complete ? 'complete' : 'partial')} ·{' '}
      {t(exact ? 'exact' : 'sampled')}
      {!brief && detailed < keys && ` · ${t('detailed', { count: detailed })}`}
      {!brief && scheduled && ` · ${t('scheduled')}`}
      {!brief && walk && <Cost walk={walk} />}
      {!brief && schedule?.nextAt && (
        <> · {t.rich('next', { when: () => <RelativeTime at={schedule.nextAt} /> })}</>
      )}
    </SmallNote>
  );
};

const Cost = ({ walk }: { walk: WalkCost }) => {
  const t = useTranslations('analysis.line');
  const format = useFormat();
  const took = Date.parse(walk.finishedAt) - Date.parse(walk.startedAt);
  const cost = t('cost', {
    keys: walk.keys,
    took: format.ms(took),
    server: format.ms(walk.serverMs),
  });
  return (
    <span title={walk.reason ?? undefined}>
      {` · ${cost}`}
      {!walk.byScript && ` · ${t('byCommands')}`}
    </span>
  );
};
