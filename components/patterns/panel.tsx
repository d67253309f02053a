import { Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dimmed } from './dimmed';
import classes from './panel.module.css';

interface PanelProps {
  title?: string;
  /** The window, coverage or source of the figures inside. */
  note?: ReactNode;
  children: ReactNode;
  /** The table inside has no margin to the panel's edges. */
  flush?: boolean;
  className?: string | undefined;
}

/** A bordered box with a title. */
export const Panel = ({ title, note, children, flush = false, className = '' }: PanelProps) => (
  <section className={`${classes.panel} ${className}`} data-flush={flush || undefined}>
    {(title || note) && (
      <div className={classes.head}>
        {title && <Title order={2}>{title}</Title>}
        {note && (
          <Dimmed size="xs" component="div">
            {note}
          </Dimmed>
        )}
      </div>
    )}
    {children}
  </section>
);
