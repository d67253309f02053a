'use client';

import { Button, Group } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import styles from './data-table.module.css';

interface ScanFooterProps {
  /** The progress of the scan. */
  children: ReactNode;
  /** Whether the user must continue it. */
  paused: boolean;
  onMore: () => void;
}

/**
 * Below a scanned list: the progress of the scan, and a button to continue. Hidden until the first rows are found,
 * because these would push it down.
 */
export const ScanFooter = ({ children, paused, onMore }: ScanFooterProps) => {
  const tWord = useTranslations('words');
  return (
    <Group className={styles.progress} mt="xs" gap="sm" mih={30}>
      <Dimmed size="xs">{children}</Dimmed>
      {paused && (
        <Button size="compact-sm" variant="default" onClick={onMore}>
          {tWord('continue')}
        </Button>
      )}
    </Group>
  );
};

interface ScannedKeysProps {
  count: number;
  /** In the keyspace; 0 where that is unknown. */
  keys: number;
  complete: boolean;
}

/** How much of the keyspace was scanned, in words. */
export const ScannedKeys = ({ count, keys, complete }: ScannedKeysProps) => {
  const t = useTranslations('patterns.list');
  return t(complete ? 'scannedAll' : 'scanned', { count, keys });
};
