'use client';

import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useEffect } from 'react';
import { visibleText } from '@/lib/visible-text';
import { flagQueries } from './queries';

/** Notifies the user if the flag is deleted, and its row removed, while a form in the row is `open`. */
export const useDeletedNotice = (connection: string, name: string, open: boolean): void => {
  const t = useTranslations('flags.deleted');
  const client = useQueryClient();
  useEffect(() => {
    if (!open) return;
    return () => {
      // Rows also unmount when they are filtered out or scrolled away.
      const list = client.getQueryData(flagQueries.list(connection).queryKey);
      if (!list || list.items.some((flag) => flag.name === name)) return;
      notifications.show({
        id: `deleted-${name}`,
        color: 'orange',
        message: t('notice', { name: visibleText(name, 60) }),
        autoClose: 12_000,
        role: 'alert',
        closeButtonProps: { 'aria-label': t('dismiss') },
      });
    };
  }, [client, connection, name, open, t]);
};
