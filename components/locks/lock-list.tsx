'use client';

import { IconLock } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { useDistinctRows } from '@/components/data-table/distinct-rows';
import { pagesOf } from '@/components/data-table/query-pages';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { FilterSelect } from '@/components/patterns/filter-select';
import { onDemand } from '@/components/patterns/on-demand';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { StateTiles, stateTiles } from '@/components/patterns/state-tiles';
import { useOpened } from '@/components/patterns/use-opened';
import { useMay } from '@/components/patterns/viewer';
import type { Result } from '@/lib/contract';
import type { Lock, lockContracts } from '@/lib/locks/schema';
import { type Fields, lockFilterOf, NO_FILTER } from './address';
import { keyIdOf, ReadLine } from './list-parts';
import { useLockColumns } from './lock-columns';
import { lockQueries } from './queries';

const ReleaseDrawer = onDemand(async () => (await import('./release-drawer')).ReleaseDrawer);

interface LockListProps {
  url: Fields;
  onChange: (change: Partial<Fields>) => void;
}

/** The locks: those with a problem first, then the oldest. */
export const LockList = ({ url, onChange }: LockListProps) => {
  const t = useTranslations('locks');
  const { id } = useConnection();
  const filter = useMemo(() => lockFilterOf(url), [url]);
  const query = useInfiniteQuery(lockQueries.locks(id, filter));
  const rows = useDistinctRows(query.data?.pages, keyIdOf);
  const [first] = query.data?.pages ?? [];
  const release = useOpened<Lock>();
  const mayRelease = useMay('keys:write');
  const columns = useLockColumns(mayRelease ? release.open : undefined);
  if (query.isError && !query.data)
    return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <LockTiles page={first} problem={filter.problem ?? ''} onProblem={(problem) => onChange({ problem })} />
      <FilterBar
        search={<SearchField value={url.q} onChange={(q) => onChange({ q })} label={t('search')} />}
        active={filter.operation === undefined ? 0 : 1}
        onClear={isFiltered ? () => onChange(NO_FILTER) : undefined}
      >
        <FilterSelect
          label={t('column.operation')}
          any={t('anyOperation')}
          data={(first?.operations ?? []).map((value) => ({ value, label: value }))}
          value={url.operation}
          onChange={(operation) => onChange({ operation })}
          searchable
        />
      </FilterBar>
      <DataTable
        label={t('label')}
        name="locks"
        columns={columns}
        rows={rows}
        rowId={keyIdOf}
        {...pagesOf(query)}
        loading={query.isPending || (rows.length === 0 && first?.readAt === null)}
        live={[filter]}
        empty={
          <EmptyState icon={<IconLock size={20} />} title={t(isFiltered ? 'empty.filtered' : 'empty.title')}>
            {t(isFiltered ? 'empty.noMatch' : 'empty.text')}
          </EmptyState>
        }
      />
      <ReleaseDrawer
        key={release.key}
        lock={release.about}
        current={rows.find(({ keyId }) => keyId === release.about?.keyId)}
        opened={release.opened}
        onClose={release.close}
        onClosed={release.forget}
      />
    </>
  );
};

/** Those that say the most about an application. */
const TONES = {
  any: 'bad',
  noTtl: 'bad',
  longerThanBand: 'warn',
  noOwner: 'warn',
  wrongType: 'warn',
} as const;

interface LockTilesProps {
  page: Result<typeof lockContracts.list> | undefined;
  /** That of the filter; '' for any. */
  problem: string;
  onProblem: (problem: string) => void;
}

const LockTiles = ({ page, problem, onProblem }: LockTilesProps) => {
  const t = useTranslations('locks');
  const isKnown = page !== undefined && page.readAt !== null;
  const tiles = stateTiles({
    tones: TONES,
    name: (id) => t(`problem.${id}`),
    means: (id) => t(`problemMeans.${id}`),
    count: (id) => (id === 'any' ? page?.withProblems : isKnown ? page.problems[id] : null),
    chosen: problem,
    onState: (id) => onProblem(id),
  });
  return (
    <StateTiles
      label={t('counts.locks')}
      tiles={[{ id: 'total', name: t('counts.all'), count: page?.total }, ...tiles]}
      loading={page === undefined}
      hint={t('counts.hint')}
      age={<ReadLine of={page} />}
    />
  );
};
