'use client';

import { Text, UnstyledButton } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type ReactNode, useState } from 'react';
import classes from './description.module.css';
import { useNarrow } from './use-narrow';

/** The purpose of a page or tab. On a phone one line, until the reader expands it. */
export const Description = ({ children }: { children: ReactNode }) => {
  const t = useTranslations('patterns.description');
  const isNarrow = useNarrow();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={classes.description} data-open={isOpen || undefined}>
      <Text size="sm" c="dimmed" component="div" className={classes.text}>
        {children}
      </Text>
      {isNarrow && (
        <UnstyledButton
          className={classes.more}
          aria-expanded={isOpen}
          onClick={() => setOpen((open) => !open)}
        >
          {t(isOpen ? 'less' : 'more')}
        </UnstyledButton>
      )}
    </div>
  );
};
