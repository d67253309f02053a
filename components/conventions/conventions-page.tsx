'use client';

import { Button } from '@mantine/core';
import { IconChecklist } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback, useMemo } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { PageTabs } from '@/components/patterns/page-tabs';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { duplicateJobOf, showingJob } from '@/components/patterns/target-problems';
import { UnknownName } from '@/components/patterns/unknown-name';
import { useCommand } from '@/components/patterns/use-command';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import type { RuleId, RuleReport } from '@/lib/conventions/schema';
import { conventionContracts } from '@/lib/conventions/schema';
import { FIELDS, STEPS } from './address';
import { CheckedLine } from './checked-line';
import { Checklist } from './checklist';
import { HistoryTab } from './history-tab';
import { PolicyTab } from './policy-tab';
import { conventionQueries } from './queries';
import { RulesTab } from './rules-tab';

const ConventionDrawers = onDemand(async () => (await import('./convention-drawers')).ConventionDrawers);

const TABS = ['rules', 'history', 'policy'] as const;

export const ConventionsPage = () => {
  const t = useTranslations('conventions');
  const { id } = useConnection();
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const { data: report, error, dataUpdatedAt, refetch } = useQuery(conventionQueries.report(id));
  const tab = TABS.find((id) => id === url.tab) ?? 'rules';
  const { state, severity, item } = url;
  const filter = useMemo(() => ({ state, severity, item }), [state, severity, item]);
  const openRule = useCallback(({ id: rule }: RuleReport) => setUrl({ rule }), [setUrl]);
  const ruleTitle = useCallback(
    (rule: RuleId) => report?.rules.find((row) => row.id === rule)?.title ?? rule,
    [report?.rules],
  );
  const isMissing = report && url.rule !== '' && !report.rules.some((rule) => rule.id === url.rule);
  const header = (
    <PageHeader
      title={t('title')}
      sentence={t('sentence')}
      actions={<CheckNow onJob={(job) => setUrl({ job })} />}
    />
  );
  if (error && !report)
    return (
      <>
        {header}
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      </>
    );
  return (
    <>
      {header}
      <StaleBanner error={error} valuesFrom={dataUpdatedAt} />
      <Checklist report={report} chosen={item} onItem={(next) => setUrl({ item: next, tab: FIELDS.tab })} />
      <CheckedLine report={report} />
      {isMissing && <UnknownName text={t('notFound')} name={url.rule} onClose={() => setUrl({ rule: '' })} />}
      <PageTabs
        tabs={TABS}
        value={tab}
        label={(id) => t(`tabs.${id}`)}
        onTab={(next) => setUrl({ tab: next })}
      >
        {tab === 'rules' && <RulesTab report={report} filter={filter} onFilter={setUrl} onOpen={openRule} />}
        {tab === 'history' && <HistoryTab ruleTitle={ruleTitle} />}
        {tab === 'policy' && (
          <PolicyTab
            report={report}
            ruleTitle={ruleTitle}
            onUnwaive={(waiver) => setUrl({ waiver: waiver.id })}
          />
        )}
      </PageTabs>
      <ConventionDrawers report={report} url={url} setUrl={setUrl} ruleTitle={ruleTitle} />
    </>
  );
};

/** Starts a check; one that is running already is shown instead. */
const CheckNow = ({ onJob }: { onJob: (jobId: string) => void }) => {
  const t = useTranslations('conventions');
  const { id } = useConnection();
  const check = useCommand(conventionContracts.check, id);
  if (!useMay('analysis:run')) return null;
  const start = () => check.mutate({}, showingJob(onJob));
  return (
    <>
      <Button leftSection={<IconChecklist size={16} aria-hidden />} loading={check.isPending} onClick={start}>
        {t('checkNow')}
      </Button>
      {check.error && duplicateJobOf(check.error) === null && <ProblemAlert error={check.error} />}
    </>
  );
};
