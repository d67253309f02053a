'use client';

import type { Virtualizer, VirtualizerOptions } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useReducer, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { loadedLater } from './on-demand';

const useLibrary = loadedLater(() => import('@tanstack/react-virtual'));

/** Rows shown until it is known which are near the window: more than a window has. */
const FIRST = 30;

interface Rows {
  scroller: RefObject<HTMLElement | null>;
  count: number;
  /** Height of a row in px before it is measured. */
  estimate: number;
  overscan: number;
  keyOf?: (index: number) => string | number;
}

/** The rows of a long list that are in the DOM, and the height of the others: the first ones until the library is there. */
export const useNearRows = ({ scroller, count, estimate, overscan, keyOf = (index) => index }: Rows) => {
  const library = useLibrary();
  const [, render] = useReducer((renders: number) => renders + 1, 0);
  const [isMounted, setMounted] = useState(false);
  const [virtual, setVirtual] = useState<Virtualizer<HTMLElement, HTMLElement> | null>(null);
  const isCommitting = useRef(false);
  const start = useRef({ initialRect: { width: 0, height: 0 }, initialOffset: 0 });
  const optionsWith = (
    loaded: NonNullable<typeof library>,
  ): VirtualizerOptions<HTMLElement, HTMLElement> => ({
    count,
    overscan,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimate,
    getItemKey: keyOf,
    ...start.current,
    observeElementRect: loaded.observeElementRect,
    observeElementOffset: loaded.observeElementOffset,
    scrollToFn: loaded.elementScroll,
    // Rows that scroll into the window must be there before the browser paints.
    onChange: (_, isUrgent) => (isUrgent && !isCommitting.current ? flushSync(render) : render()),
  });
  if (library && !virtual) {
    // Without it no row would be there, nor its focus, until the list is measured.
    if (scroller.current) start.current = placeOf(scroller.current);
    setVirtual(measuringIn(new library.Virtualizer(optionsWith(library)), isCommitting));
  }
  if (library && virtual) virtual.setOptions(optionsWith(library));
  useLayoutEffect(() => setMounted(true), []);
  useLayoutEffect(() => {
    return virtual?._didMount();
  }, [virtual]);
  useLayoutEffect(() => {
    virtual?._willUpdate();
  });
  const shown = virtual?.getVirtualItems() ?? firstRows(isMounted ? Math.min(count, FIRST) : 0, estimate);
  const total = virtual?.getTotalSize() ?? count * estimate;
  return {
    shown,
    total,
    above: shown[0]?.start ?? 0,
    below: shown.length > 0 ? total - shown.at(-1)!.end : 0,
    measure: virtual?.measureElement,
    reveal: (index: number) =>
      virtual
        ? virtual.scrollToIndex(index, { align: 'auto' })
        : scroller.current?.querySelector(`[data-index="${index}"]`)?.scrollIntoView({ block: 'nearest' }),
  };
};

const placeOf = ({ clientWidth, clientHeight, scrollTop }: HTMLElement) => ({
  initialRect: { width: clientWidth, height: clientHeight },
  initialOffset: scrollTop,
});

const firstRows = (length: number, height: number) =>
  Array.from({ length }, (_, index) => ({ index, start: index * height, end: (index + 1) * height }));

/** Rows are measured while React commits them, when it cannot render at once. */
const measuringIn = (virtual: Virtualizer<HTMLElement, HTMLElement>, isCommitting: { current: boolean }) => {
  const { measureElement } = virtual;
  virtual.measureElement = (row) => {
    isCommitting.current = true;
    measureElement(row);
    isCommitting.current = false;
  };
  return virtual;
};
