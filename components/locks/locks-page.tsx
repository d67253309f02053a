'use client';

import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { PageHeader } from '@/components/patterns/page-header';
import { PageTabs } from '@/components/patterns/page-tabs';
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
      <PageTabs
        tabs={tabs}
        value={tab}
        label={(each) => t(`tab.${each}`)}
        onTab={(next) => setUrl({ ...NO_FILTER, tab: next === tabs[0] ? '' : next })}
      >
        {tab === 'locks' ? (
          <LockList url={url} onChange={setUrl} />
        ) : (
          <ProcessList url={url} onChange={setUrl} />
        )}
      </PageTabs>
    </>
  );
};
