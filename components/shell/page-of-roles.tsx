'use client';

import { Anchor } from '@mantine/core';
import { IconBookmarkQuestion } from '@tabler/icons-react';
import { usePathname } from 'next/navigation';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { Link } from '@/components/patterns/link';
import { PageHeader } from '@/components/patterns/page-header';
import { hasPage, pageAt } from './pages';

/** The page at this URL, or why this connection has none: its catalog has no family with a suitable role. */
export const PageOfRoles = ({ children }: { children: ReactNode }) => {
  const t = useTranslations('shell.noPage');
  const label = useTranslations();
  const connection = useConnection();
  const page = pageAt(usePathname());
  if (!page || hasPage(connection, page)) return children;
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
        {page.entities ? t('textEntities') : t('text', { roles: page.roles?.join(', ') ?? '' })}
      </EmptyState>
    </>
  );
};
