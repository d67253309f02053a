'use client';

import { useSyncExternalStore } from 'react';

type Listener = () => void;

/** One clock for the page, so all relative times tick together. It stops in a hidden tab. */
const makeClock = (everyMs: number) => {
  const listeners = new Set<Listener>();
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | null = null;
  const tick = () => {
    if (document.hidden) return;
    now = Date.now();
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: Listener) => {
    listeners.add(listener);
    if (!timer) {
      now = Date.now();
      timer = setInterval(tick, everyMs);
      document.addEventListener('visibilitychange', tick);
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || !timer) return;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tick);
      timer = null;
    };
  };
  return { subscribe, read: () => now };
};

const seconds = makeClock(1000);
const tens = makeClock(10_000);

// On the server: relative times are rendered in the browser only.
const none = () => null;

/** The current time in epoch ms, updated every ten seconds or every second; null during server rendering. */
export const useNow = (every: 'second' | 'tenSeconds' = 'tenSeconds'): number | null => {
  const clock = every === 'second' ? seconds : tens;
  return useSyncExternalStore<number | null>(clock.subscribe, clock.read, none);
};
