'use client';

import { Tabs } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { PageHeader } from '@/components/patterns/page-header';
import { useUrlState } from '@/components/patterns/use-url-state';
import { FIELDS, NO_FILTER } from './address';
import { LockList } from './lock-list';
import { ProcessList } from './process-list';

const STEPS = { tabs: ['tab'] } as const;

/** What the catalog must have for a tab. */
const ROLES = { locks: 'lock', processes: 'state' } as const;
const TABS = ['locks', 'processes'] as const;

/** Who holds which lock, and how far processes are. */
export const LocksPage = () => {
  const t = useTranslations('locks');
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const { roles } = useConnection();
  const tabs = TABS.filter((each) => roles.includes(ROLES[each]));
  const tab = tabs.find((each) => each === url.tab) ?? tabs[0];
  if (!tab) return null;
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} />
      <Tabs
        value={tab}
        onChange={(chosen) => setUrl({ ...NO_FILTER, tab: chosen === tabs[0] ? '' : (chosen ?? '') })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {tabs.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {t(`tab.${each}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab}>
          {tab === 'locks' ? (
            <LockList url={url} onChange={setUrl} />
          ) : (
            <ProcessList url={url} onChange={setUrl} />
          )}
        </Tabs.Panel>
      </Tabs>
    </>
  );
};
