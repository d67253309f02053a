'use client';

import { Skeleton, Stack } from '@mantine/core';
import { useMergedRef, useResizeObserver } from '@mantine/hooks';
import { useTranslations } from 'next-intl';
import { type CSSProperties, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { EmptyState } from '@/components/patterns/empty-state';
import { usePreferences } from '@/components/patterns/preferences';
import { useNarrow } from '@/components/patterns/use-narrow';
import { useNearRows } from '@/components/patterns/use-near-rows';
import { Card, CardList } from './cards';
import { DEFAULT_WIDTH, widthOf } from './columns';
import classes from './data-table.module.css';
import type { RowProps } from './row-props';
import { BodyRow, HeadRow } from './rows';
import { TableHead } from './table-head';
import type { DataTableProps } from './table-props';
import { useDataTable } from './use-data-table';
import { useTableKeys } from './use-table-keys';

/** As in the stylesheet. */
const ROW_HEIGHT = { comfortable: 37, compact: 31 };
const CARD_HEIGHT = 150;
const CHECK_WIDTH = 44;

/**
 * Rows as they arrive: the first page immediately, more while scrolling; selection with a bar of actions; keyboard
 * j/k, x, Enter, /; selectable columns; the loaded rows as CSV or JSON. Only rows near the window are in the DOM,
 * inside a real `<table>`, or as a list of cards on a phone.
 */
export const DataTable = <Row,>(props: DataTableProps<Row>) => {
  const {
    label,
    selection,
    loading = false,
    placeholder = false,
    hasMore = false,
    fetchingMore = false,
  } = props;
  const { onMore, onOpen, sorting } = props;
  const t = useTranslations('dataTable');
  const root = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const asCards = useNarrow();
  const { density } = usePreferences().preferences;
  const [measured, { left, right }] = useResizeObserver();
  // The observer reports after the first paint, in which rows may be there already.
  const [firstWidth, setFirstWidth] = useState(0);
  useLayoutEffect(() => setFirstWidth(scroller.current?.clientWidth ?? 0), []);
  const free = (right - left || firstWidth) - (selection ? CHECK_WIDTH : 0);
  const { rows, all, select, steady, visible, toggle, chosen, setChosen, clear } = useDataTable(
    props,
    root,
    asCards,
    free,
  );
  const { shown, total, above, below, measure, reveal } = useNearRows({
    scroller,
    count: rows.length,
    estimate: asCards ? CARD_HEIGHT : ROW_HEIGHT[density],
    keyOf: (index) => rows[index]?.id ?? index,
    overscan: asCards ? 4 : 12,
    name: `${props.name} ${asCards}`,
  });
  const byId = (id: string) => rows.find((row) => row.id === id);
  const active = useTableKeys({
    root,
    ids: placeholder ? [] : rows.map(({ id }) => id),
    reveal,
    onToggle: (id) => byId(id) && select(id, !byId(id)!.isSelected),
    onOpen: (id) => byId(id) && onOpen?.(byId(id)!.row),
  });
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (hasMore && !fetchingMore && !loading && !placeholder && last >= rows.length - 15) onMore?.();
  }, [hasMore, fetchingMore, loading, placeholder, last, rows.length, onMore]);

  const selected = rows.filter(({ isSelected }) => isSelected).map(({ row }) => row);
  const tallest = useTallest(props.live ? JSON.stringify(props.live) : null, rows.length, total);
  const rowProps = shown.flatMap(({ index }): (RowProps<Row> & { key: string })[] => {
    const found = rows[index];
    if (!found) return [];
    const { id, row, isSelected, canSelect } = found;
    return [
      {
        key: id,
        id,
        index,
        columns: visible,
        row,
        measure,
        active: id === active,
        gone: steady.gone.has(id),
        selection,
        selected: isSelected,
        selectable: canSelect,
        onSelect: ({ currentTarget, shiftKey }) => select(id, currentTarget.checked, shiftKey),
        onOpen,
      },
    ];
  });

  return (
    <div ref={root} className={classes.root} data-table-root>
      <TableHead
        {...props}
        rows={rows.flatMap(({ id, row }) => (steady.gone.has(id) ? [] : [row]))}
        selected={selected}
        clear={clear}
        all={all}
        updates={steady.updates}
        onApply={() => {
          steady.apply();
          // The button disappears with its updates, and would take the focus along.
          scroller.current?.focus({ preventScroll: true });
        }}
        isVisible={(id) => visible.some((column) => column.id === id)}
        onToggle={toggle}
        chosen={chosen}
        onChosen={setChosen}
      />
      <section
        ref={useMergedRef(scroller, measured)}
        className={classes.scroller}
        style={{ '--table-tallest': `${tallest}px` } as CSSProperties}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={label}
        aria-busy={loading || placeholder}
      >
        {asCards ? (
          <CardList label={label} placeholder={placeholder} above={above} below={below}>
            {rowProps.map(({ key, ...row }) => (
              <Card key={key} {...row} count={hasMore ? -1 : rows.length} />
            ))}
          </CardList>
        ) : (
          <table
            className={classes.table}
            data-density={density}
            style={{ minWidth: widthOf(visible) + (selection ? CHECK_WIDTH : 0) }}
            aria-label={label}
            aria-rowcount={hasMore ? -1 : rows.length + 1}
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
                all={selection ? all : null}
                placeholder={placeholder}
                sorting={sorting}
              />
            </thead>
            <tbody inert={placeholder}>
              {above > 0 && <tr aria-hidden style={{ height: above }} />}
              {rowProps.map(({ key, ...row }) => (
                <BodyRow key={key} {...row} />
              ))}
              {below > 0 && <tr aria-hidden style={{ height: below }} />}
            </tbody>
          </table>
        )}
        {loading && <Skeletons />}
        {!loading && rows.length === 0 && !hasMore && <NoRows empty={props.empty} />}
        {fetchingMore && (
          <Dimmed size="xs" ta="center" py="xs" role="status">
            {t('loadingMore')}
          </Dimmed>
        )}
      </section>
    </div>
  );
};

/**
 * When rows leave a live table by themselves, their space stays empty, so that the content below does not jump. Heights
 * are estimates until rows are measured, so only fewer rows keep it.
 */
const useTallest = (view: string | null, count: number, height: number): number => {
  const [tallest, setTallest] = useState({ view, count, height });
  const isFewer = view === tallest.view && count < tallest.count;
  const next = {
    view,
    count: isFewer ? tallest.count : count,
    height: isFewer ? Math.max(height, tallest.height) : height,
  };
  const isNew = view !== tallest.view || next.count !== tallest.count || next.height !== tallest.height;
  if (view !== null && isNew) setTallest(next);
  return view === null ? 1 : next.height;
};

const NoRows = ({ empty }: Pick<DataTableProps<never>, 'empty'>) => {
  if (typeof empty !== 'object' || empty === null || !('title' in empty)) return empty;
  const { icon: Icon, title, text } = empty;
  return (
    <EmptyState icon={<Icon size={20} />} title={title}>
      {text}
    </EmptyState>
  );
};

/** The stylesheet sets their height, so that it is right before hydration, also on a phone. */
const Skeletons = () => (
  <Stack gap={18} p={12} aria-hidden>
    {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
      <Skeleton key={key} className={classes.skeleton} radius="sm" />
    ))}
  </Stack>
);
