'use client';

import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { InvalidationDrawer } from '@/components/patterns/invalidation-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { familyContracts } from '@/lib/families/schema';
import { type TargetDrawerProps, useTarget } from './use-target';

/** Invalidates a family, an entity, a pattern or exact keys. */
export const TargetInvalidationDrawer = (props: TargetDrawerProps) => {
  const { opened, onClose, onJob } = props;
  const t = useTranslations('families');
  const { id } = useConnection();
  const change = useCommand(familyContracts.invalidate, id);
  const { family, fields, ...counted } = useTarget({ ...props, onChange: change.reset });
  return (
    <InvalidationDrawer
      {...{ opened, onClose, onJob, change }}
      {...counted}
      title={family ? t('familyTitle', { family: family.title }) : t('actions.families-invalidate')}
      staysValid={t('stays')}
    >
      {fields}
    </InvalidationDrawer>
  );
};
