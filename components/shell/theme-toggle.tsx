'use client';

import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';

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
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('label')}>
          <Icon size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {CHOICES.map(({ id, icon: Choice }) => (
          <Menu.Item
            key={id}
            leftSection={<Choice size={16} />}
            rightSection={colorScheme === id ? <IconCheck size={14} aria-label={t('chosen')} /> : null}
            onClick={() => setColorScheme(id)}
          >
            {t(id)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
};
