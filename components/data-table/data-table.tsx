'use client';

import { Group, Skeleton, Text } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useTranslations } from 'next-intl';
import { type ReactNode, useEffect, useRef } from 'react';
import { type DataColumn, DEFAULT_WIDTH, type Selection, type Sorting } from './columns';
import classes from './data-table.module.css';
import { BodyRow, HeadRow } from './rows';
import { Toolbar } from './toolbar';
import { useDataTable } from './use-data-table';
import { useTableKeys } from './use-table-keys';

export interface DataTableProps<Row> {
  /** Names the table for assistive technology; the page's heading is not enough. */
  label: string;
  /** Names exported files and the remembered choice of columns. */
  name: string;
  /** Declare in a `useMemo`. */
  columns: DataColumn<Row>[];
  rows: Row[];
  rowId: (row: Row) => string;
  /** The first load (`query.isPending`): skeletons. Later refetches leave the rows where they are. */
  loading: boolean;
  /** The rows are of the query before (`query.isPlaceholderData`): dimmed, and nothing can be done to them. */
  placeholder?: boolean;
  /** `query.hasNextPage`, `query.isFetchingNextPage`, `query.fetchNextPage` of an infinite query. */
  hasMore?: boolean;
  fetchingMore?: boolean;
  onMore?: () => void;
  /** Enter, or a click on the row. */
  onOpen?: (row: Row) => void;
  selection?: Selection<Row>;
  /** Without it headers are headers only. */
  sorting?: Sorting | undefined;
  /** What would be here and how it gets here. */
  empty: ReactNode;
  /** Short tables inside a panel go without. */
  toolbar?: boolean;
}

const ROW_HEIGHT = 37;
const CHECK_WIDTH = 44;

/**
 * Rows as they come: the first page at once, more as one scrolls; selection with a bar of actions; keyboard
 * j/k, x, Enter, /; columns to choose; the loaded rows as CSV or JSON. Only rows near the window are in the
 * DOM, inside a real `<table>`; on narrow screens it scrolls within itself.
 */
export const DataTable = <Row,>(props: DataTableProps<Row>) => {
  const {
    label,
    columns,
    rows,
    selection,
    loading,
    placeholder = false,
    hasMore = false,
    fetchingMore = false,
    onMore,
    onOpen,
  } = props;
  const t = useTranslations('table');
  const root = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const { table, visible, hidden, clear } = useDataTable(props);
  const model = table.getRowModel().rows;
  const virtual = useVirtualizer({
    count: model.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => model[index]?.id ?? index,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const active = useTableKeys({
    root,
    count: placeholder ? 0 : model.length,
    reveal: (index) => virtual.scrollToIndex(index, { align: 'auto' }),
    onToggle: (index) => model[index]?.getCanSelect() && model[index].toggleSelected(),
    onOpen: (index) => model[index] && onOpen?.(model[index].original),
  });
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (hasMore && !fetchingMore && !loading && !placeholder && last >= model.length - 15) onMore?.();
  }, [hasMore, fetchingMore, loading, placeholder, last, model.length, onMore]);

  const selected = model.filter((row) => row.getIsSelected()).map((row) => row.original as Row);
  const span = visible.length + (selection ? 1 : 0);
  const above = items[0]?.start ?? 0;
  const below = items.length > 0 ? virtual.getTotalSize() - items.at(-1)!.end : 0;
  const width = visible.reduce(
    (sum, column) => sum + (column.width ?? DEFAULT_WIDTH),
    selection ? CHECK_WIDTH : 0,
  );
  const nothing = !loading && rows.length === 0 && !hasMore;

  return (
    <div ref={root} className={classes.root} data-table-root>
      {selection && selected.length > 0 ? (
        <section className={classes.actions} aria-label={t('selectionActions')} inert={placeholder}>
          <Text size="sm" fw={600} aria-live="polite">
            {t('selected', { count: selected.length })}
          </Text>
          <Group gap="xs">{selection.actions(selected, clear)}</Group>
        </section>
      ) : (
        props.toolbar !== false && (
          <Toolbar
            name={props.name}
            columns={columns}
            rows={rows}
            hasMore={hasMore}
            placeholder={placeholder}
            isVisible={(id) => hidden[id] !== false}
            onToggle={(id) => table.getColumn(id)?.toggleVisibility()}
          />
        )
      )}
      <section
        ref={scroller}
        className={classes.scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={label}
        aria-busy={loading || placeholder}
      >
        <table
          className={classes.table}
          style={{ minWidth: width }}
          aria-label={label}
          aria-rowcount={hasMore ? -1 : model.length + 1}
        >
          <colgroup>
            {selection && <col style={{ width: CHECK_WIDTH }} />}
            {visible.map((column) => (
              <col key={column.id} style={{ width: column.width ?? DEFAULT_WIDTH }} />
            ))}
          </colgroup>
          <thead>
            <HeadRow
              columns={visible}
              table={selection ? table : null}
              placeholder={placeholder}
              sorting={props.sorting}
            />
          </thead>
          <tbody inert={placeholder}>
            {above > 0 && <tr aria-hidden style={{ height: above }} />}
            {items.map((item) => {
              const row = model[item.index];
              return (
                row && (
                  <BodyRow
                    key={item.key}
                    index={item.index}
                    id={row.id}
                    columns={visible}
                    row={row.original as Row}
                    measure={virtual.measureElement}
                    active={item.index === active}
                    selection={selection}
                    selected={row.getIsSelected()}
                    selectable={row.getCanSelect()}
                    onSelect={row.getToggleSelectedHandler()}
                    onOpen={onOpen}
                  />
                )
              );
            })}
            {below > 0 && <tr aria-hidden style={{ height: below }} />}
            {loading && <SkeletonRows span={span} />}
          </tbody>
        </table>
        {nothing && props.empty}
        {fetchingMore && (
          <Text size="xs" c="dimmed" ta="center" py="xs" role="status">
            {t('loadingMore')}
          </Text>
        )}
      </section>
    </div>
  );
};

const SkeletonRows = ({ span }: { span: number }) =>
  ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
    <tr key={key} aria-hidden>
      <td colSpan={span}>
        <Skeleton height={14} my={3} radius="sm" />
      </td>
    </tr>
  ));
