'use client';

import { Alert, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { Facts } from '@/components/patterns/facts';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { ApiProblem } from '@/lib/api-client';
import { type Flag, flag as flagSchema } from '@/lib/flags/schema';

/** What the server says the flag is now, in its answer 412. */
const presentState = flagSchema.pick({ etag: true, enabled: true, raw: true });

export const presentOf = (error: unknown) =>
  error instanceof ApiProblem && error.code === 'changed'
    ? (presentState.safeParse(error.document).data ?? null)
    : null;

export const isGone = (error: unknown): boolean => error instanceof ApiProblem && error.status === 404;

interface ChangedMeanwhileProps {
  seen: Flag;
  present: string | null;
  /** What was about to be done, in words. */
  wanted: ReactNode;
}

/** Somebody was quicker: what was seen, what is there now, and what was wanted. */
export const ChangedMeanwhile = ({ seen, present, wanted }: ChangedMeanwhileProps) => {
  const t = useTranslations('flags.question');
  return (
    <Alert color="orange" role="alert" title={t('changed')}>
      <Facts
        facts={[
          { label: t('youSaw'), value: <KeyText max={60}>{seen.raw}</KeyText> },
          { label: t('now'), value: <KeyText max={60}>{present}</KeyText> },
          { label: t('youWant'), value: wanted },
        ]}
      />
    </Alert>
  );
};

/** Somebody deleted the flag while something of it was open. */
export const FlagGone = ({ name }: { name: string }) => {
  const t = useTranslations('flags.gone');
  return (
    <Alert color="orange" role="alert" title={t('title')}>
      <Text size="sm">{t.rich('text', { name: () => <HostileText max={80}>{name}</HostileText> })}</Text>
    </Alert>
  );
};
