'use client';

import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { PageTabs } from '@/components/patterns/page-tabs';
import { rangeOf } from '@/components/patterns/ranges';
import { useUrlState } from '@/components/patterns/use-url-state';
import { CounterList } from './counter-list';
import { LeaderboardList } from './leaderboard-list';
import { QueueList } from './queue-list';

const LeaderboardDrawer = onDemand(async () => (await import('./leaderboard-drawer')).LeaderboardDrawer);
const QueueDrawer = onDemand(async () => (await import('./queue-drawer')).QueueDrawer);

const TABS = ['queues', 'leaderboards', 'counters'] as const;
type Tab = (typeof TABS)[number];

/** What the catalog must have for a tab, any of these. */
const ROLES: Record<Tab, readonly string[]> = {
  queues: ['queue'],
  leaderboards: ['leaderboard'],
  counters: ['count', 'bitmap', 'hyperloglog'],
};

const FIELDS = {
  tab: 'queues',
  q: '',
  queue: '',
  range: '1h',
  board: '',
  order: 'desc',
  member: '',
  kind: '',
};
const STEPS = { tabs: ['tab'], opens: ['queue', 'board'] } as const;

/** Work that waits, rankings, and what applications count. */
export const QueuesPage = () => {
  const t = useTranslations('queues');
  const { roles } = useConnection();
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const tabs = TABS.filter((each) => ROLES[each].some((role) => roles.includes(role)));
  const tab = tabs.find((each) => each === url.tab) ?? tabs[0];
  if (!tab) return null;
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} />
      <PageTabs
        tabs={tabs}
        value={tab}
        label={(each) => t(`tab.${each}`)}
        onTab={(next) => setUrl({ tab: next, q: '', queue: '', board: '', member: '', kind: '' })}
      >
        {tab === 'queues' && (
          <QueueList q={url.q} onSearch={(q) => setUrl({ q })} onOpen={(queue) => setUrl({ queue })} />
        )}
        {tab === 'leaderboards' && <LeaderboardList onOpen={(board) => setUrl({ board })} />}
        {tab === 'counters' && <CounterList kind={url.kind} onKind={(kind) => setUrl({ kind })} />}
      </PageTabs>
      <QueueDrawer
        keyId={tab === 'queues' ? url.queue : ''}
        range={rangeOf(url.range)}
        onRange={(range) => setUrl({ range })}
        onClose={() => setUrl({ queue: '' })}
      />
      <LeaderboardDrawer
        keyId={tab === 'leaderboards' ? url.board : ''}
        order={url.order === 'asc' ? 'asc' : 'desc'}
        member={url.member}
        onChange={setUrl}
        onClose={() => setUrl({ board: '', member: '' })}
      />
    </>
  );
};
