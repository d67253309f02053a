'use client';

import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type FormEvent, useState } from 'react';
import { HostileText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import type { Flag } from '@/lib/flags/schema';
import { ChangedMeanwhile, FlagGone, isGone, presentOf } from './changed-meanwhile';

interface FlagQuestionProps {
  seen: Flag;
  /** It is asked for, and somebody else approves it. */
  asking: boolean;
  pending: boolean;
  error: unknown;
  onSubmit: (enabled: boolean, etag: string, reason: string) => void;
  onClose: () => void;
}

/** "Turn FEATURE_X on?", with an optional reason; and, when somebody was quicker, both values. */
export const FlagQuestion = ({ seen, asking, pending, error, onSubmit, onClose }: FlagQuestionProps) => {
  const t = useTranslations('flags.question');
  const [reason, setReason] = useState('');
  const wanted = !seen.enabled;
  const present = presentOf(error);
  const gone = isGone(error);
  const possible = !gone && (present === null || present.enabled === !wanted);
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
          <ChangedMeanwhile seen={seen} present={present.raw} wanted={t(wanted ? 'wantOn' : 'wantOff')} />
        ) : (
          <Text size="sm">{t(asking ? 'consequenceAsking' : 'consequence')}</Text>
        )}
        {gone ? <FlagGone name={seen.name} /> : !present && error !== null && <ProblemAlert error={error} />}
        <TextInput
          label={t('reason')}
          description={t(asking ? 'reasonHintAsking' : 'reasonHint')}
          value={reason}
          maxLength={500}
          onChange={(event) => setReason(event.currentTarget.value)}
          data-autofocus
        />
        <Group justify="flex-end" gap="xs">
          <Button size="xs" variant="default" onClick={onClose} disabled={pending}>
            {t(present ? 'keep' : 'cancel')}
          </Button>
          {possible && (
            <Button size="xs" type="submit" loading={pending}>
              {t(
                asking
                  ? wanted
                    ? 'askOn'
                    : 'askOff'
                  : present
                    ? wanted
                      ? 'onAllTheSame'
                      : 'offAllTheSame'
                    : wanted
                      ? 'turnOn'
                      : 'turnOff',
              )}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
};
