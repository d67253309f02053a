'use client';

import { ActionIcon, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

interface RowButtonProps {
  /** Shown on hover; the button's own name says of which row. */
  hint: string;
  label: string;
  icon: ReactNode;
  onClick: () => void;
}

/** A small button at the end of a row. */
export const RowButton = ({ hint, label, icon, onClick }: RowButtonProps) => (
  <Tooltip label={hint}>
    <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} onClick={onClick}>
      {icon}
    </ActionIcon>
  </Tooltip>
);
