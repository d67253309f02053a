'use client';

import { createElement, type FunctionComponent, useEffect, useState } from 'react';

/** Before what could not be loaded is asked for again, ms. */
export const RETRY_MS = 5_000;
const MAX_IDLE_MS = 3_000;

/** Resolves when the browser is idle. Safari cannot report that. */
const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof requestIdleCallback === 'function')
      requestIdleCallback(() => resolve(), { timeout: MAX_IDLE_MS });
    else setTimeout(resolve, 200);
  });

const pageLoad = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof document === 'undefined') return;
    if (document.readyState === 'complete') resolve();
    else window.addEventListener('load', () => resolve(), { once: true });
  });

/** Resolves at the first input, which may open such a component. */
const firstUse = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof window === 'undefined') return;
    for (const type of ['pointerdown', 'keydown', 'wheel'])
      window.addEventListener(type, () => resolve(), { once: true, capture: true, passive: true });
  });

/** After the page's first content and idle time, or at the first input. Never on the server. */
const settled = Promise.race([pageLoad().then(idle), firstUse()]);

const known = new Set<() => Promise<void>>();

/** Loads all on-demand components, including nested ones: for tests, which do not wait for idle time. */
export const loadAllOnDemand = async (): Promise<void> => {
  const before = known.size;
  await Promise.all([...known].map((load) => load()));
  if (known.size > before) await loadAllOnDemand();
};

/**
 * A hook that returns what is not part of the page's first script, null until it is there. It is fetched as soon as it
 * is `shown`, otherwise when the browser is idle. Failed loads are retried.
 */
export const loadedLater = <T,>(
  load: () => Promise<T>,
  when: 'shown' | 'idle' = 'idle',
): (() => T | null) => {
  let loaded: T | null = null;
  let loading: Promise<void> | null = null;
  const loadOnce = (): Promise<void> => {
    loading ??= load().then(
      (value) => {
        loaded = value;
      },
      () => {
        loading = null;
      },
    );
    return loading;
  };
  known.add(loadOnce);
  if (when === 'idle') void settled.then(idle).then(loadOnce);
  return () => {
    const [isLoaded, setLoaded] = useState(loaded !== null);
    useEffect(() => {
      if (isLoaded) return;
      let retry: ReturnType<typeof setTimeout> | undefined;
      let isGone = false;
      const attempt = async () => {
        await loadOnce();
        if (isGone) return;
        if (loaded) setLoaded(true);
        else retry = setTimeout(attempt, RETRY_MS);
      };
      void (when === 'shown' ? attempt() : settled.then(attempt));
      return () => {
        isGone = true;
        clearTimeout(retry);
      };
    }, [isLoaded]);
    return isLoaded ? loaded : null;
  };
};

/** A component that is loaded later. `Meanwhile` replaces it; without one, the caller reserves space for visible content. */
export const onDemand = <P extends object>(
  load: () => Promise<FunctionComponent<P>>,
  when: 'shown' | 'idle' = 'idle',
  Meanwhile: FunctionComponent<P> = () => null,
): FunctionComponent<P> => {
  const useLoaded = loadedLater(load, when);
  return (props) => createElement(useLoaded() ?? Meanwhile, props);
};
