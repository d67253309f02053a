/**
 * The scroll positions of each URL, of the page and its tables, so that Back returns to the same place. The browser
 * restores only the page's own position, and does so before lists are rendered.
 */

interface Positions {
  page: number;
  /** By the name of the scrolling part. */
  parts: Map<string, number>;
}

/** Reloading lists need a moment until they are long enough. */
const RESTORE_MS = 10_000;
/** A restored list may be rendered once more, so it must stay in place for this time. */
const STABLE_MS = 1000;
/** The interval of these checks: checking every frame would be as expensive as an animation. */
const LOOK_MS = 100;
const MAX_ADDRESSES = 50;

const remembered = new Map<string, Positions>();
let stopRestoring: (() => void) | null = null;

const address = (): string => window.location.pathname + window.location.search;

const positionsOf = (key: string): Positions => {
  const positions = remembered.get(key) ?? { page: 0, parts: new Map() };
  // The most recently used is last, so the oldest can be dropped.
  remembered.delete(key);
  remembered.set(key, positions);
  const [oldest] = remembered.keys();
  if (remembered.size > MAX_ADDRESSES && oldest !== undefined) remembered.delete(oldest);
  return positions;
};

const onScroll = ({ target }: Event): void => {
  if (stopRestoring) return;
  if (target === document) positionsOf(address()).page = window.scrollY;
  else if (target instanceof HTMLElement && target.matches('[data-table-root] section')) {
    const name = target.getAttribute('aria-label');
    // A list that lost its rows, because the page is being left, jumps to its top without a user's action.
    if (name && target.scrollHeight > target.clientHeight)
      positionsOf(address()).parts.set(name, target.scrollTop);
  }
};

const partNamed = (name: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-table-root] section[aria-label="${CSS.escape(name)}"]`);

/** Scrolls as far as the rendered content permits; null until everything is in place, then the parts. */
const restore = ({ page, parts }: Positions): HTMLElement[] | null => {
  const inPlace: HTMLElement[] = [];
  for (const [name, top] of parts) {
    const part = partNamed(name);
    if (part) part.scrollTop = top;
    if (part && Math.abs(part.scrollTop - top) <= 1) inPlace.push(part);
  }
  window.scrollTo({ top: page });
  return inPlace.length === parts.size && Math.abs(window.scrollY - page) <= 1 ? inPlace : null;
};

const isTooShort = ({ scrollHeight, clientHeight }: Element, top: number): boolean =>
  scrollHeight - clientHeight < top - 1;

/** Whether a list was rendered again, or it or the page is now too short for its position. */
const isLost = ({ page, parts }: Positions, inPlace: readonly HTMLElement[]): boolean =>
  (page > 0 && isTooShort(document.documentElement, page)) ||
  [...parts].some(([name, top], i) => {
    const part = partNamed(name);
    return !part || part !== inPlace[i] || isTooShort(part, top);
  });

/**
 * After Back and Forward: restores the scroll positions of this URL, unless the user scrolls meanwhile. A list with
 * old data first shows its old rows, and then its new first pages, which may have fewer rows: it is restored again as
 * they arrive.
 */
export const restoreScroll = (): void => {
  stopRestoring?.();
  const positions = remembered.get(address());
  if (!positions) return;
  const begun = performance.now();
  const taken = new AbortController();
  const stop = () => {
    taken.abort();
    stopRestoring = null;
  };
  stopRestoring = stop;
  for (const input of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
    window.addEventListener(input, stop, { signal: taken.signal, capture: true, passive: true });
  let inPlace: HTMLElement[] | null = null;
  let since = begun;
  const step = () => {
    if (taken.signal.aborted) return;
    const now = performance.now();
    if (inPlace && isLost(positions, inPlace)) inPlace = null;
    const isStable = inPlace !== null && now - since > STABLE_MS;
    if (!isStable) {
      const before = inPlace;
      inPlace = restore(positions);
      if (inPlace && !before) since = now;
    }
    if (now - begun > RESTORE_MS) stop();
    else if (isStable) setTimeout(step, LOOK_MS);
    else requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
};

if (typeof window !== 'undefined')
  document.addEventListener('scroll', onScroll, { capture: true, passive: true });
