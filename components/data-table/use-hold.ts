'use client';

import { notifyManager, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useState } from 'react';
import { usePressed } from '@/components/patterns/use-pressed';

// Elements that open from a row and take the focus: the table behind them is still in use.
const OVERLAY = '[role="dialog"], [role="menu"], [role="listbox"]';

interface Hold {
  /** Whether the pointer or the focus is in the table, or in a menu or drawer opened from it. */
  isUsed: boolean;
  isPressed: boolean;
}

/** Whether somebody is about to click or type in the table. */
export const useHold = (root: RefObject<HTMLElement | null>): Hold => {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const isPressed = usePressed();
  useEffect(() => {
    const table = root.current;
    if (!table) return;
    const leavesTable = ({ target }: Event): boolean =>
      target instanceof Element && !table.contains(target) && !target.closest(OVERLAY);
    const end = new AbortController();
    const on = <K extends keyof DocumentEventMap>(
      target: Document | HTMLElement,
      type: K,
      listener: (event: DocumentEventMap[K]) => void,
    ) => target.addEventListener(type, listener as EventListener, { signal: end.signal, capture: true });
    const enter = (event: PointerEvent) => event.target === table && setPointed(true);
    // A finger always leaves immediately, so a touched table is in use until something else is touched.
    const leave = (event: PointerEvent) =>
      event.target === table && event.pointerType !== 'touch' && setPointed(false);
    on(table, 'pointerenter', enter);
    on(table, 'pointerleave', leave);
    on(document, 'focusin', (event) => {
      if (table.contains(event.target as Node)) setFocused(true);
      else if (leavesTable(event)) setFocused(false);
    });
    on(document, 'pointerdown', (event) => {
      if (!leavesTable(event)) return;
      setFocused(false);
      setPointed(false);
    });
    return () => end.abort();
  }, [root]);
  return { isUsed: isPointed || isFocused, isPressed };
};

interface OwnChange {
  /** From the moment queries are invalidated until their answers are on screen. */
  isOpen: boolean;
  /** Changes when one begins and when it ends. */
  turn: number;
}

/**
 * The user's own changes and jobs: only they invalidate queries, refetches by interval do not. What they changed is
 * shown even in a table that is held.
 */
export const useOwnChange = (): OwnChange => {
  const client = useQueryClient();
  const [own, setOwn] = useState<OwnChange>({ isOpen: false, turn: 0 });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => {
      if (client.isFetching() === 0)
        setOwn((last) => (last.isOpen ? { isOpen: false, turn: last.turn + 1 } : last));
    };
    const unsubscribe = client.getQueryCache().subscribe((event) => {
      if (event.type !== 'updated') return;
      clearTimeout(timer);
      const { type } = event.action;
      if (type === 'invalidate')
        setOwn((last) => (last.isOpen ? last : { isOpen: true, turn: last.turn + 1 }));
      // After the answer that this event brings was rendered: components hear of it later than the cache.
      else if (type === 'success' || type === 'error')
        notifyManager.schedule(() => {
          clearTimeout(timer);
          timer = setTimeout(end);
        });
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [client]);
  return own;
};
