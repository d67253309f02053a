'use client';

import { Anchor, Loader, Stack, Text, TextInput, Title } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useEffect, useState } from 'react';
import { signIn } from '@/components/patterns/credentials';
import { Dimmed } from '@/components/patterns/dimmed';
import { fieldError } from '@/components/patterns/field-error';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { AbsoluteTime } from '@/components/patterns/relative-time';
import { useCommand } from '@/components/patterns/use-command';
import { ApiProblem, basePath } from '@/lib/api-client';
import type { Result } from '@/lib/contract';
import { linkContracts } from '@/lib/users/invitations/schema';
import { AuthForm } from './auth-form';
import { NewPassword } from './new-password';

/** Removes the code from the address, so that neither the history nor a copied address contains it. */
const takeCode = (): string => {
  const code = window.location.hash.slice(1);
  if (code) window.history.replaceState(null, '', window.location.pathname + window.location.search);
  return code;
};

/** The code of the link that was opened; null until the browser has read it, '' without one. */
const useCode = (): string | null => {
  const [code, setCode] = useState<string | null>(null);
  useEffect(() => {
    // Development builds run effects twice, and by the second run the code is gone.
    const read = () => {
      const taken = takeCode();
      setCode((before) => taken || (before ?? ''));
    };
    read();
    // Opening another link in the same tab does not reload the page.
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, []);
  return code;
};

const isEnded = (error: unknown): boolean => error instanceof ApiProblem && error.status === 404;

/** The page of an invitation, or of a link that resets a password. */
export const InvitationForm = () => {
  const t = useTranslations('access.invitation');
  const code = useCode();
  const look = useCommand(linkContracts.get, undefined, { gcTime: 0 });
  const { mutate } = look;
  useEffect(() => {
    if (code) mutate({ code });
  }, [code, mutate]);
  if (code === '') return <NoLink title={t('title')}>{t('missing')}</NoLink>;
  if (isEnded(look.error)) return <NoLink title={t('title')}>{t('ended')}</NoLink>;
  if (code && look.error)
    return (
      <Stack gap="md">
        <Title order={1} fz="xl">
          {t('title')}
        </Title>
        <ProblemAlert error={look.error} onRetry={() => mutate({ code })} />
      </Stack>
    );
  if (!code || !look.data) return <Loader role="status" aria-label={t('title')} />;
  return <Accept key={code} code={code} link={look.data} />;
};

const NoLink = ({ title, children }: { title: string; children: string }) => {
  const t = useTranslations('access.signIn');
  return (
    <Stack gap="md">
      <Title order={1} fz="xl">
        {title}
      </Title>
      <Text size="sm">{children}</Text>
      <Anchor href={`${basePath()}/sign-in`} size="sm">
        {t('title')}
      </Anchor>
    </Stack>
  );
};

interface AcceptProps {
  code: string;
  link: Result<typeof linkContracts.get>;
}

const Accept = ({ code, link: { email, kind, linkUntil } }: AcceptProps) => {
  const t = useTranslations('access.invitation');
  const tWord = useTranslations('words');
  const accept = useCommand(linkContracts.accept, undefined, {
    gcTime: 0,
    onSuccess: async (_answer, { password }) => {
      const answer = await signIn(email, password).catch(() => null);
      window.location.assign(`${basePath()}${answer?.ok ? '/' : '/sign-in'}`);
    },
  });
  if (isEnded(accept.error)) return <NoLink title={t('title')}>{t('ended')}</NoLink>;
  const wrong = fieldError(accept.error, 'password');
  return (
    <AuthForm
      title={t('title')}
      sentence={t(kind)}
      verb={t('submit')}
      pending={accept.isPending || accept.isSuccess}
      onSubmit={(fields) => accept.mutate({ code, password: String(fields.get('password') ?? '') })}
    >
      <TextInput name="email" label={tWord('email')} value={email} autoComplete="username" readOnly />
      <NewPassword name="password" label={tWord('password')} error={wrong} />
      <Dimmed>{t.rich('until', { time: () => <AbsoluteTime at={linkUntil} /> })}</Dimmed>
      {!wrong && <ProblemAlert error={accept.error} />}
    </AuthForm>
  );
};
