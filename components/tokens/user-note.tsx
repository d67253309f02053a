'use client';

import { Alert } from '@mantine/core';
import { IconUser } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { TextLink } from '@/components/patterns/text-link';
import { typedUserId, userIdText } from '@/lib/sessions/schema';

interface OfUserProps {
  url: Record<string, string>;
}

/** Links back to the user whose tokens are listed. */
export const UserNote = ({ url }: OfUserProps) => {
  const t = useTranslations('tokens');
  const connection = useConnection();
  const userId = typedUserId(url.user ?? '');
  if (userId === null) return null;
  return (
    <Alert color="gray" mb="sm" py="xs" icon={<IconUser size={16} />}>
      {t('ofUser', { id: userId })}{' '}
      <TextLink
        c="inherit"
        href={`/${connection.id}/sessions?user=${encodeURIComponent(userIdText(userId))}`}
        underline="always"
      >
        {t('toUser')}
      </TextLink>
    </Alert>
  );
};

/** Tokens have only user ids; sessions can be searched by name. */
export const NoUser = ({ url }: OfUserProps) => {
  const t = useTranslations('tokens.noUser');
  const connection = useConnection();
  return (
    <EmptyState icon={<IconUser size={20} />} title={t('title')}>
      {t('text')}{' '}
      <TextLink
        href={`/${connection.id}/sessions?name=${encodeURIComponent(url.user ?? '')}`}
        underline="always"
      >
        {t('find')}
      </TextLink>
    </EmptyState>
  );
};
