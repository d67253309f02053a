import { Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Description } from './description';
import classes from './page-header.module.css';

interface PageHeaderProps {
  title: ReactNode;
  /** One sentence about the page's purpose. Pages about a single thing omit it. */
  sentence?: string;
  actions?: ReactNode;
}

/** The top of every page; its `h1` is where focus lands after the skip link. */
export const PageHeader = ({ title, sentence, actions }: PageHeaderProps) => (
  <header className={classes.header}>
    <div className={classes.words}>
      <Title order={1}>{title}</Title>
      {sentence && <Description>{sentence}</Description>}
    </div>
    {actions && (
      <Group gap="xs" className={classes.actions}>
        {actions}
      </Group>
    )}
  </header>
);
