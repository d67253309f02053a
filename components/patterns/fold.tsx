'use client';

import { UnstyledButton } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import classes from './fold.module.css';
import { useNarrow } from './use-narrow';

interface FoldProps {
  /** What the line says while it is closed. */
  summary: ReactNode;
  /** What opens below it. */
  name: string;
  children: ReactNode;
}

/** On a phone one line, which opens the rest. */
export const Fold = ({ summary, name, children }: FoldProps) => {
  const isNarrow = useNarrow();
  const [isOpen, setOpen] = useState(false);
  if (!isNarrow) return children;
  return (
    <>
      <UnstyledButton
        className={classes.fold}
        aria-expanded={isOpen}
        onClick={() => setOpen((open) => !open)}
      >
        {summary}
        <span className={classes.by}>
          {name} <IconChevronDown size={16} data-open={isOpen || undefined} aria-hidden />
        </span>
      </UnstyledButton>
      {isOpen && children}
    </>
  );
};
