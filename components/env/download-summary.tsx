'use client';

import { Alert, List, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { HostileText } from '@/components/patterns/hostile-text';
import { useDisplayName } from './display-name';

interface DownloadSummaryProps {
  /** A sentence about the download. */
  done: string;
  skipped: readonly { name: string; why: string }[];
}

const SHOWN = 50;

/** Result of a download, with the variables that were left out. */
export const DownloadSummary = ({ done, skipped }: DownloadSummaryProps) => {
  const t = useTranslations('env.saved');
  const tEnv = useTranslations('env');
  const displayName = useDisplayName();
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
                  <HostileText max={80}>{displayName(name)}</HostileText>
                </code>{' '}
                {why}
              </List.Item>
            ))}
          </List>
          {skipped.length > SHOWN && (
            <Text size="xs">{tEnv('value.more', { count: skipped.length - SHOWN })}</Text>
          )}
        </>
      )}
    </Alert>
  );
};
