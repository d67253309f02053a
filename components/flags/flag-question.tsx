'use client';

import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type FormEvent, useState } from 'react';
import { Facts } from '@/components/patterns/facts';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { ApiProblem } from '@/lib/api-client';
import { type Flag, flag as flagSchema } from '@/lib/flags/schema';

/** What the server says the flag is now, in its answer 412. */
const presentState = flagSchema.pick({ etag: true, enabled: true, raw: true });

const presentOf = (error: unknown) =>
  error instanceof ApiProblem && error.code === 'changed'
    ? (presentState.safeParse(error.document).data ?? null)
    : null;

interface FlagQuestionProps {
  seen: Flag;
  pending: boolean;
  error: unknown;
  onSubmit: (enabled: boolean, etag: string, reason: string) => void;
  onClose: () => void;
}

/** "Turn FEATURE_X on?", with an optional reason; and, when somebody was quicker, both values. */
export const FlagQuestion = ({ seen, pending, error, onSubmit, onClose }: FlagQuestionProps) => {
  const t = useTranslations('flags.question');
  const [reason, setReason] = useState('');
  const wanted = !seen.enabled;
  const present = presentOf(error);
  const isThereAlready = present?.enabled === wanted;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(wanted, present?.etag ?? seen.etag, reason.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm" fw={600} component="div">
          {t.rich(wanted ? 'on' : 'off', { name: () => <HostileText max={60}>{seen.name}</HostileText> })}
        </Text>
        {present ? (
          <ChangedMeanwhile seen={seen} present={present.raw} wanted={wanted} />
        ) : (
          <Text size="sm">{t('consequence')}</Text>
        )}
        {!present && error !== null && <ProblemAlert error={error} />}
        <TextInput
          label={t('reason')}
          description={t('reasonHint')}
          value={reason}
          maxLength={500}
          onChange={(event) => setReason(event.currentTarget.value)}
          data-autofocus
        />
        <Group justify="flex-end" gap="xs">
          <Button size="xs" variant="default" onClick={onClose} disabled={pending}>
            {t(present ? 'keep' : 'cancel')}
          </Button>
          {!isThereAlready && present?.enabled !== null && (
            <Button size="xs" type="submit" loading={pending}>
              {t(present ? (wanted ? 'onAllTheSame' : 'offAllTheSame') : wanted ? 'turnOn' : 'turnOff')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
};

interface ChangedMeanwhileProps {
  seen: Flag;
  present: string | null;
  wanted: boolean;
}

const ChangedMeanwhile = ({ seen, present, wanted }: ChangedMeanwhileProps) => {
  const t = useTranslations('flags.question');
  return (
    <Alert color="orange" role="alert" title={t('changed')}>
      <Facts
        facts={[
          { label: t('youSaw'), value: <KeyText max={60}>{seen.raw}</KeyText> },
          { label: t('now'), value: <KeyText max={60}>{present}</KeyText> },
          { label: t('youWant'), value: t(wanted ? 'wantOn' : 'wantOff') },
        ]}
      />
    </Alert>
  );
};
