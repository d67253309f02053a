'use client';

import { MantineProvider } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { type ReactNode, useState } from 'react';
import { makeQueryClient } from './query-client';
import { theme } from './theme';

/** The providers of every page. `nonce` is the request's, for Mantine's style tags. */
export const Providers = ({ nonce, children }: { nonce: string | undefined; children: ReactNode }) => {
  const t = useTranslations('shell');
  const [client] = useState(() =>
    makeQueryClient(() => notifications.show({ id: 'list-reloaded', message: t('listReloaded') })),
  );
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce ?? ''}>
      <Notifications position="bottom-right" autoClose={8000} zIndex={400} />
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    </MantineProvider>
  );
};
