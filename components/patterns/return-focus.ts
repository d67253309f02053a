'use client';

import { useLayoutEffect } from 'react';

/** Candidates for the focus, best first. Looked up when needed, because rows appear and disappear. */
type Places = readonly (() => HTMLElement | null)[];

/** A deleted row leaves the table at the next refetch, after the focus returned to it. */
const WATCH_MS = 10_000;
/** The maximum time between a closing drawer and its successor's opening. */
const HANDOVER_MS = 20;

/** Where each open drawer was opened from, latest last. */
const openFrom: Places[] = [];
/** Where the last closed drawer was opened from, while it has not returned the focus. */
let closing: Places | null = null;

/** The last focused place, because a menu closes when the drawer opens. */
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
  const heading =
    document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('main');
  heading?.setAttribute('tabindex', '-1');
  return heading;
};

/** The row by its id and, in it, the element with the same name; otherwise the table. */
const placesInTable = (element: HTMLElement): Places => {
  const root = element.closest<HTMLElement>('[data-table-root]');
  if (!root) return [];
  const table = () => root.querySelector<HTMLElement>('section[tabindex]');
  const id = element.closest('[data-row]')?.getAttribute('data-row');
  if (id == null) return [table];
  const row = () => root.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
  const sameName = () =>
    [...(row()?.querySelectorAll<HTMLElement>('a, button') ?? [])].find(
      (other) => nameOf(other) === nameOf(element),
    ) ?? null;
  return [sameName, row, table];
};

const placesFrom = (element: Element | null): Places => {
  const dialog = openFrom.at(-1) ?? closing;
  if (!(element instanceof HTMLElement) || element === document.body)
    return lastPlaces ?? dialog ?? [heading];
  // A menu closes on selection, but its button remains.
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

/** While the chosen element keeps the focus, replaces it by another candidate if it leaves the page. */
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
  // The user moved the focus meanwhile.
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
    if (!(target instanceof HTMLElement) || target === document.body) return;
    // A toast goes: the focus returns to where it was before.
    if (!target.closest('.mantine-Notifications-root')) lastPlaces = placesFrom(target);
  });

/** Gives the focus of what just left the page to the place that had it before. */
export const refocus = (): void => {
  setTimeout(() => {
    if (document.activeElement === document.body) focusFirst(lastPlaces ?? [heading]);
  }, HANDOVER_MS);
};

/**
 * When a drawer or dialog closes, returns the focus to what opened it. If that is gone, to the menu's button, the row,
 * the table, or the page's heading. Mantine's `useFocusReturn` ignores drawers that are mounted opened.
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
