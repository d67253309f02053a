'use client';

import { Alert, List, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { HostileText } from '@/components/patterns/hostile-text';
import { useShownName } from './shown-name';

interface SkippedProps {
  /** What was handed over, in words. */
  done: string;
  skipped: readonly { name: string; why: string }[];
}

const SHOWN = 50;

/** What a file holds, and what could not go into it. */
export const Saved = ({ done, skipped }: SkippedProps) => {
  const t = useTranslations('env.saved');
  const shownName = useShownName();
  return (
    <Alert color="green" role="status" icon={<IconDownload size={18} />} title={done}>
      {skipped.length === 0 ? (
        <Text size="sm">{t('all')}</Text>
      ) : (
        <>
          <Text size="sm">{t('skipped', { count: skipped.length })}</Text>
          <List size="xs" mt={4} spacing={2}>
            {skipped.slice(0, SHOWN).map(({ name, why }) => (
              <List.Item key={name}>
                <code>
                  <HostileText max={80}>{shownName(name)}</HostileText>
                </code>{' '}
                {why}
              </List.Item>
            ))}
          </List>
          {skipped.length > SHOWN && <Text size="xs">{t('more', { count: skipped.length - SHOWN })}</Text>}
        </>
      )}
    </Alert>
  );
};
