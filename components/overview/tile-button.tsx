'use client';

import { ActionIcon } from '@mantine/core';
import { IconLayoutGrid } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { onDemand } from '@/components/patterns/on-demand';
import { useOpened } from '@/components/patterns/use-opened';

const TileDrawer = onDemand(async () => (await import('./tile-drawer')).TileDrawer);

/** Chooses the figures at the top of the overview, for this user in every browser. */
export const TileButton = () => {
  const t = useTranslations('overview.tile');
  const drawer = useOpened<true>();
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('choose')}
        aria-haspopup="dialog"
        title={t('choose')}
        onClick={() => drawer.open(true)}
      >
        <IconLayoutGrid size={18} />
      </ActionIcon>
      <TileDrawer opened={drawer.opened} onClose={drawer.close} />
    </>
  );
};
