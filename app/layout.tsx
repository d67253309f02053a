import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import './globals.css';
import { ColorSchemeScript } from '@mantine/core';
import type { Metadata, Viewport } from 'next';
import { headers } from 'next/headers';
import { getLocale } from 'next-intl/server';
import type { ReactNode } from 'react';
import { Look } from '@/components/shell/look';
import { env } from '@/lib/configuration';
import { TextProvider } from './text-provider';

export const metadata: Metadata = {
  title: { default: 'Keyward', template: '%s · Keyward' },
  description: 'The operations console for what applications keep in Redis.',
  robots: { index: false, follow: false },
};

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#ffffff' },
    { media: '(prefers-color-scheme: dark)', color: '#17181c' },
  ],
};

/** Reading headers makes every page dynamic, so that each carries the request's CSP nonce. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get('x-nonce') ?? undefined;
  const locale = await getLocale();
  return (
    <html lang={locale} data-base-path={env().basePath} suppressHydrationWarning>
      <head>
        <ColorSchemeScript defaultColorScheme="auto" nonce={nonce} suppressHydrationWarning />
      </head>
      <body>
        <TextProvider locale={locale}>
          <Look nonce={nonce}>{children}</Look>
        </TextProvider>
      </body>
    </html>
  );
}
