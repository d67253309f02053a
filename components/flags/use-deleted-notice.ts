'use client';

import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback, useEffect } from 'react';
import { visibleText } from '@/lib/visible-text';
import { flagQueries } from './queries';

/** Notifies the user if the flag is deleted while a form in its row is `open`. */
export const useDeletedNotice = (connection: string, name: string, open: boolean): void => {
  const t = useTranslations('flags.deleted');
  const tWord = useTranslations('words');
  const client = useQueryClient();
  const list = flagQueries.list(connection);
  // Reads the cache only; the page refetches the list.
  const cached = useQuery({
    ...list,
    enabled: open,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
  const isDeleted = open && cached.data?.items.every((flag) => flag.name !== name) === true;
  const notify = useCallback(() => {
    notifications.show({
      id: `deleted-${name}`,
      color: 'orange',
      message: t('notice', { name: visibleText(name, 60) }),
      autoClose: 12_000,
      role: 'alert',
      closeButtonProps: { 'aria-label': tWord('dismiss') },
    });
  }, [name, t, tWord]);
  useEffect(() => {
    if (isDeleted) notify();
  }, [isDeleted, notify]);
  useEffect(() => {
    if (!open) return;
    return () => {
      // Rows also unmount when they are filtered out or scrolled away.
      const items = client.getQueryData(flagQueries.list(connection).queryKey)?.items;
      if (items?.every((flag) => flag.name !== name)) notify();
    };
  }, [client, connection, name, open, notify]);
};
