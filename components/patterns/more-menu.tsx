'use client';

import { ActionIcon, Button } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useContext } from 'react';
import { InCard } from '@/components/data-table/in-card';
import { Menu } from './menu';
import type { MenuContent } from './menu-list';

interface MoreMenuProps extends Pick<MenuContent, 'heading' | 'items'> {
  label: string;
}

/** Further actions of a row: a button with three dots. */
export const MoreMenu = ({ label, ...content }: MoreMenuProps) => {
  const t = useTranslations('patterns');
  return (
    <Menu position="bottom-end" width={230} {...content}>
      {useContext(InCard) ? (
        <Button variant="default" leftSection={<IconDots size={18} aria-hidden />} aria-label={label}>
          {t('more')}
        </Button>
      ) : (
        <ActionIcon aria-label={label}>
          <IconDots size={18} />
        </ActionIcon>
      )}
    </Menu>
  );
};
