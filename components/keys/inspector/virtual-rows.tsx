'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';
import classes from './inspector.module.css';

interface VirtualRowsProps {
  label: string;
  count: number;
  /** Height of a row in px before it is measured. */
  estimate: number;
  row: (index: number) => ReactNode;
}

/** A long list in its own scrolling box: only visible rows are in the DOM. */
export const VirtualRows = ({ label, count, estimate, row }: VirtualRowsProps) => {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimate,
    overscan: 20,
  });
  const items = virtual.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = items.length > 0 ? virtual.getTotalSize() - items.at(-1)!.end : 0;
  return (
    <section
      ref={scroller}
      className={classes.scroller}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <ul className={classes.rows} style={{ paddingBlock: `${above}px ${below}px` }}>
        {items.map(({ index }) => (
          <li key={index} ref={virtual.measureElement} data-index={index}>
            {row(index)}
          </li>
        ))}
      </ul>
    </section>
  );
};
