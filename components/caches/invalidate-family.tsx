'use client';

import { Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { KeyText } from '@/components/patterns/hostile-text';
import type { FamilyRow } from '@/lib/insights/schema';
import { Invalidation } from './invalidation';

interface InvalidateFamilyProps {
  family: FamilyRow;
  opened: boolean;
  onClose: () => void;
  onJob: (jobId: string) => void;
}

const TYPING_MS = 400;

const given = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

/** Deletes a family's keys, all or those whose parameters are given. */
export const InvalidateFamily = ({ family, opened, onClose, onJob }: InvalidateFamilyProps) => {
  const t = useTranslations('caches');
  const [values, setValues] = useState<Record<string, string>>({});
  const [settled] = useDebouncedValue(values, TYPING_MS);
  const target = useMemo(() => {
    const params = given(settled);
    return { family: family.family, ...(Object.keys(params).length > 0 ? { params } : {}) };
  }, [family.family, settled]);
  return (
    <Invalidation
      opened={opened}
      title={t('familyTitle', { family: family.title })}
      target={target}
      unsettled={values !== settled}
      onClose={onClose}
      onJob={onJob}
    >
      {(problems) => (
        <Stack gap="sm">
          <Text size="sm">{family.purpose}</Text>
          <div>
            <KeyText>{family.pattern}</KeyText>
          </div>
          {family.params.map((name) => (
            <TextInput
              key={name}
              label={name}
              description={t('parameterHint')}
              placeholder="*"
              value={values[name] ?? ''}
              error={problems.get(name)}
              onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
              maxLength={500}
              data-autofocus
              autoComplete="off"
              spellCheck={false}
            />
          ))}
        </Stack>
      )}
    </Invalidation>
  );
};
