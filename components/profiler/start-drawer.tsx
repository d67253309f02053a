'use client';

import { Checkbox, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { familiesQuery } from '@/components/patterns/families-query';
import { FilterSelect } from '@/components/patterns/filter-select';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { showDuplicateJob } from '@/components/patterns/target-problems';
import { useCommand } from '@/components/patterns/use-command';
import { looksSecret } from '@/lib/keyspace/mask';
import { profilerContracts } from '@/lib/profiler/schema';
import { CostFacts, type Estimate, Obstacle } from './cost-facts';

interface StartDrawerProps {
  estimate: Estimate;
  opened: boolean;
  onClose: () => void;
  onJob: (jobId: string) => void;
}

const FIRST_SECONDS = 10;
const TEXTS = ['command', 'client', 'user', 'key'] as const;
const NO_FILTER = { family: '', command: '', client: '', user: '', key: '' };

/** Asks for consent to reading MONITOR: for how long, and what is counted. */
export const StartDrawer = ({ estimate, opened, onClose, onJob }: StartDrawerProps) => {
  const t = useTranslations('profiler.start');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const start = useCommand(profilerContracts.start, id);
  const families = useQuery(familiesQuery(id));
  const [seconds, setSeconds] = useState(FIRST_SECONDS);
  const [filter, setFilter] = useState(NO_FILTER);
  /** The estimate that the user agreed to: consent does not cover the cost of a load that rises later. */
  const [agreedTo, setAgreedTo] = useState<Estimate | null>(null);
  const shown = agreedTo ?? estimate;
  const set = (change: Partial<typeof NO_FILTER>) => setFilter((now) => ({ ...now, ...change }));
  const given = Object.fromEntries(
    Object.entries(filter).flatMap(([name, text]) => (text.trim() ? [[name, text.trim()]] : [])),
  );
  const isValid = Number.isInteger(seconds) && seconds >= 1 && seconds <= estimate.maxSeconds;
  const secret = Object.values(given).some((text) => looksSecret(text));
  return (
    <FormDrawer
      opened={opened}
      onClose={onClose}
      onClosed={() => {
        setAgreedTo(null);
        setFilter(NO_FILTER);
      }}
      title={t('title')}
      verb={t('verb', { seconds })}
      needsConfirmation
      onReadOnly
      blocked={agreedTo === null || !isValid || secret || estimate.monitor.allowed === false}
      change={start}
      input={(words) => ({
        seconds,
        filter: given,
        maxShare: shown.statedShare,
        consent: true as const,
        ...words,
      })}
      done={() => null}
      onDone={({ jobId }) => onJob(jobId)}
      onRefused={showDuplicateJob(start, onClose, onJob)}
    >
      <Stack gap="md">
        <Text size="sm">{t('what')}</Text>
        <CostFacts estimate={shown} />
        <Obstacle estimate={estimate} />
        <NumberInput
          label={tWord('seconds')}
          value={seconds}
          onChange={(value) => setSeconds(Number(value))}
          min={1}
          max={estimate.maxSeconds}
          allowDecimal={false}
        />
        <FilterSelect
          label={t('filter.family')}
          any={tWord('anyFamily')}
          data={[
            ...(families.data?.items ?? []).map(({ family, title }) => ({ value: family, label: title })),
            { value: 'unclassified', label: t('unclassified') },
          ]}
          value={filter.family}
          onChange={(family) => set({ family })}
          searchable
        />
        {TEXTS.map((name) => (
          <TextInput
            key={name}
            label={t(`filter.${name}`)}
            value={filter[name]}
            maxLength={100}
            error={looksSecret(filter[name]) ? t('secret') : null}
            onChange={(event) => set({ [name]: event.currentTarget.value })}
          />
        ))}
        <Checkbox
          label={t('agree')}
          checked={agreedTo !== null}
          onChange={(event) => setAgreedTo(event.currentTarget.checked ? estimate : null)}
        />
      </Stack>
    </FormDrawer>
  );
};
