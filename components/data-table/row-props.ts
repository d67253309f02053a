'use client';

import type { MouseEvent } from 'react';
import type { DataColumn, Selection } from './columns';

/** The props of a row, as a line of a table or as a card. */
export interface RowProps<Row> {
  id: string;
  index: number;
  columns: DataColumn<Row>[];
  row: Row;
  measure: ((element: HTMLElement | null) => void) | undefined;
  /** Whether Tab leads to this row. */
  active: boolean;
  /** Whether it is missing in the latest answer; it disappears when updates are applied. */
  gone: boolean;
  selection: Selection<Row> | undefined;
  selected: boolean;
  selectable: boolean;
  onSelect: (event: MouseEvent<HTMLInputElement>) => void;
  onOpen: ((row: Row) => void) | undefined;
}

const INTERACTIVE = 'a, button, input, label, select, textarea, [role="switch"]';

/** The attributes by which keyboard, virtualizer and stylesheet find a row. */
export const rowAttributes = <Row>({ id, index, row, onOpen, ...props }: RowProps<Row>) => ({
  ref: props.measure,
  'data-row': id,
  'data-index': index,
  'data-selected': props.selected || undefined,
  'data-gone': props.gone || undefined,
  'data-open': onOpen ? true : undefined,
  tabIndex: props.active ? 0 : -1,
  onClick: onOpen
    ? (event: MouseEvent) => {
        // Selecting text in a row, or using a control inside it, does not open it.
        const isUse = (event.target as HTMLElement).closest(INTERACTIVE);
        if (!isUse && !window.getSelection()?.toString()) onOpen(row);
      }
    : undefined,
});
