'use client';

import { useTranslations } from 'next-intl';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { useConnection } from '@/components/patterns/connection';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { type AlertChannel, alertChannelContracts } from '@/lib/alerts/channels/schema';

export const DeleteChannel = ({ row: channel, opened, onClose, onClosed }: RowDrawerProps<AlertChannel>) => {
  const t = useTranslations('alerts.channel');
  const tAlerts = useTranslations('alerts');
  const tWord = useTranslations('words');
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
      title={tWord('deleteName', { name })}
      verb={t('menu.delete')}
      change={change}
      input={(words) => ({ ...words, id, etag })}
      done={() => tAlerts('delete.done', { name })}
    >
      {t('deleteConsequence')}
    </FormDrawer>
  );
};
