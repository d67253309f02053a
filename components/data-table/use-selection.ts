'use client';

import { useMemo, useRef } from 'react';
import type { Selection } from './columns';

export interface SelectableRow<Row> {
  id: string;
  row: Row;
  isSelected: boolean;
  canSelect: boolean;
}

/** What the box above all rows shows and does. */
export interface AllRows {
  areAll: boolean;
  areSome: boolean;
  toggle: (isOn: boolean) => void;
}

/** The rows with their selection. With Shift a row takes along those between it and the one before. */
export const useSelection = <Row>(
  shown: readonly Row[],
  rowId: (row: Row) => string,
  selection: Selection<Row> | undefined,
  selected: ReadonlySet<string>,
  onSelected: (selected: ReadonlySet<string>) => void,
) => {
  const last = useRef<string | null>(null);
  const rows = useMemo(
    () =>
      shown.map((row): SelectableRow<Row> => {
        const id = rowId(row);
        const canSelect = selection !== undefined && (selection.canSelect?.(row) ?? true);
        return { id, row, isSelected: selected.has(id), canSelect };
      }),
    [shown, rowId, selection, selected],
  );
  const change = (changed: readonly SelectableRow<Row>[], isOn: boolean) => {
    const next = new Set(selected);
    for (const { id, canSelect } of changed)
      if (canSelect) {
        if (isOn) next.add(id);
        else next.delete(id);
      }
    onSelected(next);
  };
  const select = (id: string, isOn: boolean, isRange = false) => {
    const at = rows.findIndex((row) => row.id === id);
    const before = isRange ? rows.findIndex((row) => row.id === last.current) : -1;
    const from = before < 0 ? at : before;
    change(rows.slice(Math.min(from, at), Math.max(from, at) + 1), isOn);
    last.current = id;
  };
  const all: AllRows = {
    areAll: selected.size > 0 && rows.length > 0 && rows.every((row) => row.isSelected || !row.canSelect),
    areSome: selected.size > 0,
    toggle: (isOn) => {
      last.current = null;
      change(rows, isOn);
    },
  };
  return { rows, all, select };
};
