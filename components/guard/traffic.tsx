'use client';

import { Alert, SegmentedControl, Skeleton } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { useConnection } from '@/components/patterns/connection';
import { Description } from '@/components/patterns/description';
import { SmallNote } from '@/components/patterns/dimmed';
import { FilterBar, NO_STATUS } from '@/components/patterns/filter-bar';
import { onDemand } from '@/components/patterns/on-demand';
import { QueryProblem } from '@/components/patterns/query-problem';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Select } from '@/components/patterns/select';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useFormat } from '@/components/patterns/use-format';
import { useOpened } from '@/components/patterns/use-opened';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import type { IpTraffic, TrafficIp } from '@/lib/guard/traffic/schema';
import type { Answer } from './add-drawer';
import { AnswersPanel } from './answers-panel';
import { ChainsPanel } from './chains-panel';
import { DistributionPanel } from './distribution-panel';
import { useIpColumns } from './ip-columns';
import { PeriodFigures } from './period-figures';
import classes from './traffic.module.css';
import { type IpMap, trafficQueries } from './traffic-queries';

const BanDrawer = onDemand(async () => (await import('./ban-drawer')).BanDrawer);

const FIELDS = { map: 'currentPeriod', order: 'requests', top: '50' };
const TOPS = ['20', '50', '100', '500', '1000'];
const MAPS: readonly IpMap[] = ['currentPeriod', 'all'];
const ROLE_OF: Record<IpMap, string> = { currentPeriod: 'period-request-counts', all: 'request-counts' };
const NO_ROWS: TrafficIp[] = [];
const IP_ORDERS = ['requests', 'new'] as const;
type IpOrder = (typeof IP_ORDERS)[number];

const seenAt = ({ firstSeenAt }: TrafficIp): number => (firstSeenAt === null ? 0 : Date.parse(firstSeenAt));

/** Heaviest first, as answered, or by when they became heavy, newest first; unknown times come last. */
const inOrder = (items: readonly TrafficIp[], order: IpOrder): TrafficIp[] =>
  order === 'requests' ? [...items] : [...items].sort((a, b) => seenAt(b) - seenAt(a));

const choiceOf = <T extends string>(text: string, all: readonly T[]): T =>
  all.find((each) => each === text) ?? all[0]!;

/** Callers by requests against the threshold, with a ban from the row. */
export const Traffic = () => {
  const t = useTranslations('guard.traffic');
  const tWord = useTranslations('words');
  const { id, roles } = useConnection();
  const mayBan = useMay('guard:write') && roles.includes('ban-list');
  const maps = MAPS.filter((each) => roles.includes(ROLE_OF[each]));
  const [url, setUrl] = useUrlState(FIELDS);
  const map = choiceOf(url.map, maps);
  const order = choiceOf(url.order, IP_ORDERS);
  const top = TOPS.includes(url.top) ? url.top : FIELDS.top;
  const query = useQuery(trafficQueries.top(id, map, Number(top)));
  const traffic = query.data;
  const items = traffic?.items ?? NO_ROWS;
  const rows = useMemo(() => inOrder(items, order), [items, order]);
  const ban = useOpened<string>();
  const [answers, setAnswers] = useState<readonly Answer[] | null>(null);
  const columns = useIpColumns({
    map,
    threshold: traffic?.threshold ?? 0,
    onBan: mayBan ? ban.open : undefined,
  });
  if (query.isError && !traffic) return <QueryProblem of={query} />;
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={traffic?.sampledAt} />
      <Description>{t('explain')}</Description>
      {traffic ? (
        <PeriodFigures map={map} traffic={traffic} />
      ) : (
        <Skeleton className={classes.awaited} radius="md" />
      )}
      {traffic?.problem && (
        <Alert color="orange" mb="sm" title={t('wrongType')}>
          {traffic.problem}
        </Alert>
      )}
      {answers && <AnswersPanel set="bans" answers={answers} onClose={() => setAnswers(null)} />}
      <FilterBar
        active={[map !== maps[0], order !== FIELDS.order, top !== FIELDS.top].filter(Boolean).length}
        status={traffic ? <Sampled traffic={traffic} /> : NO_STATUS}
      >
        <SegmentedControl
          aria-label={tWord('requests')}
          value={map}
          onChange={(value) => setUrl({ map: value })}
          data={maps.map((value) => ({ value, label: t(`map.${value}`) }))}
        />
        <SegmentedControl
          aria-label={t('order.choose')}
          value={order}
          onChange={(value) => setUrl({ order: value as IpOrder })}
          data={IP_ORDERS.map((value) => ({ value, label: t(`order.${value}`) }))}
        />
        <Select
          aria-label={tWord('rows')}
          data={TOPS.map((value) => ({ value, label: tWord('top', { count: Number(value) }) }))}
          value={top}
          onChange={(value) => setUrl({ top: value ?? FIELDS.top })}
          allowDeselect={false}
          w={120}
        />
      </FilterBar>
      <DataTable
        label={t('label')}
        name="ip-traffic"
        savesViews
        columns={columns}
        rows={rows}
        rowId={({ memberId }) => memberId}
        loading={query.isPending}
        placeholder={query.isPlaceholderData}
        live={[map, order, top]}
        empty={{ icon: IconActivity, title: t(`empty.${map}.title`), text: t(`empty.${map}.text`) }}
      />
      {traffic && (
        <div className={classes.beside}>
          <DistributionPanel traffic={traffic} />
          <ChainsPanel chains={traffic.chains} />
        </div>
      )}
      <BanDrawer
        opened={ban.opened}
        onClose={ban.close}
        initial={ban.about ?? ''}
        seconds={traffic?.inForceWithinSeconds ?? null}
        onAnswers={setAnswers}
      />
    </>
  );
};

const Sampled = ({ traffic }: { traffic: IpTraffic }) => {
  const t = useTranslations('guard.traffic');
  const format = useFormat();
  return (
    <SmallNote aria-live="off">
      {t.rich('sampled', {
        shown: format.count(traffic.items.filter(({ requests }) => requests > 0).length),
        all: format.count(traffic.ips),
        known: traffic.watchedSince === null ? 'no' : 'yes',
        since: () => <RelativeTime at={traffic.watchedSince} />,
      })}
    </SmallNote>
  );
};
