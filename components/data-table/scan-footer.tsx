'use client';

import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface ScanFooterProps {
  /** The progress of the scan. */
  children: ReactNode;
  /** The button's label; shown while the scan is paused. */
  more: string;
  paused: boolean;
  onMore: () => void;
}

/**
 * Below a scanned list: the progress of the scan, and a button to continue. Hidden until the first rows are found,
 * because these would push it down.
 */
export const ScanFooter = ({ children, more, paused, onMore }: ScanFooterProps) => (
  <Group mt="xs" gap="sm" mih={30}>
    <Text size="xs" c="dimmed">
      {children}
    </Text>
    {paused && (
      <Button size="compact-sm" variant="default" onClick={onMore}>
        {more}
      </Button>
    )}
  </Group>
);
