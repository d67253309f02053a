'use client';

import { useTranslations } from 'next-intl';
import { InvalidationDrawer } from '@/components/patterns/invalidation-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { familyContracts } from '@/lib/families/schema';
import { type SelectedKeysProps, SelectedRefusal, useSelectedKeys } from './selected-keys';

/** Deletes the selected keys in a job: a preview shows their families and whether they can be restored. */
export const DeleteDrawer = ({ keyIds, ...drawer }: SelectedKeysProps) => {
  const t = useTranslations('keys.selection');
  const change = useCommand(familyContracts.invalidate);
  const selected = useSelectedKeys(keyIds, drawer.opened);
  const { data } = selected.query;
  return (
    <InvalidationDrawer
      {...drawer}
      {...selected}
      change={change}
      title={t('deleteVerb')}
      verb={data ? t('delete', { count: data.keys }) : t('deleteVerb')}
    >
      <SelectedRefusal error={selected.query.error} />
    </InvalidationDrawer>
  );
};
