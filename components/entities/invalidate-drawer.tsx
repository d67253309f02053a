'use client';

import { Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { kindRef } from '@/components/patterns/entity-link';
import { HostileText } from '@/components/patterns/hostile-text';
import { InvalidationDrawer } from '@/components/patterns/invalidation-drawer';
import { previewQuery } from '@/components/patterns/invalidation-queries';
import { useCommand } from '@/components/patterns/use-command';
import type { EntityView } from '@/lib/entities/schema';
import { familyContracts, type Preview } from '@/lib/families/schema';
import classes from './entities.module.css';

interface InvalidateDrawerProps {
  view: EntityView;
  opened: boolean;
  onClose: () => void;
  /** The job started, or was already running. */
  onJob: (jobId: string) => void;
}

/** Deletes what is stale when this entity changes, by its application's rule. */
export const InvalidateDrawer = ({ view, ...drawer }: InvalidateDrawerProps) => {
  const t = useTranslations('entities.invalidate');
  const words = useTranslations('families');
  const { id: connection } = useConnection();
  const change = useCommand(familyContracts.invalidate);
  const target = drawer.opened ? { entity: { kind: kindRef(view), id: view.id } } : null;
  const query = useQuery(previewQuery(connection, target));
  return (
    <InvalidationDrawer
      {...drawer}
      {...{ change, target, query }}
      title={t.rich('title', { name: () => <HostileText max={60}>{view.title || view.id}</HostileText> })}
      staysValid={words('stays')}
    >
      <span>{t('consequence')}</span>
      {target && query.data && <Branches preview={query.data} />}
    </InvalidationDrawer>
  );
};

/** The branches of the rule where one needs a word; otherwise the families below say the same. */
const Branches = ({ preview }: { preview: Preview }) => {
  const t = useTranslations('families.target');
  if (preview.branches.every(({ known, wider }) => known && !wider)) return null;
  return (
    <ul className={classes.branches} aria-label={t('branches')}>
      {preview.branches.map(({ id, title, keys, known, wider }) => (
        <li key={id}>
          <span>
            {title}{' '}
            {(wider || !known) && (
              <Badge component="span" size="xs" color="orange">
                {t(known ? 'mark.wider' : 'mark.unknown')}
              </Badge>
            )}
          </span>
          <Dimmed span>{known ? t('branchKeys', { count: keys }) : '—'}</Dimmed>
        </li>
      ))}
    </ul>
  );
};
