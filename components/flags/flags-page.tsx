'use client';

import { Button } from '@mantine/core';
import { IconArrowsDiff, IconPlus, IconToggleLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { HistoryOfMissing } from '@/components/patterns/history-of-missing';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { QueryProblem } from '@/components/patterns/query-problem';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useUrlState } from '@/components/patterns/use-url-state';
import { type Flag, type FlagNaming, flagNameFault } from '@/lib/flags/schema';
import { ALL } from './chosen-connections';
import { filterFlags, NO_FILTER } from './filter-flags';
import { type FlagActions, useFlagColumns } from './flag-columns';
import { FlagFilters } from './flag-filters';
import { ApprovalProvider, useObstacle } from './policy';
import { flagQueries } from './queries';
import { openRequests, RequestsPanel } from './requests-panel';
import { useFlagConnections } from './use-flag-connections';
import { useFlagDrawers } from './use-flag-drawers';

const CompareDrawer = onDemand(async () => (await import('./compare-drawer')).CompareDrawer);
const CreateFlag = onDemand(async () => (await import('./create-flag')).CreateFlag);
const DecideDrawer = onDemand(async () => (await import('./decide-drawer')).DecideDrawer);
const DeleteFlag = onDemand(async () => (await import('./delete-flag')).DeleteFlag);
const DescribeFlag = onDemand(async () => (await import('./describe-flag')).DescribeFlag);
const FlagHistory = onDemand(async () => (await import('./history-drawer')).FlagHistory);
const ScheduleDrawer = onDemand(async () => (await import('./schedule-drawer')).ScheduleDrawer);

const FIELDS = { ...NO_FILTER, history: '', schedule: '', compare: '', flag: '' };
/** Until the list says how flags are named. */
const NO_NAMING: FlagNaming = { prefix: '', kind: 'own' };
const STEPS = { opens: ['history', 'schedule', 'compare'] } as const;

export const FlagsPage = () => {
  const t = useTranslations('flags');
  const connection = useConnection();
  const hasOthers = useFlagConnections().length > 1;
  const mayChange = useObstacle() === null;
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const query = useQuery(flagQueries.list(connection.id));
  const flags = query.data?.items;
  const naming = query.data?.naming ?? NO_NAMING;
  const rows = useMemo(() => filterFlags(flags ?? [], url), [flags, url]);
  const requests = useMemo(() => (query.data ? openRequests(query.data) : []), [query.data]);
  const { actions, creating, describing, deleting, decision } = useFlagDrawers(setUrl);
  const loaded = flags !== undefined;
  const named = (name: string) => flags?.find((flag) => flag.name === name);
  return (
    <ApprovalProvider approval={query.data?.approval ?? 'none'}>
      <PageHeader
        title={t('title')}
        sentence={t('sentence')}
        actions={
          <>
            {hasOthers && (
              <Button
                variant="default"
                leftSection={<IconArrowsDiff size={16} aria-hidden />}
                onClick={() => setUrl({ compare: ALL })}
              >
                {t('compare.verb')}
              </Button>
            )}
            {mayChange && (
              <Button
                leftSection={<IconPlus size={16} aria-hidden />}
                disabled={!loaded}
                onClick={creating.open}
              >
                {t('create.verb')}
              </Button>
            )}
          </>
        }
      />
      {query.isError && !flags ? (
        <QueryProblem of={query} />
      ) : (
        <>
          <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
          <RequestsPanel requests={requests} onDecide={actions.decide} />
          <FlagFilters filter={url} onChange={setUrl} shown={rows} list={query.data} />
          <FlagTable
            rows={rows}
            // The first list may come before all names were found.
            loading={query.isPending || (flags?.length === 0 && query.data?.complete === false)}
            live={[url.q, url.state, url.kind, url.owner, url.tag, url.is]}
            filtered={rows.length < (flags?.length ?? 0)}
            missing={flagNameFault(naming, url.q) === null && !named(url.q) ? url.q : null}
            naming={naming}
            onHistory={(history) => setUrl({ history })}
            actions={actions}
          />
        </>
      )}
      <FlagHistory
        name={url.history || null}
        flag={named(url.history)}
        loaded={loaded}
        onCompare={hasOthers ? (flag) => setUrl({ history: '', compare: ALL, flag }) : undefined}
        onClose={() => setUrl({ history: '' })}
      />
      <CompareDrawer
        others={url.compare === '' ? null : url.compare}
        name={url.flag}
        onChoose={(compare) => setUrl({ compare })}
        onFlag={(flag) => setUrl({ flag })}
        onClose={() => setUrl({ compare: '', flag: '' })}
      />
      <ScheduleDrawer
        name={url.schedule || null}
        flag={named(url.schedule)}
        loaded={loaded}
        onClose={() => setUrl({ schedule: '' })}
      />
      <CreateFlag opened={creating.opened} onClose={creating.onClose} flags={flags ?? []} naming={naming} />
      <DescribeFlag key={describing.key} flag={describing.about} {...describing.props} />
      <DeleteFlag {...deleting} />
      <DecideDrawer {...decision} />
    </ApprovalProvider>
  );
};

interface FlagTableProps {
  rows: Flag[];
  loading: boolean;
  live: readonly unknown[];
  /** Whether filters hide some flags. */
  filtered: boolean;
  /** The name searched for, if no flag has it: it may have been deleted. */
  missing: string | null;
  naming: FlagNaming;
  onHistory: (name: string) => void;
  actions: FlagActions;
}

const FlagTable = (props: FlagTableProps) => {
  const { rows, loading, live, filtered, missing, naming, onHistory, actions } = props;
  const t = useTranslations('flags');
  const columns = useFlagColumns(actions);
  return (
    <DataTable
      label={t('title')}
      name="flags"
      savesViews
      columns={columns}
      rows={rows}
      rowId={(flag) => flag.name}
      loading={loading}
      live={live}
      onOpen={actions.history}
      empty={
        <EmptyState
          icon={<IconToggleLeft size={20} />}
          title={t(filtered ? 'empty.none' : 'empty.title')}
          action={missing !== null && <HistoryOfMissing name={missing} onHistory={onHistory} />}
        >
          {filtered ? t('empty.filtered') : t(`empty.text.${naming.kind}`, { prefix: naming.prefix })}
        </EmptyState>
      }
    />
  );
};
