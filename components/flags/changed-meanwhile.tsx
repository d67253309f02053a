'use client';

import { Alert, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { Facts } from '@/components/patterns/facts';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { withFields } from '@/components/patterns/with-fields';
import { ApiProblem } from '@/lib/api-client';
import type { Flag } from '@/lib/flags/schema';

/** The flag's current state, as a 412 response holds it. */
type PresentState = Pick<Flag, 'etag' | 'enabled' | 'raw'>;

export const presentOf = (error: unknown) =>
  error instanceof ApiProblem && error.code === 'changed'
    ? withFields<PresentState>(error.document, 'etag', 'enabled', 'raw')
    : null;

export const isDeleted = (error: unknown): boolean => error instanceof ApiProblem && error.status === 404;

interface ChangedMeanwhileProps {
  seen: Flag;
  present: string | null;
  /** The change the user was about to make, in words. */
  wanted: ReactNode;
}

/** Someone else changed the flag first: the value seen, the current value, and the intended change. */
export const ChangedMeanwhile = ({ seen, present, wanted }: ChangedMeanwhileProps) => {
  const t = useTranslations('flags.question');
  const tWord = useTranslations('words');
  return (
    <Alert color="orange" role="alert" title={t('changed')}>
      <Facts
        facts={[
          { label: tWord('before'), value: <KeyText max={60}>{seen.raw}</KeyText> },
          { label: tWord('now'), value: <KeyText max={60}>{present}</KeyText> },
          { label: t('youWant'), value: wanted },
        ]}
      />
    </Alert>
  );
};

/** The flag was deleted while its drawer or form was open. */
export const FlagDeleted = ({ name }: { name: string }) => {
  const t = useTranslations('flags.deleted');
  return (
    <Alert color="orange" role="alert" title={t('title')}>
      <Text size="sm">{t.rich('text', { name: () => <HostileText max={80}>{name}</HostileText> })}</Text>
    </Alert>
  );
};
