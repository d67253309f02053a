'use client';

import { Button, Checkbox, Code, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { useFormat } from '@/components/patterns/use-format';
import type { SamplingState } from '@/lib/hit-rates/schema';
import classes from './hit-rates.module.css';
import { useAnswerSampling } from './queries';

export type SamplingQuestionOf = NonNullable<SamplingState['question']>;

/** A connection that nobody has answered for yet. */
export interface Undecided {
  id: string;
  name: string;
  question: SamplingQuestionOf;
}

interface SamplingConsentProps {
  connections: readonly Undecided[];
  onAnswered?: () => void;
}

/** Asks whether hit rates by family may be measured: what that gives, what it changes on each server, what it costs. */
export const SamplingConsent = ({ connections, onAnswered }: SamplingConsentProps) => {
  const t = useTranslations('hitRates.question');
  const answer = useAnswerSampling();
  const [excluded, setExcluded] = useState<readonly string[]>([]);
  const chosen = connections.filter(({ id }) => !excluded.includes(id));
  const several = connections.length > 1;
  const send = (accepted: readonly Undecided[]) =>
    answer.mutate(
      connections.map(({ id, question }) => ({
        connection: id,
        on: accepted.some((each) => each.id === id),
        present: question.changes[0]?.present,
      })),
      {
        onSuccess: () => {
          notifications.show({
            message: t('answered', { count: accepted.length, name: accepted[0]?.name ?? '' }),
          });
          onAnswered?.();
        },
      },
    );
  return (
    <Stack gap="sm" data-testid="sampling-consent">
      <Text size="sm">{t('gives')}</Text>
      {connections.map(({ id, name, question }) => (
        <div key={id} className={classes.asked}>
          {several && (
            <Checkbox
              label={<strong>{name}</strong>}
              aria-label={t('choose', { name })}
              checked={!excluded.includes(id)}
              onChange={(event) =>
                setExcluded(
                  event.currentTarget.checked ? excluded.filter((each) => each !== id) : [...excluded, id],
                )
              }
            />
          )}
          <Changes question={question} />
          <Cost question={question} />
        </div>
      ))}
      <Dimmed>{t('privacy')}</Dimmed>
      <ProblemAlert error={answer.error} />
      <Group gap="sm">
        <Button loading={answer.isPending} disabled={chosen.length === 0} onClick={() => send(chosen)}>
          {t('accept', { count: chosen.length, name: chosen[0]?.name ?? '' })}
        </Button>
        <Button variant="default" disabled={answer.isPending} onClick={() => send([])}>
          {t('decline')}
        </Button>
        <Dimmed size="xs">{t('declineNote')}</Dimmed>
      </Group>
    </Stack>
  );
};

/** What changes on each primary, to the letter. */
const Changes = ({ question: { changes, because } }: { question: SamplingQuestionOf }) => {
  const t = useTranslations('hitRates.question');
  const value = (text: string) => (text === '' ? t('empty') : <Code>{text}</Code>);
  return (
    <>
      {because.includes('production') && <Text size="sm">{t('production')}</Text>}
      {changes.length === 0 && <Text size="sm">{t('nothingChanges')}</Text>}
      {changes.map(({ node, setting, present, during, after }) => (
        <Text key={node} size="sm" data-testid="sampling-change">
          {changes.length > 1 && t('node', { node })}
          {t.rich('changes', {
            code: (text) => <Code>{text}</Code>,
            setting,
            present: () => value(present),
            during: () => value(during),
            after: () => value(after),
          })}
        </Text>
      ))}
    </>
  );
};

const Cost = ({ question: { cost } }: { question: SamplingQuestionOf }) => {
  const t = useTranslations('hitRates.question');
  const format = useFormat();
  return (
    <Text size="sm">
      {t('cost', {
        seconds: format.number(cost.forSeconds, 2),
        every: format.duration(cost.everySeconds),
        share: format.ratio(cost.shareOfTime),
        pipelined: format.ratio(cost.throughputLoss.pipelined),
        single: format.ratio(cost.throughputLoss.single),
        latency: format.ms(cost.maxAddedLatencyMs),
      })}
    </Text>
  );
};
