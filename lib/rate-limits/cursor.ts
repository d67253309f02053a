import 'server-only';
import type { Order, View } from './view';

/**
 * A place in an order that another pass has too: what the last row shown was ordered by, the hash of its field, and how
 * many rows of the same two were shown. Rows that moved meanwhile may come twice or be passed over.
 */
export const START = '0.0.0';

const LONGEST = /^([0-9a-f]{1,8})\.([0-9a-f]{1,8})\.(\d{1,7})$/;

const isBefore = (view: View, order: Order, at: number, key: number, hash: number): boolean => {
  const row = order.rows[at]!;
  const own = order.keys[row]!;
  return own < key || (own === key && view.pass.sample.hash(row) < hash);
};

/** Where a page begins; null when this is no cursor. */
export const positionOf = (view: View, order: Order, cursor: string): number | null => {
  const [, keyText, hashText, shownText] = LONGEST.exec(cursor) ?? [];
  if (keyText === undefined) return null;
  const [key, hash] = [Number.parseInt(keyText, 16), Number.parseInt(hashText!, 16)];
  let [low, high] = [0, view.size];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(view, order, middle, key, hash)) low = middle + 1;
    else high = middle;
  }
  let shown = Number(shownText);
  while (shown > 0 && low < view.size) {
    const row = order.rows[low]!;
    if (order.keys[row] !== key || view.pass.sample.hash(row) !== hash) break;
    low += 1;
    shown -= 1;
  }
  return low;
};

/** The cursor of a page that begins at a position. */
export const cursorAt = (view: View, order: Order, position: number): string => {
  if (position === 0) return START;
  const last = order.rows[position - 1]!;
  const [key, hash] = [order.keys[last]!, view.pass.sample.hash(last)];
  let shown = 1;
  while (shown < position) {
    const row = order.rows[position - 1 - shown]!;
    if (order.keys[row] !== key || view.pass.sample.hash(row) !== hash) break;
    shown += 1;
  }
  return `${key.toString(16)}.${hash.toString(16)}.${shown}`;
};
