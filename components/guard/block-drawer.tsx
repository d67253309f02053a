'use client';

import { Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useEffect, useState } from 'react';
import { ChangeDrawer, type ChangeWords } from '@/components/patterns/change-drawer';
import { EntriesField, isSendable } from './entries-field';
import { pastedEntries } from './pasted';

interface BlockDrawerProps {
  opened: boolean;
  onClose: () => void;
  /** In how many seconds the collector follows; null while unknown. */
  seconds: number | null;
  pending: boolean;
  error: unknown;
  onSubmit: (projectIds: string[], words: ChangeWords) => void;
}

/** One project or a pasted list, with what it means for those who are in it. */
export const BlockDrawer = ({ opened, seconds, onSubmit, ...drawer }: BlockDrawerProps) => {
  const t = useTranslations('guard');
  const [text, setText] = useState('');
  useEffect(() => {
    if (opened) setText('');
  }, [opened]);
  const projectIds = pastedEntries(text);
  return (
    <ChangeDrawer
      {...drawer}
      opened={opened}
      title={t('projects.add.title')}
      verb={t('projects.add.verb', { count: Math.max(1, projectIds.length) })}
      destructive
      needsConfirmation={projectIds.length > 1}
      blocked={!isSendable('projects', projectIds)}
      onSubmit={(words) => onSubmit(projectIds, words)}
    >
      <Stack gap="sm">
        <span>{t('projects.add.consequence')}</span>
        {seconds !== null && <span>{t('inForce', { seconds })}</span>}
        <EntriesField set="projects" text={text} onChange={setText} />
      </Stack>
    </ChangeDrawer>
  );
};
