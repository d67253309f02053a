'use client';

import { Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { fieldError } from '@/components/patterns/field-error';
import { makePasskey } from '@/components/patterns/passkey';
import { useRefetchTouched } from '@/components/patterns/use-command';
import { call } from '@/lib/api-client';
import { secondFactorContracts } from '@/lib/users/second-factor/schema';
import { type AddFactorProps, OwnPassword } from './add-app';

const { beginPasskey, addPasskey } = secondFactorContracts;

/** Adds a passkey that the browser creates. */
export const AddPasskey = ({ opened, asksPassword, onClose, onAdded }: AddFactorProps) => {
  const t = useTranslations('secondFactor');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const refetch = useRefetchTouched();
  const add = useMutation({
    mutationFn: async () => {
      const made = await makePasskey(await call(beginPasskey, {}));
      return made && call(addPasskey, { ...made, name, ...(asksPassword && { password }) });
    },
    onSuccess: (added) => added && onAdded(),
    onSettled: () => void refetch(addPasskey),
    gcTime: 0,
  });
  const wrongPassword = fieldError(add.error, 'password');
  const clear = () => {
    setName('');
    setPassword('');
    add.reset();
  };
  return (
    <ChangeDrawer
      opened={opened}
      onClose={onClose}
      onClosed={clear}
      title={t('addPasskey')}
      verb={t('addPasskey')}
      withReason={false}
      blocked={name.trim() === '' || (asksPassword && password === '')}
      pending={add.isPending}
      error={wrongPassword ? null : add.error}
      onSubmit={() => add.mutate()}
    >
      <Stack gap="md">
        <Text size="sm">{t('passkeyNote')}</Text>
        <TextInput
          label={t('passkeyName')}
          description={t('passkeyNameHint')}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={60}
          required
        />
        {asksPassword && <OwnPassword value={password} onChange={setPassword} error={wrongPassword} />}
      </Stack>
    </ChangeDrawer>
  );
};
