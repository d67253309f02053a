'use client';

import { type PointerEvent, useState } from 'react';

/** Where the time axis lies inside the picture: pixels left and right of it, and its ends in epoch ms. */
export interface TimeAxis {
  left: number;
  right: number;
  from: number;
  to: number;
}

export interface TimeRange {
  /** Epoch ms. */
  from: number;
  to: number;
}

/** The time under a pixel of a picture `width` pixels wide; outside the axis it is the axis's end. */
export const timeAt = (x: number, width: number, { left, right, from, to }: TimeAxis): number => {
  const share = (x - left) / Math.max(1, width - left - right);
  return from + Math.min(1, Math.max(0, share)) * (to - from);
};

/** The pixel of a time: the inverse of `timeAt`. */
export const pixelAt = (at: number, width: number, { left, right, from, to }: TimeAxis): number =>
  left + Math.min(1, Math.max(0, (at - from) / (to - from))) * Math.max(1, width - left - right);

/** Shorter movements are clicks and taps. */
const MIN_PIXELS = 8;

interface Drag {
  startX: number;
  x: number;
}

/**
 * Selects a range of time by dragging with mouse, pen or finger. Handlers go on the element around the picture, which
 * needs `touch-action: pan-y` so that a horizontal swipe selects and a vertical one still scrolls the page.
 */
export const useTimeDrag = (axis: TimeAxis, onSelect: ((range: TimeRange) => void) | undefined) => {
  const [drag, setDrag] = useState<Drag | null>(null);
  const far = drag !== null && Math.abs(drag.x - drag.startX) >= MIN_PIXELS;
  const xOf = (event: PointerEvent<HTMLElement>) =>
    event.clientX - event.currentTarget.getBoundingClientRect().left;
  const handlers = onSelect && {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0 || !event.isPrimary) return;
      setDrag({ startX: xOf(event), x: xOf(event) });
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (!drag) return;
      // Captured only for a drag: a captured click would not reach the element under the pointer.
      if (far && !event.currentTarget.hasPointerCapture(event.pointerId))
        event.currentTarget.setPointerCapture(event.pointerId);
      setDrag({ ...drag, x: xOf(event) });
    },
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      setDrag(null);
      if (!drag || !far) return;
      const { width } = event.currentTarget.getBoundingClientRect();
      const [a, b] = [timeAt(drag.startX, width, axis), timeAt(drag.x, width, axis)];
      onSelect({ from: Math.min(a, b), to: Math.max(a, b) });
    },
    onPointerCancel: () => setDrag(null),
  };
  /** Pixels of the range being dragged; null without a drag. */
  const dragged =
    drag && far ? { left: Math.min(drag.startX, drag.x), right: Math.max(drag.startX, drag.x) } : null;
  return { handlers, dragged };
};
