'use client';

import { Code, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { fieldError } from '@/components/patterns/field-error';
import { PasswordInput } from '@/components/patterns/password-input';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { useCommand } from '@/components/patterns/use-command';
import { call } from '@/lib/api-client';
import { secondFactorContracts } from '@/lib/users/second-factor/schema';
import { QrCode } from './second-step';

const { beginApp, confirmApp } = secondFactorContracts;

export interface AddFactorProps {
  opened: boolean;
  /** The password is asked for before the first second factor. */
  asksPassword: boolean;
  onClose: () => void;
  onAdded: () => void;
}

/** Sets up an authenticator app: a secret as a QR code, and a code that confirms it. */
export const AddApp = ({ opened, asksPassword, onClose, onAdded }: AddFactorProps) => {
  const t = useTranslations('secondFactor');
  const [code, setCode] = useState('');
  const [password, setPassword] = useState('');
  const begun = useQuery({
    queryKey: [beginApp.id],
    queryFn: () => call(beginApp, {}),
    enabled: opened,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const confirm = useCommand(confirmApp, undefined, { gcTime: 0, onSuccess: onAdded });
  const wrongCode = fieldError(confirm.error, 'code');
  const wrongPassword = fieldError(confirm.error, 'password');
  const clear = () => {
    setCode('');
    setPassword('');
    confirm.reset();
  };
  return (
    <ChangeDrawer
      opened={opened}
      onClose={onClose}
      onClosed={clear}
      title={t('addApp')}
      verb={t('confirm')}
      withReason={false}
      blocked={!begun.data || code.trim().length < 6 || (asksPassword && password === '')}
      pending={confirm.isPending}
      error={wrongCode || wrongPassword ? null : confirm.error}
      onSubmit={() =>
        begun.data && confirm.mutate({ token: begun.data.token, code, ...(asksPassword && { password }) })
      }
    >
      <Stack gap="md">
        <Text size="sm">{t('setUpNote')}</Text>
        <ProblemAlert error={begun.error} />
        {begun.data && (
          <>
            <QrCode {...begun.data.qr} label={t('qr')} />
            <Text size="sm">
              {t('byHand')} <Code style={{ overflowWrap: 'anywhere' }}>{begun.data.secret}</Code>
            </Text>
          </>
        )}
        <TextInput
          label={t('code')}
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          autoComplete="one-time-code"
          spellCheck={false}
          maxLength={64}
          required
          error={wrongCode && t('wrongCode')}
        />
        {asksPassword && <OwnPassword value={password} onChange={setPassword} error={wrongPassword} />}
      </Stack>
    </ChangeDrawer>
  );
};

interface OwnPasswordProps {
  value: string;
  onChange: (password: string) => void;
  error: string | undefined;
}

/** The user's own password, which proves that the account's owner is at this browser. */
export const OwnPassword = ({ value, onChange, error }: OwnPasswordProps) => {
  const t = useTranslations('access.account');
  return (
    <PasswordInput
      label={t('current')}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      autoComplete="current-password"
      maxLength={1024}
      required
      error={error}
    />
  );
};
