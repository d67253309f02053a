'use client';

import { NumberInput, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useCommand } from '@/components/patterns/use-command';
import { useFormat } from '@/components/patterns/use-format';
import { hitRateContracts, MAX_DUTY, type SamplingState } from '@/lib/hit-rates/schema';
import { ConsentQuestion, mergesFlags } from './consent';

interface SamplingDrawerProps {
  state: SamplingState;
  /** Turn on or change; false turns off. */
  on: boolean;
  opened: boolean;
  onClose: () => void;
}

/** Turns regular windows on or off, or changes how often they open. */
export const SamplingDrawer = ({ state, on, ...drawer }: SamplingDrawerProps) => {
  const t = useTranslations('hitRates.samplingDrawer');
  const change = useCommand(hitRateContracts.setSampling);
  const [every, setEvery] = useState(state.everySeconds);
  const [seconds, setSeconds] = useState(state.forSeconds);
  const [agreed, setAgreed] = useState<string | null>(null);
  const merges = on && mergesFlags(state);
  const within = seconds > 0 && every >= 5 && seconds / every <= MAX_DUTY + 1e-9;
  return (
    <FormDrawer
      operation={on ? 'hitRates.sample' : undefined}
      {...drawer}
      onClosed={() => setAgreed(null)}
      title={t(on ? 'titleOn' : 'titleOff')}
      verb={t(on ? 'verbOn' : 'verbOff')}
      needsConfirmation={merges}
      onReadOnly={!merges}
      blocked={on && (!within || (merges && agreed !== state.present))}
      change={change}
      input={(words) => ({
        on,
        ...(on && { everySeconds: every, forSeconds: seconds }),
        ...(merges && agreed !== null && { present: agreed }),
        ...words,
      })}
      done={() => t(on ? 'isOn' : 'isOff')}
    >
      {on ? (
        <Stack gap="md">
          <Text size="sm">{t('what')}</Text>
          <Duty every={every} seconds={seconds} onEvery={setEvery} onSeconds={setSeconds} within={within} />
          <ConsentQuestion state={state} asked={merges} agreed={agreed} onAgree={setAgreed} />
        </Stack>
      ) : (
        t('whatOff')
      )}
    </FormDrawer>
  );
};

interface DutyProps {
  every: number;
  seconds: number;
  onEvery: (seconds: number) => void;
  onSeconds: (seconds: number) => void;
  within: boolean;
}

const Duty = ({ every, seconds, onEvery, onSeconds, within }: DutyProps) => {
  const t = useTranslations('hitRates.samplingDrawer');
  const format = useFormat();
  return (
    <>
      <NumberInput
        label={t('for')}
        value={seconds}
        onChange={(value) => onSeconds(Number(value))}
        min={0.1}
        max={60}
        step={0.1}
        decimalScale={1}
        suffix={t('seconds')}
      />
      <NumberInput
        label={t('every')}
        value={every}
        onChange={(value) => onEvery(Number(value))}
        min={5}
        max={86_400}
        allowDecimal={false}
        suffix={t('seconds')}
        error={!within && t('tooMuch', { most: format.ratio(MAX_DUTY) })}
      />
      <Dimmed role="status">{t('duty', { share: format.ratio(every > 0 ? seconds / every : null) })}</Dimmed>
    </>
  );
};
