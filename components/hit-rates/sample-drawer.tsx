'use client';

import { NumberInput, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useCommand } from '@/components/patterns/use-command';
import type { SamplingState } from '@/lib/hit-rates/schema';
import { hitRateContracts } from '@/lib/hit-rates/schema';
import { ConsentQuestion, mergesFlags } from './consent';

interface SampleDrawerProps {
  state: SamplingState;
  opened: boolean;
  onClose: () => void;
  /** The sample runs. */
  onJob: (jobId: string) => void;
}

const FIRST_SECONDS = 5;

/** Confirms one sample, which runs now as a job. */
export const SampleDrawer = ({ state, onJob, ...drawer }: SampleDrawerProps) => {
  const t = useTranslations('hitRates.sampleDrawer');
  const tWord = useTranslations('words');
  const take = useCommand(hitRateContracts.sample);
  const [seconds, setSeconds] = useState(FIRST_SECONDS);
  const [agreed, setAgreed] = useState<string | null>(null);
  const merges = mergesFlags(state);
  const asked = merges && state.needsConsent;
  return (
    <FormDrawer
      {...drawer}
      onClosed={() => setAgreed(null)}
      title={t('title')}
      verb={t('verb', { seconds })}
      needsConfirmation={merges}
      onReadOnly={!merges}
      blocked={!(seconds >= 0.1 && seconds <= 60) || (asked && agreed !== state.present)}
      change={take}
      input={(words) => ({ seconds, ...(asked && agreed !== null && { present: agreed }), ...words })}
      done={() => null}
      onDone={({ jobId }) => onJob(jobId)}
    >
      <Stack gap="md">
        <Text size="sm">{t('what')}</Text>
        <NumberInput
          label={tWord('seconds')}
          value={seconds}
          onChange={(value) => setSeconds(Number(value))}
          min={0.1}
          max={60}
          decimalScale={1}
        />
        <Dimmed>{t('stops', { seconds })}</Dimmed>
        <ConsentQuestion state={state} asked={asked} agreed={agreed} onAgree={setAgreed} />
      </Stack>
    </FormDrawer>
  );
};
