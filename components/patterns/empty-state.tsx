import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dimmed } from './dimmed';
import classes from './empty-state.module.css';

interface EmptyStateProps {
  icon?: ReactNode;
  /** What is missing: "No jobs". */
  title: string;
  /** What would be listed, and how entries are created. */
  children: ReactNode;
  action?: ReactNode;
}

export const EmptyState = ({ icon, title, children, action }: EmptyStateProps) => (
  <div className={classes.empty}>
    {icon && (
      <span className={classes.icon} aria-hidden>
        {icon}
      </span>
    )}
    <Text fw={600}>{title}</Text>
    <Dimmed maw={460} component="div">
      {children}
    </Dimmed>
    {action}
  </div>
);
