'use client';

import { Select, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useCommand } from '@/components/patterns/use-command';
import { analysisContracts, SCHEDULES } from '@/lib/analysis/schema';
import { analysisQueries } from './queries';

interface ScheduleDrawerProps {
  opened: boolean;
  onClose: () => void;
}

type Every = (typeof SCHEDULES)[number];

/** How often this connection is analysed by itself. */
export const ScheduleDrawer = ({ opened, onClose }: ScheduleDrawerProps) => {
  const t = useTranslations('analysis.schedule');
  const { id } = useConnection();
  const { data: current, error } = useQuery({ ...analysisQueries.schedule(id), enabled: opened });
  const change = useCommand(analysisContracts.scheduleSet);
  const [draft, setDraft] = useState<{ every?: Every; at?: string }>({});
  const every = draft.every ?? current?.every ?? 'off';
  const at = draft.at ?? current?.at ?? '';
  return (
    <FormDrawer
      opened={opened}
      onClose={onClose}
      onClosed={() => setDraft({})}
      title={t('title')}
      verb={t('verb')}
      onReadOnly
      blocked={current === undefined || at === ''}
      change={change}
      input={(words) => ({ ...words, every, at })}
      done={({ every }) => t(every === 'off' ? 'savedOff' : 'saved')}
    >
      <Stack gap="md">
        <Text size="sm">{t('what')}</Text>
        {current ? (
          <>
            <Select
              label={t('every')}
              data={SCHEDULES.map((value) => ({ value, label: t(`everyOf.${value}`) }))}
              value={every}
              onChange={(value) => setDraft({ ...draft, every: (value ?? every) as Every })}
              allowDeselect={false}
            />
            <TextInput
              type="time"
              label={t('at')}
              description={t(`atHint.${every}`)}
              value={at}
              disabled={every === 'off'}
              onChange={(event) => setDraft({ ...draft, at: event.currentTarget.value })}
            />
            <Dimmed>
              {current.nextAt
                ? t.rich('next', { when: () => <RelativeTime at={current.nextAt} /> })
                : t('noNext')}
            </Dimmed>
          </>
        ) : error ? (
          <ProblemAlert error={error} />
        ) : (
          <Skeleton height={150} />
        )}
      </Stack>
    </FormDrawer>
  );
};
