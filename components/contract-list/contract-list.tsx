'use client';

import { IconListDetails } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { useDistinctRows } from '@/components/data-table/distinct-rows';
import { pagesOf } from '@/components/data-table/query-pages';
import { RowButton } from '@/components/data-table/row-button';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { FilterSelect } from '@/components/patterns/filter-select';
import { listQuery } from '@/components/patterns/list-query';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { StateTiles, stateTiles } from '@/components/patterns/state-tiles';
import { type Opened, useOpened } from '@/components/patterns/use-opened';
import { useViewer } from '@/components/patterns/viewer';
import { may } from '@/lib/permissions';
import { visibleText } from '@/lib/visible-text';
import { type AnyList, filterOf } from './declare-list';

/** Characters of a row's name in the name of a button. */
const MAX_NAME = 60;

/** The texts of a list, by keys that its declaration names. */
export type Words = (key: string, values?: Record<string, string | number>) => string;
export const useWords = (namespace: string): Words => useTranslations(namespace as never) as unknown as Words;

type Filter = Record<string, string>;
type Url = Record<string, string>;
type Row = unknown;
type AnySelect = NonNullable<AnyList['selects']>[string];
type Page = { items: Row[]; nextCursor: string | null };

interface ListProps {
  list: AnyList;
  /** The page's state in the address, with the list's fields. */
  url: Url;
  onChange: (change: Url) => void;
}

/** A list with its tiles, filters, table, and the drawers of its rows. */
export const ContractList = ({ list, url, onChange }: ListProps) => {
  const t = useWords(list.texts);
  const shared = useTranslations('patterns.list');
  const { id } = useConnection();
  const filter = useMemo(() => filterOf(list, url), [list, url]);
  const query = useInfiniteQuery(listQuery(list.contract, { connection: id, filter, everyMs: list.everyMs }));
  const rows = useDistinctRows(query.data?.pages, list.rowId);
  const [first] = query.data?.pages ?? [];
  const opened = useOpened<{ drawer: string; row: Row }>();
  const columns = useColumns(list, t, opened.open);
  if (query.isError && !query.data)
    return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  const isFiltered = Object.keys(filter).length > 0;
  const { icon: Icon, details, opens } = list;
  const onOpen = opens
    ? (row: Row) => onChange({ [opens.name]: list.rowId(row) })
    : details && ((row: Row) => opened.open({ drawer: DETAILS, row }));
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <Tiles list={list} t={t} page={first} filter={filter} onChange={onChange} />
      <Filters list={list} t={t} page={first} filter={filter} onChange={onChange} />
      <DataTable
        label={t('label')}
        name={list.name}
        columns={columns}
        rows={rows}
        rowId={list.rowId}
        {...pagesOf(query)}
        loading={query.isPending || (rows.length === 0 && first !== undefined && !!list.isReading?.(first))}
        live={[filter]}
        {...(onOpen && { onOpen })}
        empty={
          <EmptyState icon={<Icon size={20} />} title={isFiltered ? shared('noMatch') : t('empty.title')}>
            {isFiltered ? shared('filtered') : t('empty.text')}
          </EmptyState>
        }
      />
      <Drawers list={list} rows={rows} opened={opened} />
      {opens && (
        <opens.drawer
          id={url[opens.name] ?? ''}
          url={url}
          onChange={onChange}
          onClose={() => onChange({ [opens.name]: '' })}
        />
      )}
    </>
  );
};

const DETAILS = '';

