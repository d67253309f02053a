'use client';

import { Radio, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { showDuplicateJob } from '@/components/patterns/target-problems';
import { useCommand } from '@/components/patterns/use-command';
import { analysisContracts } from '@/lib/analysis/schema';

interface AnalyseDrawerProps {
  opened: boolean;
  onClose: () => void;
  onJob: (jobId: string) => void;
}

const WAYS = ['sampled', 'exact'] as const;
type Way = (typeof WAYS)[number];

/** How memory is measured, and what that costs the server. */
export const AnalyseDrawer = ({ opened, onClose, onJob }: AnalyseDrawerProps) => {
  const t = useTranslations('analysis.analyse');
  const tAnalysis = useTranslations('analysis');
  const start = useCommand(analysisContracts.start);
  const [way, setWay] = useState<Way>('sampled');
  return (
    <FormDrawer
      opened={opened}
      onClose={onClose}
      onClosed={() => setWay('sampled')}
      title={tAnalysis('actions.analysis-start')}
      verb={t('verb')}
      onReadOnly
      change={start}
      input={(words) => ({ ...words, ...(way === 'exact' && { exact: true }) })}
      done={() => null}
      onDone={({ jobId }) => onJob(jobId)}
      onRefused={showDuplicateJob(start, onClose, onJob)}
    >
      <Stack gap="md">
        <Text size="sm">{t('what')}</Text>
        <Radio.Group label={t('way')} value={way} onChange={(next) => setWay(next as Way)}>
          <Stack gap="sm" mt="xs">
            {WAYS.map((each) => (
              <Radio
                key={each}
                value={each}
                label={t(`ways.${each}.name`)}
                description={t(`ways.${each}.cost`)}
              />
            ))}
          </Stack>
        </Radio.Group>
      </Stack>
    </FormDrawer>
  );
};
