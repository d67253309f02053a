'use client';

import { TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { signIn } from '@/components/patterns/credentials';
import { fieldError } from '@/components/patterns/field-error';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { useCommand } from '@/components/patterns/use-command';
import { basePath } from '@/lib/api-client';
import { accountContracts } from '@/lib/users/schema';
import { AuthForm, EmailField } from './auth-form';
import { NewPassword } from './new-password';

/** First visit: creates the first admin. The set-up code in Keyward's output proves access to the server. */
export const SetupForm = () => {
  const t = useTranslations('access.setup');
  const tWord = useTranslations('words');
  const setup = useCommand(accountContracts.setup, undefined, {
    onSuccess: async (_answer, input) => {
      const answer = await signIn(input.email, input.password).catch(() => null);
      window.location.assign(`${basePath()}${answer?.ok ? '/setup/hit-rates' : '/sign-in'}`);
    },
  });
  const submit = (fields: FormData) => {
    const text = (name: string) => String(fields.get(name) ?? '').trim();
    setup.mutate({
      code: text('code'),
      email: text('email'),
      name: text('name'),
      password: String(fields.get('password') ?? ''),
    });
  };
  return (
    <AuthForm
      title={t('title')}
      sentence={t('sentence')}
      verb={t('submit')}
      pending={setup.isPending || setup.isSuccess}
      onSubmit={submit}
    >
      <TextInput
        name="code"
        label={t('code')}
        description={t('codeHint')}
        autoComplete="one-time-code"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={100}
        required
        error={fieldError(setup.error, 'code')}
      />
      <TextInput
        name="name"
        label={t('name')}
        autoComplete="name"
        maxLength={120}
        required
        error={fieldError(setup.error, 'name')}
      />
      <EmailField error={fieldError(setup.error, 'email')} />
      <NewPassword name="password" label={tWord('password')} error={fieldError(setup.error, 'password')} />
      <ProblemAlert error={setup.error} />
    </AuthForm>
  );
};
