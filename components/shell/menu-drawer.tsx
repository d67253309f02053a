'use client';

import { useTranslations } from 'next-intl';
import type { ConnectionFacts } from '@/components/patterns/connection';
import { Drawer } from '@/components/patterns/drawer';
import { Navigation } from './navigation';

interface MenuDrawerProps {
  opened: boolean;
  onClose: () => void;
  connection: ConnectionFacts | null;
}

/** The navigation on a phone. */
export const MenuDrawer = ({ opened, onClose, connection }: MenuDrawerProps) => {
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
      <Navigation connection={connection} onSamePage={onClose} />
    </Drawer>
  );
};
