'use client';

import { Badge, Group } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { KeyText } from '@/components/patterns/hostile-text';
import { Panel } from '@/components/patterns/panel';
import { TextLink } from '@/components/patterns/text-link';
import type { User } from './user-query';

/** Cache entries of the author with this user's id, with links to their families. */
export const UserRelated = ({ user }: { user: User }) => {
  const t = useTranslations('sessions.user.related');
  const connection = useConnection();
  const cached = user.related.filter(({ exists }) => exists);
  const others = user.related.filter(({ exists }) => !exists);
  if (user.related.length === 0) return null;
  return (
    <Panel title={t('title')} note={t('note')}>
      {[...cached, ...others].map(({ family, title, key, keyId, exists }) => (
        <Group key={keyId} gap="sm" py={6} wrap="nowrap" style={{ borderTop: '1px solid var(--kw-line)' }}>
          <Badge color={exists ? 'green' : 'gray'} w={88} style={{ flex: 'none' }}>
            {t(exists ? 'cached' : 'absent')}
          </Badge>
          <Group gap="xs" flex={1}>
            <KeyText>{key}</KeyText>
            <Dimmed>{title}</Dimmed>
          </Group>
          <TextLink
            ta="end"
            href={`/${connection.id}/families?family=${encodeURIComponent(family)}`}
            aria-label={t('familyOf', { title })}
          >
            {t('family')}
          </TextLink>
        </Group>
      ))}
    </Panel>
  );
};
