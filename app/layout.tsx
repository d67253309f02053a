import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import './globals.css';
import type { Metadata, Viewport } from 'next';
import { headers } from 'next/headers';
import { getLocale } from 'next-intl/server';
import type { ReactNode } from 'react';
import { env } from '@/lib/configuration';
import { COLOR_SCHEME_SCRIPT } from './color-scheme';

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
  return (
    <html lang={await getLocale()} data-base-path={env().basePath} suppressHydrationWarning>
      <head>
        <script nonce={nonce} suppressHydrationWarning>
          {COLOR_SCHEME_SCRIPT}
        </script>
      </head>
      <body>{children}</body>
    </html>
  );
}
