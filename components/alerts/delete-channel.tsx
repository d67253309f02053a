'use client';

import { useTranslations } from 'next-intl';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { type AlertChannel, alertChannelContracts } from '@/lib/alerts/channels/schema';

export const DeleteChannel = ({ row: channel, ...drawer }: RowDrawerProps<AlertChannel>) => {
  const t = useTranslations('alerts.channel');
  const tAlerts = useTranslations('alerts');
  const tWord = useTranslations('words');
  const change = useCommand(alertChannelContracts.delete);
  const { id = '', etag = '', name = '' } = channel ?? {};
  return (
    <FormDrawer
      {...drawer}
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
