'use client';

import { type RefObject, useEffect, useEffectEvent, useState } from 'react';

interface TableKeys {
  root: RefObject<HTMLElement | null>;
  count: number;
  /** Brings a row that may be far away into the DOM. */
  reveal: (index: number) => void;
  onToggle: (index: number) => void;
  onOpen: (index: number) => void;
}

const TYPING = 'input:not([type="checkbox"]), textarea, select, [contenteditable="true"]';

/** j/k or arrows move, x selects, Enter opens, / searches. Returns the active row's index. */
export const useTableKeys = ({ root, count, reveal, onToggle, onOpen }: TableKeys): number => {
  const [active, setActive] = useState(0);
  const current = Math.min(active, Math.max(0, count - 1));

  const focusRow = (index: number) => {
    const focus = (): boolean => {
      const row = root.current?.querySelector<HTMLElement>(`tr[data-index="${index}"]`);
      row?.focus({ preventScroll: true });
      return Boolean(row);
    };
    reveal(index);
    setActive(index);
    // At once where it can be: an Enter may follow on the heels of j. A row that was out of the window is in the
    // DOM one frame after it was revealed.
    if (!focus()) requestAnimationFrame(() => requestAnimationFrame(focus));
  };

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (target.closest(`${TYPING}, [role="dialog"], [role="menu"]`) || !isOurs(root.current, target)) return;
    if (event.key === '/') {
      const search = document.querySelector<HTMLElement>('[data-table-search]');
      if (!search) return;
      event.preventDefault();
      search.focus();
      return;
    }
    if (count === 0) return;
    const onRow = target.matches('tr[data-index]');
    const step = stepOf(event.key, onRow);
    if (step !== 0) {
      event.preventDefault();
      focusRow(onRow ? Math.max(0, Math.min(count - 1, current + step)) : current);
    } else if (onRow && (event.key === 'x' || event.key === 'Enter')) {
      event.preventDefault();
      if (event.key === 'x') onToggle(current);
      else onOpen(current);
    }
  });

  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);

  return current;
};

// Arrows belong to the page until a row has the focus; letters are ours anywhere.
const stepOf = (key: string, onRow: boolean): number => {
  if (key === 'j' || (onRow && key === 'ArrowDown')) return 1;
  if (key === 'k' || (onRow && key === 'ArrowUp')) return -1;
  return 0;
};

// With several tables on a page, the one that holds the focus listens, else the first.
const isOurs = (root: HTMLElement | null, target: HTMLElement): boolean => {
  if (!root || document.querySelector('[role="dialog"]')) return false;
  const holder = target.closest('[data-table-root]');
  return holder ? holder === root : document.querySelector('[data-table-root]') === root;
};
