'use client';

import { Button, Stack, TextInput, Title } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { FormEvent, ReactNode } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';

interface AuthFormProps {
  title: string;
  sentence: string;
  /** Fields and error messages. */
  children: ReactNode;
  verb: string;
  pending: boolean;
  onSubmit: (fields: FormData) => void;
}

/** Form of the set-up page: title, fields and one button. */
export const AuthForm = ({ title, sentence, children, verb, pending, onSubmit }: AuthFormProps) => {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(new FormData(event.currentTarget));
  };
  return (
    <form method="post" onSubmit={submit}>
      <Stack gap="md">
        <div>
          <Title order={1} fz="xl">
            {title}
          </Title>
          <Dimmed mt={4}>{sentence}</Dimmed>
        </div>
        {children}
        <Button type="submit" fullWidth loading={pending}>
          {verb}
        </Button>
      </Stack>
    </form>
  );
};

/** E-mail address used to sign in. */
export const EmailField = ({ error }: { error: string | undefined }) => {
  const tWord = useTranslations('words');
  return (
    <TextInput
      name="email"
      type="email"
      label={tWord('email')}
      autoComplete="username"
      maxLength={254}
      required
      error={error}
    />
  );
};
