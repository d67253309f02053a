'use client';

import { Button, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useTranslations } from 'next-intl';
import { type FormEvent, useRef, useState } from 'react';
import { signIn, signOut } from '@/components/patterns/credentials';
import { fieldError } from '@/components/patterns/field-error';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { Panel } from '@/components/patterns/panel';
import { PasswordInput } from '@/components/patterns/password-input';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { useCommand } from '@/components/patterns/use-command';
import { useViewer } from '@/components/patterns/viewer';
import { basePath } from '@/lib/api-client';
import { accountContracts } from '@/lib/users/schema';
import { NewPassword } from './new-password';
import { PreferenceFields } from './preference-fields';
import { SecondFactorPanel } from './second-factor-panel';

const ChangeDrawer = onDemand(async () => (await import('@/components/patterns/change-drawer')).ChangeDrawer);

export const AccountPage = () => {
  const t = useTranslations('access.account');
  const tFactor = useTranslations('secondFactor');
  const tWord = useTranslations('words');
  const tShell = useTranslations('shell');
  const viewer = useViewer();
  return (
    <>
      <PageHeader
        title={tWord('yourAccount')}
        sentence={t('sentence', { email: viewer.email, role: tShell(`role.${viewer.role}`) })}
      />
      <Stack gap="md" maw={520}>
        <Panel title={t('preferences.title')}>
          <PreferenceFields />
        </Panel>
        <Panel title={tWord('password')}>
          <PasswordForm />
        </Panel>
        <Panel title={tFactor('title')}>
          <SecondFactorPanel />
        </Panel>
        <Panel title={t('everywhere')}>
          <SignOutEverywhere />
        </Panel>
      </Stack>
    </>
  );
};

const PasswordForm = () => {
  const t = useTranslations('access.account');
  const { email } = useViewer();
  const form = useRef<HTMLFormElement>(null);
  const [differs, setDiffers] = useState(false);
  const change = useCommand(accountContracts.changePassword, undefined, {
    onSuccess: async ({ tokensEnded }, { newPassword }) => {
      // The change ended every session, this one too: sign in again with the new password.
      const answer = await signIn(email, newPassword).catch(() => null);
      // The sign-in page asks for the second factor.
      if (answer && !answer.ok) return window.location.assign(`${basePath()}/sign-in`);
      form.current?.reset();
      notifications.show({ color: 'green', message: t('changed', { count: tokensEnded }) });
    },
  });
  const wrong = fieldError(change.error, 'currentPassword');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const newPassword = String(fields.get('new'));
    const mistyped = newPassword !== String(fields.get('again'));
    setDiffers(mistyped);
    if (!mistyped) change.mutate({ currentPassword: String(fields.get('current')), newPassword });
  };
  return (
    <form ref={form} method="post" onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">{t('passwordNote')}</Text>
        <PasswordInput
          name="current"
          label={t('current')}
          autoComplete="current-password"
          maxLength={1024}
          required
          error={wrong}
        />
        <NewPassword name="new" label={t('new')} />
        <NewPassword name="again" label={t('again')} error={differs ? t('differs') : undefined} />
        {!wrong && <ProblemAlert error={change.error} />}
        <Button type="submit" loading={change.isPending} style={{ alignSelf: 'flex-start' }}>
          {t('change')}
        </Button>
      </Stack>
    </form>
  );
};

const SignOutEverywhere = () => {
  const t = useTranslations('access.account');
  const tAccess = useTranslations('access');
  const [opened, setOpened] = useState(false);
  const end = useCommand(accountContracts.signOutEverywhere, undefined, { onSuccess: () => void signOut() });
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">{t('everywhereNote')}</Text>
      <Button variant="default" mih={{ base: 44, sm: 36 }} onClick={() => setOpened(true)}>
        {tAccess('actions.account-signOutEverywhere')}
      </Button>
      <ChangeDrawer
        opened={opened}
        onClose={() => setOpened(false)}
        title={tAccess('actions.account-signOutEverywhere')}
        verb={tAccess('actions.account-signOutEverywhere')}
        staysValid={t('tokensStay')}
        withReason={false}
        destructive
        pending={end.isPending || end.isSuccess}
        error={end.error}
        onSubmit={() => end.mutate({})}
      >
        {t('everywhereWill')}
      </ChangeDrawer>
    </Stack>
  );
};
