'use client';

import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import type { FormEvent } from 'react';
import { Modal } from '@/components/patterns/drawer';
import { fieldError } from '@/components/patterns/field-error';
import { askForPasskey } from '@/components/patterns/passkey';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { useCommand } from '@/components/patterns/use-command';
import { call } from '@/lib/api-client';
import { secondFactorContracts } from '@/lib/users/second-factor/schema';

const { beginStepUp, stepUp } = secondFactorContracts;

/** Asks for the second factor again, before a change that needs it. */
export const StepUpDialog = ({ onAnswer }: { onAnswer: (isGiven: boolean) => void }) => {
  const t = useTranslations('secondFactor');
  const tWord = useTranslations('words');
  const choices = useQuery({
    queryKey: [beginStepUp.id],
    queryFn: () => call(beginStepUp, {}),
    gcTime: 0,
  });
  const give = useCommand(stepUp, undefined, { gcTime: 0, onSuccess: () => onAnswer(true) });
  const wrong = fieldError(give.error, 'code');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // For React a dialog is inside what opened it, whose form would be submitted too.
    event.stopPropagation();
    const code = String(new FormData(event.currentTarget).get('code'));
    give.mutate({ factor: { code } });
  };
  const passkey = choices.data?.passkey;
  const ask = async () => {
    if (!passkey) return;
    const factor = await askForPasskey(passkey);
    if (factor) give.mutate({ factor });
  };
  return (
    <Modal opened onClose={() => onAnswer(false)} title={t('again')} centered>
      <form method="post" onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">{t('againNote')}</Text>
          {passkey && (
            <Button variant="default" onClick={() => void ask()} loading={give.isPending}>
              {t('usePasskey')}
            </Button>
          )}
          {(choices.data?.code ?? true) && (
            <TextInput
              name="code"
              label={t('code')}
              autoComplete="one-time-code"
              spellCheck={false}
              maxLength={64}
              minLength={6}
              required
              data-autofocus
              error={wrong && t('wrongCode')}
            />
          )}
          {!wrong && <ProblemAlert error={give.error ?? choices.error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => onAnswer(false)}>
              {tWord('cancel')}
            </Button>
            <Button type="submit" loading={give.isPending}>
              {t('confirm')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
};
