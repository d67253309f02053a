'use client';

import { notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { type ReactNode, useState } from 'react';
import { onDemand } from '@/components/patterns/on-demand';
import { makeQueryClient } from './query-client';

const Notifications = onDemand(async () => (await import('@mantine/notifications')).Notifications);

/** The providers of every page with queries, inside `Look`. */
export const Providers = ({ children }: { children: ReactNode }) => {
  const t = useTranslations('shell');
  const [client] = useState(() =>
    makeQueryClient(() => notifications.show({ id: 'list-reloaded', message: t('listReloaded') })),
  );
  return (
    <QueryClientProvider client={client}>
      {/*
       * Below drawers and modals (200), whose buttons a toast must not cover. In the middle, next to the buttons of
       * rows.
       */}
      <Notifications position="bottom-center" autoClose={8000} zIndex={190} />
      {children}
    </QueryClientProvider>
  );
};
