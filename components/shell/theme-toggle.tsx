'use client';

import { ActionIcon, useMantineColorScheme } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { Menu } from '@/components/patterns/menu';

const CHOICES = [
  { id: 'light', icon: IconSun },
  { id: 'dark', icon: IconMoon },
  { id: 'auto', icon: IconDeviceDesktop },
] as const;

/** Light, dark, or the system's. Only the browser knows the choice. */
export const ThemeToggle = () => {
  const t = useTranslations('shell.theme');
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const mounted = useMounted();
  const Icon = CHOICES.find((choice) => mounted && choice.id === colorScheme)?.icon ?? IconMoon;
  return (
    <Menu
      position="bottom-end"
      items={CHOICES.map(({ id, icon: Choice }) => ({
        id,
        text: t(id),
        left: <Choice size={16} />,
        right: colorScheme === id ? <IconCheck size={14} aria-label={t('chosen')} /> : null,
        onClick: () => setColorScheme(id),
      }))}
    >
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('label')}>
        <Icon size={18} />
      </ActionIcon>
    </Menu>
  );
};
