'use client';

import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { PageTabs } from '@/components/patterns/page-tabs';
import { useUrlState } from '@/components/patterns/use-url-state';
import { Traffic } from './traffic';

const Bans = onDemand(async () => (await import('./member-lists')).Bans, 'shown');
const Projects = onDemand(async () => (await import('./member-lists')).Projects, 'shown');
const GuardHistory = onDemand(async () => (await import('./guard-history')).GuardHistory, 'shown');

const TABS = ['traffic', 'bans', 'projects', 'limits', 'history'] as const;
type Tab = (typeof TABS)[number];

/** What the catalog must have for a tab, any of these. */
const ROLES: Record<Tab, readonly string[]> = {
  traffic: ['period-request-counts', 'request-counts'],
  bans: ['ban-list'],
  projects: ['block-list'],
  limits: ['rate-limit'],
  history: ['ban-list', 'block-list', 'rate-limit'],
};

/** The tab's former name, which old links have. */
const OLD_BANS_TAB = 'blacklist';

const FIELDS = { tab: 'traffic', q: '', ban: '' };
const STEPS = { tabs: ['tab'], opens: ['ban'] } as const;

const tabOf = ({ tab, ban }: typeof FIELDS, tabs: readonly Tab[]): Tab | undefined => {
  const wanted = ban || tab === OLD_BANS_TAB ? 'bans' : tab;
  return tabs.find((each) => each === wanted) ?? tabs[0];
};

interface GuardPageProps {
  /** The rate limits tab, which is another domain. */
  limits: ReactNode;
  /** Refused events over time, beside the guard's own history. */
  refused: ReactNode;
}

export const GuardPage = ({ limits, refused }: GuardPageProps) => {
  const t = useTranslations('guard');
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const { roles } = useConnection();
  const tabs = TABS.filter((each) => ROLES[each].some((role) => roles.includes(role)));
  const tab = tabOf(url, tabs);
  if (!tab) return null;
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} />
      <PageTabs
        tabs={tabs}
        value={tab}
        label={(each) => t(`tab.${each}`)}
        onTab={(next) => setUrl({ tab: next, q: '', ban: '' })}
      >
        {tab === 'traffic' && <Traffic />}
        {tab === 'bans' && <Bans />}
        {tab === 'projects' && <Projects />}
        {tab === 'limits' && limits}
        {tab === 'history' && <GuardHistory refused={roles.includes('project-metrics') && refused} />}
      </PageTabs>
    </>
  );
};
