'use client';

import { type ReactNode, useRef } from 'react';
import { useNearRows } from '@/components/patterns/use-near-rows';
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
  const { shown, above, below, measure } = useNearRows({ scroller, count, estimate, overscan: 20 });
  return (
    <section
      ref={scroller}
      className={classes.scroller}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <ul className={classes.rows} style={{ paddingBlock: `${above}px ${below}px` }}>
        {shown.map(({ index }) => (
          <li key={index} ref={measure} data-index={index}>
            {row(index)}
          </li>
        ))}
      </ul>
    </section>
  );
};
