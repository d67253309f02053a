'use client';

import { ActionIcon, Button } from '@mantine/core';
import { type ReactNode, useContext } from 'react';
import { Tooltip } from '@/components/patterns/tooltip';
import { InCard } from './in-card';

interface RowButtonProps {
  /** Shown on hover, and in a card next to the icon; the button's own name also identifies the row. */
  hint: string;
  label: string;
  icon: ReactNode;
  onClick: () => void;
}

/** A small button at the end of a row. */
export const RowButton = ({ hint, label, icon, onClick }: RowButtonProps) =>
  useContext(InCard) ? (
    <Button variant="default" leftSection={icon} aria-label={label} onClick={onClick}>
      {hint}
    </Button>
  ) : (
    <Tooltip label={hint}>
      <ActionIcon size="sm" aria-label={label} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
