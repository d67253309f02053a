'use client';

import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useEffect } from 'react';
import { visibleText } from '@/lib/visible-text';
import { flagQueries } from './queries';

/** Says so when a flag's row goes because the flag is gone, while something in the row is `open`. */
export const useGoneNotice = (connection: string, name: string, open: boolean): void => {
  const t = useTranslations('flags.gone');
  const client = useQueryClient();
  useEffect(() => {
    if (!open) return;
    return () => {
      // A row goes out of sight for other reasons too: a filter, scrolling.
      const list = client.getQueryData(flagQueries.list(connection).queryKey);
      if (!list || list.items.some((flag) => flag.name === name)) return;
      notifications.show({
        id: `gone-${name}`,
        color: 'orange',
        message: t('notice', { name: visibleText(name, 60) }),
        autoClose: 12_000,
        role: 'alert',
        closeButtonProps: { 'aria-label': t('dismiss') },
      });
    };
  }, [client, connection, name, open, t]);
};
