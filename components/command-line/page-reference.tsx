'use client';

import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { TextLink } from '@/components/patterns/text-link';
import { useViewer } from '@/components/patterns/viewer';
import { hasPage, hrefOf, PAGES } from '@/components/shell/pages';
import { may } from '@/lib/permissions';

/** The page that does the job of a refused command; nothing where this role or connection has no such page. */
export const PageReference = ({ page }: { page: string | null }) => {
  const t = useTranslations('commandLine');
  const label = useTranslations();
  const connection = useConnection();
  const { role } = useViewer();
  const target = PAGES.find(({ id }) => id === page);
  if (!target || !may(role, target.permission) || !hasPage(connection, target)) return null;
  return (
    <TextLink href={hrefOf(target, connection.id)} underline="always" c="inherit">
      {t('openPage', { page: label(target.label) })}
    </TextLink>
  );
};
