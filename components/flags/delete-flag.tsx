'use client';

import { Stack, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { AS_TYPED } from '@/components/patterns/as-typed';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { HostileText } from '@/components/patterns/hostile-text';
import { useCommand } from '@/components/patterns/use-command';
import { type Flag, flagContracts } from '@/lib/flags/schema';
import { visibleText } from '@/lib/visible-text';
import { ChangedMeanwhile, FlagDeleted, isDeleted, presentOf } from './changed-meanwhile';
import { useTwoPerson } from './policy';

interface DeleteFlagProps {
  /** The flag as it was when the drawer opened; null before it opened once. */
  flag: Flag | null;
  opened: boolean;
  onClose: () => void;
}

/** Deletes a flag after its name is typed; says what Undo restores. */
export const DeleteFlag = ({ flag, opened, onClose }: DeleteFlagProps) => {
  const t = useTranslations('flags.delete');
  const tWord = useTranslations('words');
  const needsApproval = useTwoPerson();
  const remove = useCommand(needsApproval ? flagContracts.request : flagContracts.delete);
  const [typed, setTyped] = useState('');
  const { error } = remove;
  const close = () => {
    setTyped('');
    onClose();
  };
  // Control characters cannot be typed: the user types their visible form.
  const name = flag ? visibleText(flag.name, 200) : '';
  const present = presentOf(error);
  const gone = isDeleted(error);
  return (
    <FormDrawer
      operation="flags.delete"
      opened={opened}
      onClose={close}
      title={tWord('deleteName', { name: visibleText(name, 60) })}
      verb={t(needsApproval ? 'request' : 'verb')}
      destructive
      needsConfirmation
      blocked={gone || typed.trim() !== name}
      change={remove}
      input={(words) => ({
        name: flag?.name ?? '',
        etag: present?.etag ?? flag?.etag ?? '',
        ...(needsApproval && { action: 'delete' }),
        ...words,
      })}
      done={() => t(needsApproval ? 'requested' : 'done', { name: visibleText(name, 60) })}
      error={present || gone ? null : error}
    >
      {flag && (
        <Stack gap="sm">
          <span>{t(needsApproval ? 'consequenceRequest' : 'consequence')}</span>
          {flag.schedule.length > 0 && <span>{t('scheduled', { count: flag.schedule.length })}</span>}
          {!needsApproval && <span>{t('undoNote')}</span>}
          {present && <ChangedMeanwhile seen={flag} present={present.raw} wanted={t('wanted')} />}
          {gone && <FlagDeleted name={flag.name} />}
          <TextInput
            label={t.rich('type', { name: () => <HostileText>{flag.name}</HostileText> })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            {...AS_TYPED}
          />
        </Stack>
      )}
    </FormDrawer>
  );
};
