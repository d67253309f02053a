'use client';

import { useTranslations } from 'next-intl';
import type { ComponentProps } from 'react';
import { Drawer } from '@/components/patterns/drawer';
import { Navigation } from './navigation';

interface MenuDrawerProps extends Omit<ComponentProps<typeof Navigation>, 'onSamePage'> {
  opened: boolean;
  onClose: () => void;
}

/** The navigation on a phone. */
export const MenuDrawer = ({ opened, onClose, ...navigation }: MenuDrawerProps) => {
  const t = useTranslations('shell');
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="left"
      size={264}
      title="Keyward"
      closeButtonProps={{ 'aria-label': t('closeMenu') }}
    >
      <Navigation {...navigation} onSamePage={onClose} />
    </Drawer>
  );
};
