/**
 * The browser's history as users expect it: opening a tab, a user, an entry or a drawer is a step, and Back undoes that
 * step. Closing something goes back the step that opened it, so closed things leave no entries behind.
 *
 * A drawer that is not in the address takes a step with the same address. `go` is asynchronous: while a traversal runs,
 * later changes of the address wait for its popstate event.
 */

import { restoreScroll } from './scroll-memory';

/** The effect of a URL change on the browser's history: `none` replaces the current entry. */
export type Step = 'none' | 'tab' | 'open' | 'close';

/** Stored in each entry's `history.state`, beside Next's own data. */
interface Marks {
  /** Number of open drawers without a URL at this entry. */
  drawers: number;
  /** Queries of the entries directly below this one that were left by opening something, latest last. */
  trail: string[];
}

interface OpenDrawer {
  /** Returns false where it must not be closed now. */
  close: () => boolean;
}

interface Change {
  page: string;
  search: string;
  step: Step;
}

const MAX_TRAIL = 20;
/** A traversal to a missing entry fires no event. */
const TRAVERSAL_TIMEOUT_MS = 1000;

const drawers: OpenDrawer[] = [];
let onLanding: (() => void) | null = null;
let landingTimer: ReturnType<typeof setTimeout> | undefined;
let syncTimer: ReturnType<typeof setTimeout> | null = null;
/** The query the URL will have after the current traversal. */
let upcoming: string | null = null;
/** A change during an open drawer or a traversal: applied to the entry that is current afterwards. */
let deferred: Change | null = null;

const presentSearch = (): string => window.location.search.slice(1);

const presentMarks = (): Marks =>
  (window.history.state as { keyward?: Marks } | null)?.keyward ?? { drawers: 0, trail: [] };

const write = (how: 'pushState' | 'replaceState', search: string, marks: Marks): void => {
  // Without a new URL Next's router has nothing to do.
  const address = search === presentSearch() ? undefined : search ? `?${search}` : window.location.pathname;
  window.history[how]({ keyward: marks }, '', address);
};

const land = (): void => {
  clearTimeout(landingTimer);
  const landed = onLanding;
  onLanding = null;
  upcoming = null;
  landed?.();
  const change = deferred;
  if (onLanding !== null || change === null) return;
  deferred = null;
  apply(change);
};

const traverse = (steps: number, search: string, landed: () => void): void => {
  upcoming = search;
  onLanding = landed;
  landingTimer = setTimeout(land, TRAVERSAL_TIMEOUT_MS);
  window.history.go(steps);
};

const defer = ({ page, search, step }: Change): void => {
  deferred = { page, search, step: step === 'none' ? (deferred?.step ?? 'none') : step };
};

const apply = (change: Change): void => {
  const { search, step } = change;
  const marks = presentMarks();
  if (onLanding !== null) {
    upcoming = search;
    defer(change);
    return;
  }
  if (marks.drawers > 0 && drawers.length > 0) {
    defer(change);
    write('replaceState', search, marks);
    return;
  }
  if (step === 'none') write('replaceState', search, marks);
  else if (step === 'close') {
    const index = marks.trail.lastIndexOf(search);
    if (index === -1) write('replaceState', search, marks);
    else traverse(index - marks.trail.length, search, () => undefined);
  } else {
    const trail = step === 'open' ? [...marks.trail, presentSearch()].slice(-MAX_TRAIL) : [];
    // The entry of a drawer that unmounted with its page is reused.
    write(marks.drawers > 0 ? 'replaceState' : 'pushState', search, { drawers: 0, trail });
  }
};

/** Adds entries or goes back until there is one per open drawer. */
const sync = (): void => {
  syncTimer = null;
  if (onLanding !== null) return;
  const marks = presentMarks();
  for (let open = marks.drawers + 1; open <= drawers.length; open++)
    write('pushState', presentSearch(), { ...marks, drawers: open });
  if (marks.drawers > drawers.length)
    traverse(drawers.length - marks.drawers, presentSearch(), () => requestSync());
};

// Deferred, so a drawer that opens another and closes itself keeps one entry for both.
const requestSync = (): void => {
  if (syncTimer === null) syncTimer = setTimeout(sync, 0);
};

const forget = (drawer: OpenDrawer): void => {
  const index = drawers.indexOf(drawer);
  if (index !== -1) drawers.splice(index, 1);
};

const onPopState = (): void => {
  if (onLanding !== null) {
    land();
    return;
  }
  restoreScroll();
  const change = deferred;
  deferred = null;
  const closing = drawers.slice(presentMarks().drawers).reverse();
  for (const drawer of closing) if (drawer.close()) forget(drawer);
  // Filters that were set in a drawer stay set when Back closes it.
  if (change?.page === window.location.pathname && closing.length > 0 && drawers.length === 0) apply(change);
  requestSync();
};

if (typeof window !== 'undefined') window.addEventListener('popstate', onPopState);

/** The URL's query, without `?`; during a traversal its target's. */
export const addressSearch = (): string => upcoming ?? presentSearch();

/** Changes the URL's query. `close` goes back to the entry with this query, if it is just below. */
export const changeAddress = (search: string, step: Step): void => {
  if (search !== addressSearch()) apply({ page: window.location.pathname, search, step });
};

/** A drawer without a URL opened: Back will close it. */
export const drawerOpened = (drawer: OpenDrawer): void => {
  drawers.push(drawer);
  requestSync();
};

/** A drawer closed or unmounted: goes back its history step, if that is still the current entry. */
export const drawerClosed = (drawer: OpenDrawer): void => {
  forget(drawer);
  requestSync();
};
