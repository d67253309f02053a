'use client';

import { IconBookmarkQuestion } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { TextLink } from '@/components/patterns/text-link';
import { useFormat } from '@/components/patterns/use-format';
import type { Page } from './pages';

const WhyNot = ({ page }: { page: Page }) => {
  const t = useTranslations('shell.noPage');
  const role = useTranslations('catalog.role');
  const { list } = useFormat();
  if (page.approvals) return t('textApprovals');
  if (page.entities) return t('textEntities');
  return t('text', {
    roles: list((page.roles ?? []).map((name) => role(name as Parameters<typeof role>[0]))),
  });
};

/** Why a connection has no such page: its catalog has no family with a suitable role. */
export const NoPage = ({ page }: { page: Page }) => {
  const t = useTranslations('shell.noPage');
  const connection = useConnection();
  return (
    <EmptyState
      icon={<IconBookmarkQuestion size={20} />}
      title={t('title')}
      action={<TextLink href={`/${connection.id}/catalog`}>{t('catalog')}</TextLink>}
    >
      <WhyNot page={page} />
    </EmptyState>
  );
};
