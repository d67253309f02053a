'use client';

import { Skeleton } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { ContractList } from '@/components/contract-list/contract-list';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { PageTabs } from '@/components/patterns/page-tabs';
import { useUrlState } from '@/components/patterns/use-url-state';
import { FIELDS, NO_FILTER, TABS } from './address';
import { CLIENTS } from './client-list';
import { COMMAND_LIST } from './command-list';
import { LatencyTab } from './latency-tab';
import { OverviewTab } from './overview-tab';
import { SlowLog } from './slow-log';

const FeaturesTab = onDemand(
  async () => (await import('./features-tab')).FeaturesTab,
  'idle',
  () => <Skeleton height={400} />,
);

const STEPS = { tabs: ['tab'] } as const;

/** The server as it is: its state, what was slow, who is connected and what they run. */
export const ServerPage = () => {
  const t = useTranslations('server');
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const tab = TABS.find((each) => each === url.tab) ?? 'overview';
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} />
      <PageTabs
        tabs={TABS}
        value={tab}
        label={(each) => t(`tab.${each}`)}
        onTab={(chosen) => setUrl({ ...NO_FILTER, tab: chosen })}
      >
        {tab === 'overview' && <OverviewTab url={url} onChange={setUrl} />}
        {tab === 'slowlog' && <SlowLog url={url} onChange={setUrl} />}
        {tab === 'latency' && <LatencyTab />}
        {tab === 'clients' && <ContractList list={CLIENTS} url={url} onChange={setUrl} />}
        {tab === 'commands' && <ContractList list={COMMAND_LIST} url={url} onChange={setUrl} />}
        {tab === 'works' && <FeaturesTab />}
      </PageTabs>
    </>
  );
};
