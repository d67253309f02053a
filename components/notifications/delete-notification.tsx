'use client';

import { useTranslations } from 'next-intl';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { type Notification, notificationContracts } from '@/lib/notifications/schema';

export const DeleteNotification = ({ row, ...drawer }: RowDrawerProps<Notification>) => {
  const t = useTranslations('notifications');
  const tWord = useTranslations('words');
  const change = useCommand(notificationContracts.delete);
  const { id = '', etag = '', name = '' } = row ?? {};
  return (
    <FormDrawer
      {...drawer}
      destructive
      title={tWord('deleteName', { name })}
      verb={t('menu.delete')}
      change={change}
      input={(words) => ({ ...words, id, etag })}
      done={() => t('deleted', { name })}
    >
      {t('deleteConsequence')}
    </FormDrawer>
  );
};
