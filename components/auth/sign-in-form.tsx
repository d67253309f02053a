'use client';

import { Alert, Button, PasswordInput, Stack, TextInput, Title } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type FormEvent, useRef, useState } from 'react';
import { signIn } from '@/components/patterns/credentials';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { useFormat } from '@/components/patterns/use-format';
import { basePath } from '@/lib/api-client';
import { callbackPath } from './callback-path';
import { useCountdown } from './use-countdown';

/** E-mail and password; says how long to wait when there were too many attempts. */
export const SignInForm = ({ callbackUrl }: { callbackUrl: string | null }) => {
  const t = useTranslations('auth.signIn');
  const format = useFormat();
  const password = useRef<HTMLInputElement>(null);
  const [pending, setPending] = useState(false);
  const [refused, setRefused] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [wait, beginWait] = useCountdown();

  const attempt = async (form: FormData) => {
    const answer = await signIn(String(form.get('email')), String(form.get('password')));
    if (answer.ok) {
      window.location.assign(callbackPath(callbackUrl, window.location.origin, basePath()));
      return;
    }
    if (answer.reason === 'throttled') beginWait(answer.retryAfterSeconds);
    else setRefused(true);
    setPending(false);
    password.current?.select();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setPending(true);
    setRefused(false);
    setError(null);
    attempt(new FormData(event.currentTarget)).catch((cause: unknown) => {
      setError(cause);
      setPending(false);
    });
  };
  return (
    <form method="post" onSubmit={submit}>
      <Stack gap="md">
        <Title order={1} fz="xl">
          {t('title')}
        </Title>
        <TextInput
          name="email"
          type="email"
          label={t('email')}
          autoComplete="username"
          maxLength={254}
          required
          withAsterisk={false}
          autoFocus
        />
        <PasswordInput
          ref={password}
          name="password"
          label={t('password')}
          autoComplete="current-password"
          maxLength={1024}
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ 'aria-label': t('showPassword'), tabIndex: 0 }}
        />
        <div aria-live="assertive">
          {refused && wait === 0 && <Alert color="red">{t('refused')}</Alert>}
          {wait > 0 && <Alert color="orange">{t('throttled', { wait: format.duration(wait) })}</Alert>}
          <ProblemAlert error={error} />
        </div>
        <Button type="submit" fullWidth loading={pending} disabled={wait > 0}>
          {t('submit')}
        </Button>
      </Stack>
    </form>
  );
};
