'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import { useConnectionOrNull } from '@/components/patterns/connection';
import { JobDrawer } from '@/components/patterns/job-drawer-on-demand';
import { listQuery } from '@/components/patterns/list-query';
import { QueryProblem } from '@/components/patterns/query-problem';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useOpened } from '@/components/patterns/use-opened';
import { useUnmoved } from '@/components/patterns/use-pressed';
import { useViewer } from '@/components/patterns/viewer';
import { isConnectionPath } from '@/lib/contract';
import { may } from '@/lib/permissions';
import { type BulkChange, bulkSelection, OfMatches, useBulkChange } from './bulk-change';
import { type AnyList, filterOf, type OpenedRows, orderOf } from './declare-list';
import { DETAILS, useListColumns } from './list-columns';
import { RowDrawers } from './list-drawers';
import { ListFilters } from './list-filters';
import { PagedRows, ScannedRows } from './list-rows';
import { useManySelection } from './many-selection';
import { useWords } from './words';

type Url = Record<string, string>;
type Row = unknown;

interface ListProps {
  list: AnyList;
  /** The page's state in the address, with the list's fields. */
  url: Url;
  onChange: (change: Url) => void;
}

/** A list with its tiles, filters, table, and the drawers of its rows. */
export const ContractList = (props: ListProps) => {
  const { bulk } = props.list;
  const { role } = useViewer();
  return bulk && may(role, bulk.permission) ? <BulkList {...props} /> : <List {...props} />;
};

/** With a change of several rows, its proof or its job. */
const BulkList = (props: ListProps) => {
  const { list, url, onChange } = props;
  const t = useWords(list.texts);
  const change = useBulkChange(list, (job) => onChange({ job }));
  const { drawer: Drawer, proof: Proof } = list.bulk!;
  return (
    <>
      <Proof t={t} change={change} />
      <List {...props} change={change} />
      <Drawer t={t} change={change} />
      <JobDrawer jobId={url.job || null} onClose={() => onChange({ job: '' })} />
    </>
  );
};

const List = ({ list, url, onChange, change }: ListProps & { change?: BulkChange }) => {
  const t = useWords(list.texts);
  const router = useRouter();
  const connection = useConnectionOrNull();
  const opened = useOpened<OpenedRows>();
  const wanted = useMemo(() => filterOf(list, url), [list, url]);
  // A typed filter is in the address a moment later: then its row may be pressed already, or its drawer open, and another
  // filter has other rows.
  const filter = useUnmoved(wanted, opened.opened);
  const order = useMemo(() => orderOf(list, url), [list, url]);
  const input = useMemo(() => ({ ...(list.inputOf?.(filter) ?? filter), ...order }), [list, filter, order]);
  const { details, opens, instead, sort, intro: Intro, buttons: Buttons, footer: Footer } = list;
  const impossible = instead?.isNeeded(filter) === true;
  const query = useInfiniteQuery({
    ...listQuery(list.contract, {
      connection: isConnectionPath(list.contract.path) ? connection?.id : undefined,
      filter: input,
      everyMs: list.everyMs,
      isReading: list.isReading,
    }),
    enabled: !impossible,
  });
  const [page] = query.data?.pages ?? [];
  const columns = useListColumns(list, t, page, opened.open, onChange);
  const ofMany = useManySelection(list, t, opened.open);
  if (query.isError && !query.data) return <QueryProblem of={query} />;
  const part = { page, url, onChange };
  const isFiltered = Object.keys(filter).length > 0;
  const follow = (row: Row) => {
    const href = list.hrefOf?.(connection?.id ?? '', row);
    if (href) router.push(href);
  };
  const onOpen = opens
    ? (row: Row) => onChange({ [opens.name]: list.rowId(row) })
    : details
      ? (row: Row) => opened.open({ drawer: DETAILS, rows: [row] })
      : list.hrefOf && follow;
  const onBulk = change && ((rows: readonly Row[]) => change.ask({ rows }));
  const Rows = list.scan ? ScannedRows : PagedRows;
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      {Intro && <Intro {...part} />}
      <ListFilters
        {...part}
        list={list}
        t={t}
        filter={filter}
        isFiltered={isFiltered}
        buttons={
          <>
            {Buttons && <Buttons {...part} />}
            {list.bulk?.ofMatches && change && (
              <OfMatches
                t={t}
                ready={isFiltered && !impossible}
                onAsk={() => change.ask({ filter: input })}
              />
            )}
          </>
        }
      />
      {impossible ? (
        <instead.of {...part} />
      ) : (
        <Rows
          // A selection, and how far a scan may go, are of one filter.
          key={list.scan || list.bulk || ofMany ? JSON.stringify(filter) : ''}
          list={list}
          t={t}
          query={query}
          filter={filter}
          isFiltered={isFiltered}
          columns={columns}
          onOpen={onOpen}
          selection={change ? bulkSelection(list, t, change.ask) : ofMany}
          sorting={
            sort && {
              by: order.sort ?? sort.by,
              order: order.order ?? 'desc',
              onSort: (by, to) => onChange({ sort: by, ...(sort.order && { order: to }) }),
            }
          }
          drawers={(rows) => (
            <RowDrawers list={list} rows={rows} page={page} opened={opened} onBulk={onBulk} />
          )}
        />
      )}
      {Footer && <Footer {...part} />}
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
