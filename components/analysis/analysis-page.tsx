'use client';

import { Box, Button } from '@mantine/core';
import { IconReportAnalytics } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar, NO_STATUS } from '@/components/patterns/filter-bar';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { PageTabs } from '@/components/patterns/page-tabs';
import { QueryProblem } from '@/components/patterns/query-problem';
import { StaleBanner } from '@/components/patterns/stale-banner';
import touch from '@/components/patterns/touch.module.css';
import { useFormat } from '@/components/patterns/use-format';
import { useNarrow } from '@/components/patterns/use-narrow';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import { chosenReports, differInMethod, FIELDS, NOT_COMPARED, STEPS } from './address';
import classes from './analysis.module.css';
import { BiggestTab } from './biggest-tab';
import { FamiliesTab } from './families-tab';
import { PageActions } from './page-actions';
import { PartialBanner } from './partial-banner';
import { analysisQueries } from './queries';
import { ReportChoice } from './report-choice';
import { ReportFigures } from './report-figures';
import { ReportLine } from './report-line';
import { RunningAnalysis } from './running-analysis';
import { SpreadTab } from './spread-tab';
import { TypesTab } from './types-tab';
import { UnclassifiedTab } from './unclassified-tab';

const FamilyDrawer = onDemand(async () => (await import('./family-drawer')).FamilyDrawer);

const TABS = ['families', 'types', 'spread', 'biggest', 'unclassified'] as const;

/** What all keys of a connection are made of, and what grew since an earlier analysis. */
export const AnalysisPage = () => {
  const t = useTranslations('analysis');
  const { id: connection } = useConnection();
  const isNarrow = useNarrow();
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const list = useQuery(analysisQueries.list(connection));
  const running = useQuery(analysisQueries.running(connection));
  const chosen = chosenReports(list.data ?? [], url);
  // Which report to compare with follows from the list.
  const query = useQuery({
    ...analysisQueries.report(connection, chosen.id, chosen.since),
    ...(list.data === undefined && { enabled: false }),
  });
  const report = query.data;
  const tab = TABS.find((each) => each === url.tab) ?? 'families';
  const jobId = url.job || (running.data ?? '');
  const showJob = useCallback((job: string) => setUrl({ job }), [setUrl]);
  // Only the user's own analysis changes what the page shows; another may end while a report is read.
  const isOwnJob = url.job !== '';
  const onFinished = useCallback(() => {
    if (isOwnJob) setUrl({ job: '', report: '', since: '' });
  }, [isOwnJob, setUrl]);
  const tabProps = { report, placeholder: query.isPlaceholderData };
  const isEmpty = list.data?.length === 0 && url.report === '';
  const figures = <ReportFigures report={report} />;
  return (
    <>
      <PageHeader
        title={t('title')}
        sentence={t('sentence')}
        actions={<PageActions report={report} since={chosen.since} busy={jobId !== ''} onJob={showJob} />}
      />
      {list.data && <StaleBanner error={list.error} valuesFrom={list.dataUpdatedAt} />}
      {jobId !== '' && (
        <RunningAnalysis key={jobId} jobId={jobId} onDone={onFinished} onClose={() => showJob('')} />
      )}
      {isEmpty ? (
        <NothingYet />
      ) : list.isError && !list.data ? (
        <QueryProblem of={list} />
      ) : query.isError && !report ? (
        <>
          <QueryProblem of={query} />
          {url.report !== '' && (
            <Button
              variant="default"
              mt="sm"
              className={touch.thumb}
              onClick={() => setUrl({ report: '', since: '' })}
            >
              {t('deleted.show')}
            </Button>
          )}
        </>
      ) : (
        <>
          <FilterBar
            active={Number(url.report !== '') + Number(url.since !== '' && url.since !== NOT_COMPARED)}
            status={isNarrow && (report ? <ReportLine report={report} brief /> : NO_STATUS)}
          >
            <ReportChoice reports={list.data} chosen={chosen} onChange={setUrl} />
          </FilterBar>
          {!isNarrow && (
            <div className={classes.line}>{report ? <ReportLine report={report} /> : NO_STATUS}</div>
          )}
          {list.data && differInMethod(list.data, chosen) && <Dimmed mb="sm">{t('choice.methods')}</Dimmed>}
          {report && <PartialBanner report={report} busy={jobId !== ''} onJob={showJob} />}
          {!isNarrow && figures}
          <PageTabs
            tabs={TABS}
            value={tab}
            label={(each) => t(`tabs.${each}`)}
            onTab={(next) => setUrl({ tab: next })}
          >
            {tab === 'families' && <FamiliesTab {...tabProps} {...{ url, setUrl }} />}
            {tab === 'types' && <TypesTab {...tabProps} />}
            {tab === 'spread' && <SpreadTab report={report} />}
            {tab === 'biggest' && <BiggestTab {...tabProps} {...{ url, setUrl }} />}
            {tab === 'unclassified' && <UnclassifiedTab {...tabProps} />}
          </PageTabs>
          {/* On a phone the list comes first. */}
          {isNarrow && (
            <Box mt={12}>
              {figures}
              {report && <ReportLine report={report} />}
            </Box>
          )}
          <FamilyDrawer report={report} family={url.family} onClose={() => setUrl({ family: '' })} />
        </>
      )}
    </>
  );
};

const NothingYet = () => {
  const t = useTranslations('analysis.empty');
  const { space } = useFormat();
  const mayRun = useMay('analysis:run');
  return (
    <EmptyState icon={<IconReportAnalytics size={20} />} title={t('title')}>
      {t('text')}
      {space}
      {t(mayRun ? 'run' : 'ask')}
    </EmptyState>
  );
};
