import { headers } from 'next/headers';
import { getLocale } from 'next-intl/server';
import type { ReactNode } from 'react';
import { Look } from '@/components/shell/look';
import { TextProvider } from './text-provider';

/** Theme and texts of every page but the sign-in page, whose visitors would wait for them. */
export const Themed = async ({ children }: { children: ReactNode }) => {
  const nonce = (await headers()).get('x-nonce') ?? undefined;
  return (
    <TextProvider locale={await getLocale()}>
      <Look nonce={nonce}>{children}</Look>
    </TextProvider>
  );
};
