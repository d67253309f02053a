'use client';

import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type FormEvent, useState } from 'react';
import { HostileText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { Strong } from '@/components/patterns/strong';
import type { Flag } from '@/lib/flags/schema';
import { ChangedMeanwhile, FlagDeleted, isDeleted, presentOf } from './changed-meanwhile';

interface FlagQuestionProps {
  seen: Flag;
  /** The change needs approval: submitting creates a request. */
  needsApproval: boolean;
  pending: boolean;
  error: unknown;
  onSubmit: (enabled: boolean, etag: string, reason: string) => void;
  onClose: () => void;
}

/** "Turn FEATURE_X on?", with an optional reason. After a 412 it shows both values. */
export const FlagQuestion = ({
  seen,
  needsApproval,
  pending,
  error,
  onSubmit,
  onClose,
}: FlagQuestionProps) => {
  const t = useTranslations('flags.question');
  const tWord = useTranslations('words');
  const [reason, setReason] = useState('');
  const wanted = !seen.enabled;
  const present = presentOf(error);
  const gone = isDeleted(error);
  const possible = !gone && (present === null || present.enabled === !wanted);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(wanted, present?.etag ?? seen.etag, reason.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Strong component="div">
          {t.rich(wanted ? 'on' : 'off', { name: () => <HostileText max={60}>{seen.name}</HostileText> })}
        </Strong>
        {present ? (
          <ChangedMeanwhile seen={seen} present={present.raw} wanted={t(wanted ? 'wantOn' : 'wantOff')} />
        ) : (
          <Text size="sm">{t(needsApproval ? 'consequenceRequest' : 'consequence')}</Text>
        )}
        {gone ? (
          <FlagDeleted name={seen.name} />
        ) : (
          !present && error !== null && <ProblemAlert error={error} />
        )}
        <TextInput
          label={tWord('reason')}
          description={t(needsApproval ? 'reasonHintRequest' : 'reasonHint')}
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
                needsApproval
                  ? wanted
                    ? 'requestOn'
                    : 'requestOff'
                  : present
                    ? wanted
                      ? 'turnOnAnyway'
                      : 'turnOffAnyway'
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
