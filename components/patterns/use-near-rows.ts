'use client';

import type { VirtualItem, Virtualizer, VirtualizerOptions } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useReducer, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { loadedLater } from './on-demand';

const useLibrary = loadedLater(() => import('@tanstack/react-virtual'));

/** Rows shown until it is known which are near the window: more than a window has. */
const FIRST = 30;

type Library = typeof import('@tanstack/react-virtual');
type Virtual<Scroller extends HTMLElement | Window> = Virtualizer<Scroller, HTMLElement>;
/** What scrolls: the list's own box, or the page where the stylesheet gives it none. */
type Scroller = HTMLElement | Window;

interface List {
  scroller: RefObject<HTMLElement | null>;
  count: number;
  /** Height of a row in px before it is measured. */
  estimate: number;
  overscan: number;
  keyOf?: (index: number) => string | number;
  /** Keeps the rows' heights for the next visit, so that Back finds the same rows at the same place. */
  name?: string;
}

/** Heights by list, as they were last measured. */
const measured = new Map<string, VirtualItem[]>();

/** The rows of a long list that are in the DOM, and the height of the others: the first ones until the library is there. */
export const useNearRows = ({
  scroller,
  count,
  estimate,
  overscan,
  keyOf = (index) => index,
  name = '',
}: List) => {
  const library = useLibrary();
  const [, render] = useReducer((renders: number) => renders + 1, 0);
  const [isMounted, setMounted] = useState(false);
  const [virtual, setVirtual] = useState<Virtual<Scroller> | null>(null);
  const isCommitting = useRef(false);
  const start = useRef({ initialRect: { width: 0, height: 0 }, initialOffset: 0 });
  /** Pixels from the top of what scrolls to the first row. */
  const [margin, setMargin] = useState(0);
  const optionsWith = (loaded: Library): VirtualizerOptions<Scroller, HTMLElement> => ({
    count,
    overscan,
    getScrollElement: () => scroller.current && scrollerOf(scroller.current),
    estimateSize: () => estimate,
    getItemKey: keyOf,
    scrollMargin: margin,
    initialMeasurementsCache: measured.get(name) ?? [],
    ...start.current,
    observeElementRect: (instance, report) =>
      instance.scrollElement === window
        ? loaded.observeWindowRect(instance as Virtual<Window>, report)
        : loaded.observeElementRect(instance as Virtual<HTMLElement>, report),
    observeElementOffset: (instance, report) =>
      instance.scrollElement === window
        ? loaded.observeWindowOffset(instance as Virtual<Window>, report)
        : loaded.observeElementOffset(instance as Virtual<HTMLElement>, report),
    scrollToFn: loaded.elementScroll as VirtualizerOptions<Scroller, HTMLElement>['scrollToFn'],
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
    if (!virtual) return;
    const end = virtual._didMount();
    return () => {
      if (name) measured.set(name, virtual.measurementsCache);
      end();
    };
  }, [virtual, name]);
  useLayoutEffect(() => {
    virtual?._willUpdate();
    if (scroller.current) setMargin(marginOf(scroller.current));
  });
  const shown =
    virtual?.getVirtualItems() ?? firstRows(isMounted ? Math.min(count, FIRST) : 0, estimate, margin);
  const total = virtual?.getTotalSize() ?? count * estimate;
  return {
    shown,
    total,
    above: shown.length > 0 ? shown[0]!.start - margin : 0,
    below: shown.length > 0 ? total - (shown.at(-1)!.end - margin) : 0,
    measure: virtual?.measureElement,
    reveal: (index: number) =>
      virtual
        ? virtual.scrollToIndex(index, { align: 'auto' })
        : scroller.current?.querySelector(`[data-index="${index}"]`)?.scrollIntoView({ block: 'nearest' }),
  };
};

const scrollerOf = (list: HTMLElement): Scroller =>
  getComputedStyle(list).overflowY === 'visible' ? window : list;

const marginOf = (list: HTMLElement): number =>
  scrollerOf(list) === window ? Math.round(list.getBoundingClientRect().top + window.scrollY) : 0;

const placeOf = (list: HTMLElement) =>
  scrollerOf(list) === window
    ? {
        initialRect: { width: list.clientWidth, height: window.innerHeight },
        initialOffset: window.scrollY,
      }
    : {
        initialRect: { width: list.clientWidth, height: list.clientHeight },
        initialOffset: list.scrollTop,
      };

const firstRows = (length: number, height: number, top: number) =>
  Array.from({ length }, (_, index) => ({
    index,
    start: top + index * height,
    end: top + (index + 1) * height,
  }));

/** Rows are measured while React commits them, when it cannot render at once. */
const measuringIn = (virtual: Virtual<Scroller>, isCommitting: { current: boolean }) => {
  const { measureElement } = virtual;
  virtual.measureElement = (row) => {
    isCommitting.current = true;
    measureElement(row);
    isCommitting.current = false;
  };
  return virtual;
};
