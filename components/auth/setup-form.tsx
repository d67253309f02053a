'use client';

import { Button, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import type { FormEvent } from 'react';
import { signIn } from '@/components/patterns/credentials';
import { fieldError } from '@/components/patterns/field-error';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { basePath } from '@/lib/api-client';
import { NewPassword } from './new-password';
import { accountMutations } from './queries';

/** The first visit: whoever can read the console's own output makes the first admin. */
export const SetupForm = () => {
  const t = useTranslations('auth.setup');
  const setup = useMutation({
    ...accountMutations.setup(),
    onSuccess: async (_answer, input) => {
      const answer = await signIn(input.email, input.password).catch(() => null);
      window.location.assign(`${basePath()}${answer?.ok ? '/' : '/sign-in'}`);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    setup.mutate({
      code: text('code'),
      email: text('email'),
      name: text('name'),
      password: String(form.get('password') ?? ''),
    });
  };
  return (
    <form method="post" onSubmit={submit}>
      <Stack gap="md">
        <div>
          <Title order={1} fz="xl">
            {t('title')}
          </Title>
          <Text size="sm" c="dimmed" mt={4}>
            {t('sentence')}
          </Text>
        </div>
        <TextInput
          name="code"
          label={t('code')}
          description={t('codeHint')}
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={100}
          required
          withAsterisk={false}
          error={fieldError(setup.error, 'code')}
        />
        <TextInput
          name="name"
          label={t('name')}
          autoComplete="name"
          maxLength={120}
          required
          withAsterisk={false}
          error={fieldError(setup.error, 'name')}
        />
        <TextInput
          name="email"
          type="email"
          label={t('email')}
          autoComplete="username"
          maxLength={254}
          required
          withAsterisk={false}
          error={fieldError(setup.error, 'email')}
        />
        <NewPassword name="password" label={t('password')} error={fieldError(setup.error, 'password')} />
        <ProblemAlert error={setup.error} />
        <Button type="submit" fullWidth loading={setup.isPending || setup.isSuccess}>
          {t('submit')}
        </Button>
      </Stack>
    </form>
  );
};
