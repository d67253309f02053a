'use client';

import { UnstyledButton } from '@mantine/core';
import { IconHelp, IconLogout, IconUser } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { signOut } from '@/components/patterns/credentials';
import { Dimmed } from '@/components/patterns/dimmed';
import { Menu } from '@/components/patterns/menu';
import { Strong } from '@/components/patterns/strong';
import { useViewer } from '@/components/patterns/viewer';
import classes from './header.module.css';

const initials = (name: string): string =>
  name
    .split(/[\s.@_-]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => Array.from(word)[0]!.toUpperCase())
    .join('');

export const UserMenu = ({ onHelp }: { onHelp: () => void }) => {
  const t = useTranslations('shell');
  const tWord = useTranslations('words');
  const viewer = useViewer();
  return (
    <Menu
      position="bottom-end"
      width={220}
      heading={
        <>
          <Strong truncate>{viewer.name}</Strong>
          <Dimmed size="xs" truncate>
            {viewer.email} · {t(`role.${viewer.role}`)}
          </Dimmed>
        </>
      }
      items={[
        { id: 'account', text: tWord('yourAccount'), left: <IconUser size={16} />, href: '/account' },
        { id: 'help', text: t('help'), left: <IconHelp size={16} />, onClick: onHelp },
        {
          id: 'signOut',
          text: t('signOut'),
          left: <IconLogout size={16} />,
          onClick: () => void signOut(),
        },
      ]}
    >
      <UnstyledButton className={classes.user} aria-label={t('userMenu', { name: viewer.name })}>
        <span aria-hidden>{initials(viewer.name || viewer.email)}</span>
      </UnstyledButton>
    </Menu>
  );
};
