'use client';

import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { TextLink } from '@/components/patterns/text-link';
import { useViewer } from '@/components/patterns/viewer';
import type { CatalogFamily } from '@/lib/catalog/schema';
import { may } from '@/lib/permissions';
import { pageOfRole } from './role-pages';

/** The name of a role, with a link to its page where the family is in use and the viewer may see it. */
export const RoleLink = ({ family: { role, shadowedBy } }: { family: CatalogFamily }) => {
  const t = useTranslations('catalog');
  const { id } = useConnection();
  const viewer = useViewer();
  if (role === null) return <Dimmed component="span">{t('families.none')}</Dimmed>;
  const page = pageOfRole(role);
  const name = t(`role.${role}`);
  if (!page || shadowedBy !== null || !may(viewer.role, page.permission)) return name;
  return (
    <TextLink href={`/${id}${page.path}`} onClick={(event) => event.stopPropagation()}>
      {name}
    </TextLink>
  );
};
