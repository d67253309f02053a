'use client';

import { useSyncExternalStore } from 'react';

/** The answer to a user's action arrives within this time, ms. */
const ANSWER_MS = 3000;
const INPUTS = ['keydown', 'pointerdown', 'input'] as const;

const listeners = new Set<() => void>();
let isRecent = false;
let timer: ReturnType<typeof setTimeout> | undefined;

const setRecent = (recent: boolean): void => {
  if (recent === isRecent) return;
  isRecent = recent;
  for (const listener of listeners) listener();
};

const onInput = (): void => {
  clearTimeout(timer);
  timer = setTimeout(() => setRecent(false), ANSWER_MS);
  setRecent(true);
};

const subscribe = (listener: () => void) => {
  if (listeners.size === 0) for (const input of INPUTS) document.addEventListener(input, onInput, true);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    for (const input of INPUTS) document.removeEventListener(input, onInput, true);
    clearTimeout(timer);
    isRecent = false;
  };
};

/**
 * `aria-live` of a count that refetching also changes: it is announced after a user's action, such as filtering, and
 * not whenever a live list gets another row.
 */
export const useLive = (): 'polite' | 'off' =>
  useSyncExternalStore(
    subscribe,
    () => (isRecent ? 'polite' : 'off'),
    () => 'off',
  );
