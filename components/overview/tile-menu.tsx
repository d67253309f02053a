'use client';

import { ActionIcon } from '@mantine/core';
import { IconLayoutGrid } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { Menu } from '@/components/patterns/menu';
import { useTiles } from './use-tiles';

/** Chooses the figures at the top of the overview, for this user in every browser. */
export const TileMenu = () => {
  const t = useTranslations('overview.tile');
  const { offered, shown, toggle } = useTiles();
  return (
    <Menu
      position="bottom-end"
      heading={t('choose')}
      items={offered.map((id) => ({
        id,
        text: id === 'guard' ? t('guardFigures') : t(id),
        checked: shown.includes(id),
        onClick: () => toggle(id),
      }))}
    >
      <ActionIcon variant="subtle" color="gray" aria-label={t('choose')} title={t('choose')}>
        <IconLayoutGrid size={18} />
      </ActionIcon>
    </Menu>
  );
};
