'use client';

import { useLayoutEffect } from 'react';

/** Places the focus can return to, the best first. Looked up when needed: rows come and go. */
type Places = readonly (() => HTMLElement | null)[];

/** A row that was deleted leaves the table when the list is refetched, after the focus returned to it. */
const WATCH_MS = 10_000;
/** Two drawers that follow each other: the first closes and the second opens within this time. */
const HANDOVER_MS = 20;

/** Where each open drawer was opened from, the latest last. */
const openFrom: Places[] = [];
/** Where a drawer was opened from that closed just now and has not returned the focus yet. */
let closing: Places | null = null;

/** From where the focus was last: a menu leaves the page in the same moment as the drawer opens. */
let lastPlaces: Places | null = null;

const isFocusable = (element: HTMLElement | null | undefined): element is HTMLElement =>
  element != null &&
  element !== document.body &&
  element.isConnected &&
  !element.matches(':disabled') &&
  element.closest('[inert]') === null &&
  (element.checkVisibility?.() ?? true);

const nameOf = (element: Element): string => element.getAttribute('aria-label') ?? element.textContent ?? '';

const heading = (): HTMLElement | null => {
  const found = document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('main');
  found?.setAttribute('tabindex', '-1');
  return found;
};

/** The row by its id, in it what has the same name; else the table. */
const placesInTable = (element: HTMLElement): Places => {
  const root = element.closest<HTMLElement>('[data-table-root]');
  if (!root) return [];
  const table = () => root.querySelector<HTMLElement>('section[tabindex]');
  const id = element.closest('[data-row]')?.getAttribute('data-row');
  if (id == null) return [table];
  const row = () => root.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
  const sameName = () =>
    [...(row()?.querySelectorAll<HTMLElement>('a, button') ?? [])].find(
      (each) => nameOf(each) === nameOf(element),
    ) ?? null;
  return [sameName, row, table];
};

const placesFrom = (element: Element | null): Places => {
  const dialog = openFrom.at(-1) ?? closing;
  if (!(element instanceof HTMLElement) || element === document.body)
    return lastPlaces ?? dialog ?? [heading];
  // A menu closes with the choice: its button remains.
  const opener = element.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const button = opener ? document.getElementById(opener) : null;
  if (button) return placesFrom(button);
  const inside = element.closest('[role="dialog"]') ? (dialog ?? []) : [];
  return [() => element, ...placesInTable(element), ...inside, heading];
};

const focusFirst = (places: Places): HTMLElement | null => {
  for (const place of places) {
    const element = place();
    if (!isFocusable(element)) continue;
    element.focus({ preventScroll: true });
    if (document.activeElement === element) return element;
  }
  return null;
};

/** While the focused element stays the one that was chosen, another place takes over if it leaves the page. */
const watch = (focused: HTMLElement, places: Places): void => {
  const observer = new MutationObserver(() => {
    if (focused.isConnected && document.activeElement === focused) return;
    observer.disconnect();
    clearTimeout(timer);
    if (!focused.isConnected && document.activeElement === document.body) focusFirst(places);
  });
  const timer = setTimeout(() => observer.disconnect(), WATCH_MS);
  observer.observe(document.body, { childList: true, subtree: true });
};

const returnFocus = (places: Places): void => {
  const active = document.activeElement;
  const isFree = active === null || active === document.body || active.closest('[role="dialog"]') !== null;
  // The user went somewhere else meanwhile.
  if (!isFree) return;
  // Another drawer took over: it returns the focus when it closes.
  const allowed = openFrom.length > 0 ? places.map((place) => () => insideDialog(place())) : places;
  const focused = focusFirst(allowed);
  if (focused) watch(focused, places);
};

const insideDialog = (element: HTMLElement | null): HTMLElement | null =>
  element?.closest('[role="dialog"]') ? element : null;

if (typeof window !== 'undefined')
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target !== document.body) lastPlaces = placesFrom(target);
  });

/**
 * Returns the focus to what opened a drawer or a dialog when it closes; where that has left the page, to the menu's
 * button, the row, the table, or the page's heading. Mantine's `useFocusReturn` skips a drawer that is mounted opened.
 */
export const useReturnFocus = (opened: boolean): void => {
  useLayoutEffect(() => {
    if (!opened) return;
    const places = placesFrom(document.activeElement);
    openFrom.push(places);
    return () => {
      openFrom.splice(openFrom.lastIndexOf(places), 1);
      closing = places;
      setTimeout(() => {
        if (closing === places) closing = null;
        returnFocus(places);
      }, HANDOVER_MS);
    };
  }, [opened]);
};
