'use client';

import { Anchor } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { Link } from '@/components/patterns/link';
import { useViewer } from '@/components/patterns/viewer';
import { hrefOf, PAGES } from '@/components/shell/pages';
import { may } from '@/lib/permissions';

/** A link to the page for a key's family, for roles that may open it. */
export const PageLink = ({ page: id }: { page: string | null }) => {
  const t = useTranslations('keys.inspector');
  const text = useTranslations();
  const connection = useConnection();
  const { role } = useViewer();
  const page = PAGES.find((candidate) => candidate.id === id);
  if (!page || !may(role, page.permission)) return null;
  return (
    <Anchor component={Link} href={hrefOf(page, connection.id)} underline="always" inherit>
      {t('openIn', { page: text(page.label) })}
    </Anchor>
  );
};
