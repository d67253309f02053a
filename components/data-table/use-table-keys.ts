'use client';

import { type RefObject, useEffect, useEffectEvent, useState } from 'react';
import { isSlash, letterOf } from '@/components/patterns/shortcut';

interface TableKeys {
  root: RefObject<HTMLElement | null>;
  /** Ids of the rows, in their order. */
  ids: readonly string[];
  /** Brings a distant row into the DOM. */
  reveal: (index: number) => void;
  onToggle: (id: string) => void;
  onOpen: (id: string) => void;
}

const TYPING = 'input:not([type="checkbox"]), textarea, select, [contenteditable="true"]';
const ROW = '[data-row]';

/** j/k or arrows move, x selects, Enter opens, / searches. Returns the id of the row that Tab leads to. */
export const useTableKeys = ({ root, ids, reveal, onToggle, onOpen }: TableKeys): string | undefined => {
  const [active, setActive] = useState({ id: ids[0], index: 0 });
  const place = active.id === undefined ? -1 : ids.indexOf(active.id);
  // The place of a removed row goes to its successor.
  const current = place >= 0 ? place : Math.min(active.index, Math.max(0, ids.length - 1));

  const focusRow = (index: number) => {
    const id = ids[index];
    const focus = (): boolean => {
      const row = [...(root.current?.querySelectorAll<HTMLElement>(ROW) ?? [])].find(
        (element) => element.dataset.row === id,
      );
      row?.focus({ preventScroll: true });
      return row !== undefined;
    };
    reveal(index);
    setActive({ id, index });
    // Immediately if possible, because Enter may follow j within the same frame. A row outside the window is in the
    // DOM one frame after it was revealed.
    if (!focus()) requestAnimationFrame(() => requestAnimationFrame(focus));
  };

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (target.closest(`${TYPING}, [role="dialog"], [role="menu"]`) || !isOurs(root.current, target)) return;
    if (isSlash(event)) {
      const search = document.querySelector<HTMLElement>('[data-table-search]');
      if (!search) return;
      event.preventDefault();
      search.focus();
      return;
    }
    if (ids.length === 0) return;
    // The focused row, because a click may have focused another row than the keyboard.
    const focused = target.matches(ROW) ? ids.indexOf(target.dataset.row ?? '') : -1;
    const letter = letterOf(event);
    const step = stepOf(letter ?? event.key, focused >= 0);
    if (step !== 0) {
      event.preventDefault();
      focusRow(focused >= 0 ? Math.max(0, Math.min(ids.length - 1, focused + step)) : current);
    } else if (focused >= 0 && (letter === 'x' || event.key === 'Enter')) {
      event.preventDefault();
      (letter === 'x' ? onToggle : onOpen)(ids[focused]!);
    }
  });

  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);

  return ids[current];
};

// Arrows belong to the page until a row has the focus; letters work anywhere.
const stepOf = (key: string, onRow: boolean): number => {
  if (key === 'j' || (onRow && key === 'ArrowDown')) return 1;
  if (key === 'k' || (onRow && key === 'ArrowUp')) return -1;
  return 0;
};

// With several tables on a page, the focused one listens, otherwise the first.
const isOurs = (root: HTMLElement | null, target: HTMLElement): boolean => {
  if (!root || document.querySelector('[role="dialog"]')) return false;
  const holder = target.closest('[data-table-root]');
  return holder ? holder === root : document.querySelector('[data-table-root]') === root;
};
