/**
 * Where each address was scrolled to, the page and its tables, so that Back returns to the same place. The browser
 * restores the page's own position only, and before a list is rendered again.
 */

interface Positions {
  page: number;
  /** By the name of the part that scrolls within itself. */
  parts: Map<string, number>;
}

/** Lists that load again need a moment until they are long enough. */
const RESTORE_MS = 10_000;
/** A list in its place may be rendered once more: it has to stay there this long. */
const STABLE_MS = 1000;
/** How often it is looked at then: every frame would cost as much as an animation. */
const LOOK_MS = 100;
const MAX_ADDRESSES = 50;

const remembered = new Map<string, Positions>();
let stopRestoring: (() => void) | null = null;

const address = (): string => window.location.pathname + window.location.search;

const positionsOf = (key: string): Positions => {
  const positions = remembered.get(key) ?? { page: 0, parts: new Map() };
  // The latest used last: the oldest is dropped.
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
    // A list that lost its rows, because the page is being left, jumps to its top: nobody scrolled it.
    if (name && target.scrollHeight > target.clientHeight)
      positionsOf(address()).parts.set(name, target.scrollTop);
  }
};

const partNamed = (name: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-table-root] section[aria-label="${CSS.escape(name)}"]`);

/** Scrolls as far as what is rendered allows; null until everything is where it was, then the parts. */
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

/** Whether a list was rendered again, or is too short now to be where it was. */
const isLost = ({ parts }: Positions, inPlace: readonly HTMLElement[]): boolean =>
  [...parts].some(([name, top], i) => {
    const part = partNamed(name);
    return !part || part !== inPlace[i] || part.scrollHeight - part.clientHeight < top - 1;
  });

/**
 * After Back and Forward: returns to where this address was scrolled to, unless the user scrolls meanwhile. A list whose
 * data is old shows what it had, which is soon in its place, and then its new first pages, which may have fewer rows: it
 * is returned to its place again as they arrive.
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
