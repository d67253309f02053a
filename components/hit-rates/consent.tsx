'use client';

import { Alert, Checkbox, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { SamplingState } from '@/lib/hit-rates/schema';
import { Flags } from './flags';

interface ConsentProps {
  state: SamplingState;
  /** Whether agreement is needed now: earlier consent holds as long as the value is the same. */
  asked: boolean;
  /** The exact present value that was agreed to; null before. */
  agreed: string | null;
  onAgree: (present: string | null) => void;
}

/** Whether a window has to change the flags. */
export const mergesFlags = ({ nodes }: SamplingState): boolean => nodes.some(({ sufficient }) => !sufficient);

/** The exact change on the server, with a checkbox to agree to it. */
export const ConsentQuestion = ({ state, asked, agreed, onAgree }: ConsentProps) => {
  const t = useTranslations('hitRates.consent');
  if (!asked)
    return (
      <Text size="sm" component="div">
        {t(mergesFlags(state) ? 'agreed' : 'nothing')} <Flags nodes={state.nodes} />
      </Text>
    );
  const changed = agreed !== null && agreed !== state.present;
  return (
    <Alert color={changed ? 'red' : 'orange'} title={t('title')}>
      <Stack gap="xs">
        <Flags nodes={state.nodes} />
        <Text size="sm">{t('why')}</Text>
        {changed && <Text size="sm">{t('changed')}</Text>}
        <Checkbox
          label={t('agree')}
          checked={agreed !== null && !changed}
          disabled={state.present === null}
          onChange={(event) => onAgree(event.currentTarget.checked ? state.present : null)}
        />
      </Stack>
    </Alert>
  );
};
