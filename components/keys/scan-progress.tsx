'use client';

import { Button, Group, Progress } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import touch from '@/components/patterns/touch.module.css';

interface ScanProgressProps {
  examined: number;
  /** Keys in the database; null where unknown. */
  total: number | null;
  state: 'scanning' | 'stopped' | 'complete';
  /** Whether a page is being fetched. */
  busy: boolean;
  onStop: () => void;
  onMore: () => void;
}

/** How much of the keyspace a list has examined; stops and continues the scan. */
export const ScanProgress = ({ examined, total, state, busy, onStop, onMore }: ScanProgressProps) => {
  const t = useTranslations('keys.scan');
  const tKeys = useTranslations('keys');
  const tWord = useTranslations('words');
  const isNamed = state === 'complete' && examined === 1 && total !== null && total > 1;
  const complete = isNamed ? t('named') : t('complete', { examined });
  return (
    <Group mt="xs" gap="sm" mih={30} className={touch.thumbs}>
      {state !== 'complete' && (
        <Progress
          value={total ? Math.min(100, (100 * examined) / total) : 0}
          size="sm"
          w={120}
          aria-label={t('progress')}
          animated={busy}
        />
      )}
      <Dimmed size="xs" data-testid="scanned">
        {state === 'complete' ? complete : t('examined', { examined, total: total ?? examined })}
      </Dimmed>
      {state === 'scanning' && (
        <Button size="compact-sm" variant="default" onClick={onStop}>
          {tKeys('tree.stop')}
        </Button>
      )}
      {state === 'stopped' && (
        <Button size="compact-sm" variant="default" onClick={onMore}>
          {tWord('continue')}
        </Button>
      )}
    </Group>
  );
};
