'use client';

import { Alert, PasswordInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useRef, useState } from 'react';
import { signIn } from '@/components/patterns/credentials';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { useFormat } from '@/components/patterns/use-format';
import { basePath } from '@/lib/api-client';
import { AuthForm, EmailField } from './auth-form';
import { callbackPath } from './callback-path';
import { useCountdown } from './use-countdown';

/** Sign-in form; shows the remaining wait after too many attempts. */
export const SignInForm = ({ callbackUrl }: { callbackUrl: string | null }) => {
  const t = useTranslations('access.signIn');
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
  const submit = (fields: FormData) => {
    setPending(true);
    setRefused(false);
    setError(null);
    attempt(fields).catch((cause: unknown) => {
      setError(cause);
      setPending(false);
    });
  };
  return (
    <AuthForm title={t('title')} verb={t('submit')} pending={pending} disabled={wait > 0} onSubmit={submit}>
      <EmailField autoFocus />
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
    </AuthForm>
  );
};
