'use client';

import { Stack, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useEffect, useEffectEvent, useState } from 'react';
import { ChangeDrawer, type ChangeWords } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { HostileText } from '@/components/patterns/hostile-text';
import { useUndoToast } from '@/components/patterns/undo-toast';
import type { Flag } from '@/lib/flags/schema';
import { visibleText } from '@/lib/visible-text';
import { ChangedMeanwhile, FlagGone, isGone, presentOf } from './changed-meanwhile';
import { useTwoPerson } from './policy';
import { useFlagChange } from './queries';

/** Deleting at once with Undo, or asking for it where two people are needed. */
const useDeleting = (onClose: () => void) => {
  const t = useTranslations('flags.delete');
  const { id } = useConnection();
  const asking = useTwoPerson();
  const remove = useFlagChange('delete', id);
  const request = useFlagChange('request', id);
  const toast = useUndoToast();
  const { isPending, error } = asking ? request : remove;
  const submit = async (flag: Flag, words: ChangeWords): Promise<void> => {
    const wanted = { name: flag.name, etag: presentOf(error)?.etag ?? flag.etag, ...words };
    const done = await (asking
      ? request.mutateAsync({ ...wanted, action: 'delete' })
      : remove.mutateAsync(wanted)
    ).catch(() => null);
    // The drawer shows the mutation's own error.
    if (!done) return;
    onClose();
    const { auditId, undoUntil } = done;
    const name = visibleText(flag.name, 60);
    toast({ message: t(asking ? 'requested' : 'done', { name }), auditId, undoUntil });
  };
  const reset = () => {
    remove.reset();
    request.reset();
  };
  return { asking, pending: isPending, error, submit, reset };
};

interface DeleteFlagProps {
  /** The flag as it was when its deletion was asked for; null before the first. */
  flag: Flag | null;
  opened: boolean;
  onClose: () => void;
}

/** What goes with a flag, what comes back by Undo, and its name to be typed. */
export const DeleteFlag = ({ flag, opened, onClose }: DeleteFlagProps) => {
  const t = useTranslations('flags.delete');
  const deleting = useDeleting(onClose);
  const [typed, setTyped] = useState('');
  const begin = useEffectEvent(() => {
    deleting.reset();
    setTyped('');
  });
  useEffect(() => {
    if (opened) begin();
  }, [opened]);
  const { asking, error } = deleting;
  // What cannot be typed is typed as it is shown.
  const name = flag ? visibleText(flag.name, 200) : '';
  const present = presentOf(error);
  const gone = isGone(error);
  return (
    <ChangeDrawer
      opened={opened}
      onClose={onClose}
      title={t('of', { name: visibleText(name, 60) })}
      verb={t(asking ? 'ask' : 'verb')}
      destructive
      needsConfirmation
      blocked={gone || typed.trim() !== name}
      pending={deleting.pending}
      error={present || gone ? null : error}
      onSubmit={(words) => flag && void deleting.submit(flag, words)}
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
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            data-autofocus
          />
        </Stack>
      )}
    </ChangeDrawer>
  );
};
