'use client';

import { Stack, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { AS_TYPED } from '@/components/patterns/as-typed';
import { useConnection } from '@/components/patterns/connection';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { HostileText } from '@/components/patterns/hostile-text';
import type { Flag } from '@/lib/flags/schema';
import { visibleText } from '@/lib/visible-text';
import { ChangedMeanwhile, FlagGone, isGone, presentOf } from './changed-meanwhile';
import { useTwoPerson } from './policy';
import { useDeleteFlag } from './queries';

interface DeleteFlagProps {
  /** The flag as it was when its deletion was asked for; null before the first. */
  flag: Flag | null;
  opened: boolean;
  onClose: () => void;
}

/** What goes with a flag, what comes back by Undo, and its name to be typed. */
export const DeleteFlag = ({ flag, opened, onClose }: DeleteFlagProps) => {
  const t = useTranslations('flags.delete');
  const { id } = useConnection();
  const asking = useTwoPerson();
  const remove = useDeleteFlag(id, asking);
  const [typed, setTyped] = useState('');
  const { error } = remove;
  const close = () => {
    setTyped('');
    onClose();
  };
  // What cannot be typed is typed as it is shown.
  const name = flag ? visibleText(flag.name, 200) : '';
  const present = presentOf(error);
  const gone = isGone(error);
  return (
    <FormDrawer
      opened={opened}
      onClose={close}
      title={t('of', { name: visibleText(name, 60) })}
      verb={t(asking ? 'ask' : 'verb')}
      destructive
      needsConfirmation
      blocked={gone || typed.trim() !== name}
      change={remove}
      input={(words) => ({
        name: flag?.name ?? '',
        etag: present?.etag ?? flag?.etag ?? '',
        ...words,
      })}
      done={() => t(asking ? 'requested' : 'done', { name: visibleText(name, 60) })}
      error={present || gone ? null : error}
    >
      {flag && (
        <Stack gap="sm">
          <span>{t(asking ? 'consequenceAsking' : 'consequence')}</span>
          {flag.schedule.length > 0 && <span>{t('plans', { count: flag.schedule.length })}</span>}
          {!asking && <span>{t('comesBack')}</span>}
          {present && <ChangedMeanwhile seen={flag} present={present.raw} wanted={t('wanted')} />}
          {gone && <FlagGone name={flag.name} />}
          <TextInput
            label={t.rich('type', { name: () => <HostileText>{flag.name}</HostileText> })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            {...AS_TYPED}
            data-autofocus
          />
        </Stack>
      )}
    </FormDrawer>
  );
};