const useColumns = (
  list: AnyList,
  t: Words,
  open: (about: { drawer: string; row: Row }) => void,
): DataColumn<Row>[] => {
  const shared = useTranslations('patterns.list');
  const { role } = useViewer();
  return useMemo(() => {
    const columns = list.columns.map((column) => ({
      ...column,
      header: column.header ?? t(`column.${column.id}`),
    }));
    const actions = Object.entries(list.actions ?? {}).filter(([, { permission }]) => may(role, permission));
    const count = actions.length + (list.details ? 1 : 0);
    if (count === 0) return columns;
    const nameOf = (row: Row) => ({ key: visibleText(list.rowName(row), MAX_NAME) });
    const buttons = actionsColumn<Row>({
      width: 16 + 32 * count,
      cell: (row) => (
        <>
          {actions.map(
            ([drawer, { icon: Icon, isOffered = () => true }]) =>
              isOffered(row) && (
                <RowButton
                  key={drawer}
                  hint={t(`${drawer}.verb`)}
                  label={t(`${drawer}.title`, nameOf(row))}
                  icon={<Icon size={16} />}
                  onClick={() => open({ drawer, row })}
                />
              ),
          )}
          {list.details && (
            <RowButton
              hint={shared('details')}
              label={shared('detailsOf', nameOf(row))}
              icon={<IconListDetails size={16} />}
              onClick={() => open({ drawer: DETAILS, row })}
            />
          )}
        </>
      ),
    });
    return [...columns, buttons];
  }, [list, t, shared, role, open]);
};

interface DrawersProps {
  list: AnyList;
  rows: readonly Row[];
  opened: Opened<{ drawer: string; row: Row }>;
}

const Drawers = ({ list, rows, opened }: DrawersProps) => {
  const { about, key } = opened;
  const current = about ? rows.find((row) => list.rowId(row) === list.rowId(about.row)) : undefined;
  const drawers = Object.entries(list.actions ?? {}).map(([name, { drawer }]) => [name, drawer] as const);
  const all = list.details ? [...drawers, [DETAILS, list.details] as const] : drawers;
  return all.map(([name, Drawer]) => {
    const isThis = about?.drawer === name;
    return (
      <Drawer
        // The fields of a form are empty each time it opens; details may stay.
        key={name === DETAILS ? name : `${name} ${isThis ? key : ''}`}
        row={isThis ? about.row : null}
        current={isThis ? current : undefined}
        opened={isThis && opened.opened}
        onClose={opened.close}
        onClosed={opened.forget}
      />
    );
  });
};

interface PartProps {
  list: AnyList;
  t: Words;
  page: Page | undefined;
  filter: Filter;
  onChange: (change: Url) => void;
}

const Tiles = ({ list: { states }, t, page, filter, onChange }: PartProps) => {
  const shared = useTranslations('patterns.list');
  if (!states) return null;
  const { name, age: Age } = states;
  const tiles = stateTiles<string>({
    tones: states.tones,
    name: (id) => t(`${name}.${id}`),
    means: (id) => t(`${name}Means.${id}`),
    count: (id) => page && states.count(page, id),
    chosen: filter[name] ?? '',
    onState: (id) => onChange({ [name]: id }),
  });
  return (
    <StateTiles
      label={t('states')}
      tiles={[{ id: 'total', name: shared('all'), count: page && states.total(page) }, ...tiles]}
      loading={page === undefined}
      hint={shared('tilesHint')}
      age={<Age of={page} />}
    />
  );
};

const Filters = ({ list, t, page, filter, onChange }: PartProps) => {
  const { search, selects = {}, status: Status } = list;
  const isFiltered = Object.keys(filter).length > 0;
  const optionsOf = (name: string, values: AnySelect) =>
    typeof values === 'function'
      ? (page ? values(page) : []).map((value) => ({ value, label: value }))
      : values.map((value) => ({ value, label: t(`${name}.${value}`) }));
  return (
    <FilterBar
      search={
        search && (
          <SearchField
            value={filter.q ?? ''}
            onChange={(q) => onChange({ q })}
            label={t('search')}
            noSecrets={search === 'noSecrets'}
          />
        )
      }
      active={Object.keys(selects).filter((name) => filter[name] !== undefined).length}
      onClear={isFiltered ? () => onChange(list.fields) : undefined}
      status={Status && <Status of={page} isFiltered={isFiltered} />}
    >
      {Object.entries(selects).map(([name, values]) => (
        <FilterSelect
          key={name}
          label={t(`column.${name}`)}
          any={t(`any.${name}`)}
          data={optionsOf(name, values)}
          value={filter[name] ?? ''}
          onChange={(value) => onChange({ [name]: value })}
          searchable={typeof values === 'function'}
        />
      ))}
    </FilterBar>
  );
};
