'use client';

import { type RefObject, useState } from 'react';
import { holdRows, latestRows, type SteadyRows } from './steady-rows';
import { useHold, useOwnChange } from './use-hold';

interface SteadyOptions<Row> {
  root: RefObject<HTMLElement | null>;
  rows: readonly Row[];
  rowId: (row: Row) => string;
  /** The filter and order of the rows; null for a table that does not refetch by itself. */
  view: string | null;
  paged: boolean;
  /** Whether the rows do not belong to this view yet. */
  isProvisional: boolean;
  /** Cards on a phone are always held, because a thumb gives no warning before it lands. */
  isCards: boolean;
  isSelected: (id: string) => boolean;
}

interface Shown<Row> extends SteadyRows<Row> {
  /** The answer, view and hold from which this was computed. */
  source: readonly Row[];
  view: string | null;
  isProvisional: boolean;
  isHeld: boolean;
  turn: number;
}

/**
 * The rows to render: those of the latest answer or, while the table is in use, the rows on screen with their latest
 * values. Requested updates (a filter, an order, a change) are shown immediately.
 */
export const useSteadyRows = <Row>(options: SteadyOptions<Row>): SteadyRows<Row> & { apply: () => void } => {
  const { root, rows: source, view, isProvisional, isCards, isSelected, ...hold } = options;
  const { isUsed, isPressed } = useHold(root);
  const own = useOwnChange();
  const [shown, setShown] = useState<Shown<Row>>(() => ({
    ...latestRows(source),
    source,
    view,
    isProvisional,
    isHeld: false,
    turn: own.turn,
  }));
  const isSameView = view !== null && view === shown.view && !isProvisional && !shown.isProvisional;
  const isInUse =
    isUsed || (isCards && shown.rows.length > 0) || shown.rows.some((row) => isSelected(hold.rowId(row)));
  const isHeld = isPressed || (isSameView && isInUse && !own.isOpen && own.turn === shown.turn);
  const isLatest = view === shown.view && isProvisional === shown.isProvisional && own.turn === shown.turn;
  const isStale = source !== shown.source || isHeld !== shown.isHeld || (!isPressed && !isLatest);
  let now = shown;
  if (isStale) {
    now = isHeld
      ? { ...shown, ...holdRows(shown.rows, source, hold), source, isHeld }
      : { ...latestRows(source), source, view, isProvisional, isHeld, turn: own.turn };
    setShown(now);
  }
  return { ...now, apply: () => setShown({ ...now, ...latestRows(now.source) }) };
};
