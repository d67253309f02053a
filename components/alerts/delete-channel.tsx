'use client';

import { useTranslations } from 'next-intl';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { useConnection } from '@/components/patterns/connection';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { type AlertChannel, alertChannelContracts } from '@/lib/alerts/channels/schema';

export const DeleteChannel = ({ row: channel, opened, onClose, onClosed }: RowDrawerProps<AlertChannel>) => {
  const t = useTranslations('alerts.channel');
  const { id: connection } = useConnection();
  const change = useCommand(alertChannelContracts.delete, connection);
  const { id = '', etag = '', name = '' } = channel ?? {};
  return (
    <FormDrawer
      opened={opened}
      onClose={onClose}
      onClosed={onClosed}
      onReadOnly
      destructive
      title={t('deleteTitle', { name })}
      verb={t('delete')}
      change={change}
      input={(words) => ({ ...words, id, etag })}
      done={() => t('deleted', { name })}
    >
      {t('deleteConsequence')}
    </FormDrawer>
  );
};
