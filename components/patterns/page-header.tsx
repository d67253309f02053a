'use client';

import { Group, Title } from '@mantine/core';
import { createContext, type ReactNode, useContext } from 'react';
import { Description } from './description';
import classes from './page-header.module.css';

/** The title and tabs of pages that share an entry of the navigation; null for others. */
export const SharedTitle = createContext<{ title: string; tabs: ReactNode } | null>(null);

interface PageHeaderProps {
  title: ReactNode;
  /** One sentence about the page's purpose. Pages about a single thing omit it. */
  sentence?: string;
  actions?: ReactNode;
}

/** The top of every page; its `h1` is where focus lands after the skip link. */
export const PageHeader = ({ title, sentence, actions }: PageHeaderProps) => {
  const context = useContext(SharedTitle);
  const shared = sentence ? context : null;
  return (
    <header className={classes.header}>
      <div className={classes.words}>
        <Title order={1}>{shared?.title ?? title}</Title>
        {shared?.tabs}
        {sentence && <Description>{sentence}</Description>}
      </div>
      {actions && (
        <Group gap="xs" className={classes.actions}>
          {actions}
        </Group>
      )}
    </header>
  );
};
