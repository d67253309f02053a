'use client';

import { Group, UnstyledButton } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import classes from './description.module.css';
import { Dimmed } from './dimmed';
import { useNarrow } from './use-narrow';

interface DescriptionProps {
  children: ReactNode;
  /** Buttons beside it. */
  actions?: ReactNode;
}

/** The purpose of a page or tab. On a phone one line, until the reader expands it. */
export const Description = ({ children, actions }: DescriptionProps) => {
  const t = useTranslations('patterns.description');
  const isNarrow = useNarrow();
  const [isOpen, setOpen] = useState(false);
  const [isCut, setCut] = useState(true);
  const text = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const shown = text.current;
    if (shown && !isOpen) setCut(shown.scrollWidth > shown.clientWidth);
  });
  const description = (
    <div className={classes.description} data-open={isOpen || undefined}>
      <Dimmed component="div" className={classes.text} ref={text}>
        {children}
      </Dimmed>
      {isNarrow && isCut && (
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
  if (!actions) return description;
  return (
    <div className={classes.beside}>
      {description}
      <Group gap="xs" className={classes.actions}>
        {actions}
      </Group>
    </div>
  );
};
