'use client';

import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type ReactNode, useContext } from 'react';
import { InCard } from '@/components/data-table/in-card';

/** Further actions of a row: a button with three dots, with `Menu.Item`s as children. */
export const MoreMenu = ({ label, children }: { label: string; children: ReactNode }) => {
  const t = useTranslations('patterns');
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        {useContext(InCard) ? (
          <Button variant="default" leftSection={<IconDots size={18} aria-hidden />} aria-label={label}>
            {t('more')}
          </Button>
        ) : (
          <ActionIcon variant="subtle" color="gray" aria-label={label}>
            <IconDots size={18} />
          </ActionIcon>
        )}
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
};
