'use client';

import { Alert, Checkbox, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { SamplingState } from '@/lib/caches/hit-rates/schema';
import { Flags } from './flags';

interface ConsentProps {
  state: SamplingState;
  /** Whether it must be agreed to now: consent given before stands while the value stays. */
  asked: boolean;
  /** The exact present value that was agreed to; null until then. */
  agreed: string | null;
  onAgree: (present: string | null) => void;
}

/** Whether flags have to be merged in. */
export const mergesFlags = ({ nodes }: SamplingState): boolean => nodes.some(({ sufficient }) => !sufficient);

/** What would be changed on the server, to the letter, and the word that it may be. */
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
