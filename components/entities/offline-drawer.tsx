'use client';

import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { HostileText } from '@/components/patterns/hostile-text';
import { confirmationAsked } from '@/components/patterns/undo-confirmation';
import type { EntityView } from '@/lib/entities/schema';
import { type EntityName, useSetOffline } from './queries';

interface OfflineDrawerProps {
  of: EntityName;
  view: EntityView;
  opened: boolean;
  onClose: () => void;
}

/** Takes a user off the list of users online. */
export const OfflineDrawer = ({ of, view, opened, onClose }: OfflineDrawerProps) => {
  const t = useTranslations('entities.offline');
  const { id: connection } = useConnection();
  const change = useSetOffline(connection);
  return (
    <FormDrawer
      opened={opened}
      onClose={onClose}
      title={t('title')}
      verb={t('verb')}
      needsConfirmation
      stays="asItIs"
      staysValid={t('stays')}
      confirm={confirmationAsked(change.error)}
      change={change}
      input={(words) => ({ userId: of.id, ...words })}
      done={({ removed }) => t(removed ? 'done' : 'gone')}
    >
      {t.rich('consequence', { name: () => <HostileText max={80}>{view.title || of.id}</HostileText> })}
    </FormDrawer>
  );
};
