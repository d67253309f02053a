'use client';

import { Avatar, Menu, Text, UnstyledButton } from '@mantine/core';
import { IconLogout, IconUser } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { signOut } from '@/components/patterns/credentials';
import { Link } from '@/components/patterns/link';
import { useViewer } from '@/components/patterns/viewer';

const initials = (name: string): string =>
  name
    .split(/[\s.@_-]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => Array.from(word)[0]!.toUpperCase())
    .join('');

export const UserMenu = () => {
  const t = useTranslations('shell');
  const tWord = useTranslations('words');
  const viewer = useViewer();
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <UnstyledButton aria-label={t('userMenu', { name: viewer.name })} style={{ borderRadius: '50%' }}>
          <Avatar size={28} radius="xl" color="indigo" variant="light">
            <span aria-hidden>{initials(viewer.name || viewer.email)}</span>
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} truncate>
            {viewer.name}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {viewer.email} · {t(`role.${viewer.role}`)}
          </Text>
        </Menu.Label>
        <Menu.Item component={Link} href="/account" leftSection={<IconUser size={16} />}>
          {tWord('yourAccount')}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          {t('signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};
