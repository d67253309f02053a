'use client';

import { Anchor } from '@mantine/core';
import { IconBookmarkQuestion } from '@tabler/icons-react';
import { usePathname, useSearchParams } from 'next/navigation';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { Link } from '@/components/patterns/link';
import { PageHeader, SharedTitle } from '@/components/patterns/page-header';
import { useFormat } from '@/components/patterns/use-format';
import { useViewer } from '@/components/patterns/viewer';
import { EntryTabs } from './entry-tabs';
import { entriesFor, hasPage, isCurrent, type Page, pageAt } from './pages';

const WhyNot = ({ page }: { page: Page }) => {
  const t = useTranslations('shell.noPage');
  const role = useTranslations('catalog.role');
  const { list } = useFormat();
  if (page.approvals) return t('textApprovals');
  if (page.entities) return t('textEntities');
  return t('text', {
    roles: list((page.roles ?? []).map((each) => role(each as Parameters<typeof role>[0]))),
  });
};

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
    const current = (each: Page) => isCurrent(each, connection.id, pathname, search);
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
      <EmptyState
        icon={<IconBookmarkQuestion size={20} />}
        title={t('title')}
        action={
          <Anchor component={Link} href={`/${connection.id}/catalog`} size="sm">
            {t('catalog')}
          </Anchor>
        }
      >
        <WhyNot page={page} />
      </EmptyState>
    </>
  );
};
