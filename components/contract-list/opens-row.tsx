'use client';

import { Anchor } from '@mantine/core';
import { createContext, type ReactNode, useContext } from 'react';

/** What opens a row of the list around it. */
export const OpenRow = createContext<((row: unknown) => void) | undefined>(undefined);

interface OpensRowProps {
  row: unknown;
  /** Unless the text says what opens. */
  label?: string;
  children: ReactNode;
}

/** A text in a cell of a declared list, as a button that opens its row. */
export const OpensRow = ({ row, label, children }: OpensRowProps) => {
  const open = useContext(OpenRow);
  return (
    <Anchor component="button" size="sm" ta="start" aria-label={label} onClick={() => open?.(row)}>
      {children}
    </Anchor>
  );
};
