'use client';

import { useState, useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let pressed = false;

const setPressed = (next: boolean): void => {
  if (next === pressed) return;
  pressed = next;
  for (const listener of listeners) listener();
};

const onDown = ({ button }: PointerEvent): void => setPressed(button === 0);
/** The click follows in the same task. */
const onUp = (): void => void setTimeout(() => setPressed(false));
const EVENTS = { pointerdown: onDown, pointerup: onUp, pointercancel: onUp };

const subscribe = (listener: () => void) => {
  if (listeners.size === 0)
    for (const [type, on] of Object.entries(EVENTS))
      document.addEventListener(type, on as EventListener, true);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    for (const [type, on] of Object.entries(EVENTS))
      document.removeEventListener(type, on as EventListener, true);
    pressed = false;
  };
};

/** True between pressing and releasing a button or finger: if anything moves then, the click is lost. */
export const usePressed = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => pressed,
    () => false,
  );

/** The value before the press, until its end: for values that move the page below. Also kept while `isHeld`. */
export const useUnmoved = <T>(value: T, isHeld = false): T => {
  const isPressed = usePressed();
  const [shown, setShown] = useState(value);
  if (isPressed || isHeld || shown === value) return shown;
  setShown(value);
  return value;
};
