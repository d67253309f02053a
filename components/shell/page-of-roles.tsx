'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader, SharedTitle } from '@/components/patterns/page-header';
import { useViewer } from '@/components/patterns/viewer';
import { EntryTabs } from './entry-tabs';
import { entriesFor, hasPage, isCurrent, type Page, pageAt } from './pages';

const NoPage = onDemand(async () => (await import('./no-page')).NoPage, 'shown');

/** The page at this URL, or why this connection has none: its catalog has no family with a suitable role. */
export const PageOfRoles = ({ children }: { children: ReactNode }) => {
  const t = useTranslations('shell.noPage');
  const label = useTranslations();
  const connection = useConnection();
  const { role } = useViewer();
  const pathname = usePathname();
  const search = useSearchParams().toString();
  const page = pageAt(pathname);
  if (!page || hasPage(connection, page)) {
    const current = (candidate: Page) => isCurrent(candidate, connection.id, pathname, search);
    const entry = entriesFor(role, connection, null).find(({ pages }) => pages.some(current));
    const shown = entry && entry.pages.length > 1 ? entry : null;
    const tabs = shown && (
      <EntryTabs entry={shown} current={shown.pages.find(current)!} connection={connection.id} />
    );
    return <SharedTitle value={shown && { title: label(shown.label), tabs }}>{children}</SharedTitle>;
  }
  return (
    <>
      <PageHeader title={label(page.label)} sentence={t('sentence', { connection: connection.name })} />
      <NoPage page={page} />
    </>
  );
};
