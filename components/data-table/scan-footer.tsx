'use client';

import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface ScanFooterProps {
  /** How far the scan came. */
  children: ReactNode;
  /** The button's words; there while somebody has to ask for more. */
  more: string;
  paused: boolean;
  onMore: () => void;
}

/** Below a list that is found by scanning: how far that came, and a way to go on. */
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
