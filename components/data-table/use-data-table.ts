'use client';

import { useLocalStorage } from '@mantine/hooks';
import { type RefObject, useMemo, useState } from 'react';
import { columnsWithin } from './columns';
import type { DataTableProps } from './table-props';
import { useSelection } from './use-selection';
import { useSteadyRows } from './use-steady-rows';
import { useWidths } from './use-widths';

const NONE: ReadonlySet<string> = new Set();

/** The rows to show, their selection, and the stored choice of columns of one table. */
export const useDataTable = <Row>(
  props: DataTableProps<Row>,
  root: RefObject<HTMLElement | null>,
  isCards: boolean,
  /** Pixels available to the columns; 0 until known. */
  width: number,
) => {
  const { rowId, name, selection, live, sorting } = props;
  const columns = useWidths(root, props.columns);
  const [chosen, setChosen] = useLocalStorage<Record<string, boolean>>({
    key: `keyward-columns-${name}`,
    defaultValue: Object.fromEntries(columns.filter((c) => c.hiddenAtFirst).map((c) => [c.id, false])),
  });
  const [selected, setSelected] = useState<ReadonlySet<string>>(NONE);
  const steady = useSteadyRows({
    root,
    rows: props.rows,
    rowId,
    view: live ? JSON.stringify(live) : null,
    paged: props.onMore !== undefined,
    isProvisional: props.loading === true || props.placeholder === true,
    isCards,
    isSelected: (id) => selected.has(id),
  });
  const select = useSelection(steady.rows, rowId, selection, selected, setSelected);
  const sortedBy = sorting?.by;
  const visible = useMemo(() => {
    const shown = columns.filter(({ pinned, id }) => pinned || chosen[id] !== false);
    if (isCards || width <= 0) return shown;
    return columnsWithin(width, shown, ({ pinned, id }) => pinned || chosen[id] === true || id === sortedBy);
  }, [columns, chosen, isCards, width, sortedBy]);
  const toggle = (id: string) => setChosen({ ...chosen, [id]: !visible.some((column) => column.id === id) });
  return { ...select, steady, visible, toggle, chosen, setChosen, clear: () => setSelected(NONE) };
};
