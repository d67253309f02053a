'use client';

import { IconProgress } from '@tabler/icons-react';
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
import type { Result } from '@/lib/contract';
import type { ProcessState, processContracts } from '@/lib/processes/schema';
import { type Fields, NO_FILTER, stateFilterOf } from './address';
import { keyIdOf, ReadLine } from './list-parts';
import { useProcessColumns } from './process-columns';
import { lockQueries } from './queries';

const ProcessDrawer = onDemand(async () => (await import('./process-drawer')).ProcessDrawer);

interface ProcessListProps {
  url: Fields;
  onChange: (change: Partial<Fields>) => void;
}

/** The processes by their stored state: stuck ones first, then the oldest. */
export const ProcessList = ({ url, onChange }: ProcessListProps) => {
  const t = useTranslations('locks');
  const { id } = useConnection();
  const filter = useMemo(() => stateFilterOf(url), [url]);
  const query = useInfiniteQuery(lockQueries.states(id, filter));
  const rows = useDistinctRows(query.data?.pages, keyIdOf);
  const [first] = query.data?.pages ?? [];
  const drawer = useOpened<ProcessState>();
  const columns = useProcessColumns(drawer.open);
  if (query.isError && !query.data)
    return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  const isFiltered = Object.keys(filter).length > 0;
  const current = rows.find(({ keyId }) => keyId === drawer.about?.keyId);
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <ProcessTiles page={first} stage={filter.stage ?? ''} onStage={(stage) => onChange({ stage })} />
      <FilterBar
        search={<SearchField value={url.q} onChange={(q) => onChange({ q })} label={t('search')} />}
        active={filter.process === undefined ? 0 : 1}
        onClear={isFiltered ? () => onChange(NO_FILTER) : undefined}
      >
        <FilterSelect
          label={t('column.process')}
          any={t('anyProcess')}
          data={(first?.processes ?? []).map((value) => ({ value, label: value }))}
          value={url.process}
          onChange={(process) => onChange({ process })}
          searchable
        />
      </FilterBar>
      <DataTable
        label={t('labelProcesses')}
        name="processes"
        columns={columns}
        rows={rows}
        rowId={keyIdOf}
        {...pagesOf(query)}
        loading={query.isPending || (rows.length === 0 && first?.readAt === null)}
        live={[filter]}
        onOpen={drawer.open}
        empty={
          <EmptyState
            icon={<IconProgress size={20} />}
            title={t(isFiltered ? 'empty.filtered' : 'noProcesses.title')}
          >
            {t(isFiltered ? 'noProcesses.noMatch' : 'noProcesses.text')}
          </EmptyState>
        }
      />
      <ProcessDrawer
        state={current ?? drawer.about}
        isListed={current !== undefined}
        opened={drawer.opened}
        onClose={drawer.close}
      />
    </>
  );
};

const TONES = {
  stuck: 'bad',
  running: 'good',
  waiting: 'quiet',
  failed: 'warn',
  finished: 'quiet',
  unknown: 'quiet',
} as const;

interface ProcessTilesProps {
  page: Result<typeof processContracts.list> | undefined;
  /** That of the filter; '' for any. */
  stage: string;
  onStage: (stage: string) => void;
}

const ProcessTiles = ({ page, stage, onStage }: ProcessTilesProps) => {
  const t = useTranslations('locks');
  const isKnown = page !== undefined && page.readAt !== null;
  const tiles = stateTiles({
    tones: TONES,
    name: (id) => t(`stage.${id}`),
    means: (id) => t(`stageMeans.${id}`),
    count: (id) => (id === 'stuck' ? page?.stuck : isKnown ? page.stages[id] : null),
    chosen: stage,
    onState: (id) => onStage(id),
  });
  return (
    <StateTiles
      label={t('counts.processes')}
      tiles={[{ id: 'total', name: t('counts.all'), count: page?.total }, ...tiles]}
      loading={page === undefined}
      hint={t('counts.hint')}
      age={<ReadLine of={page} />}
    />
  );
};
