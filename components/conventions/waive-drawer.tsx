'use client';

import { Select, Stack, Textarea } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useNow } from '@/components/patterns/now';
import { TimeField } from '@/components/patterns/time-field';
import { useCommand } from '@/components/patterns/use-command';
import type { RuleReport } from '@/lib/conventions/schema';
import { conventionContracts } from '@/lib/conventions/schema';

interface WaiveDrawerProps {
  rule: RuleReport;
  opened: boolean;
  onClose: () => void;
}

/** The server's limit. */
const MAX_WHY = 500;

/** Accepts the violations of a rule until a date, of one family or of all keys. */
export const WaiveDrawer = ({ rule, opened, onClose }: WaiveDrawerProps) => {
  const t = useTranslations('conventions.waive');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const now = useNow() ?? 0;
  const waive = useCommand(conventionContracts.waive, id);
  const [family, setFamily] = useState<string | null>(null);
  const [why, setWhy] = useState('');
  const [until, setUntil] = useState('');
  const isPast = until !== '' && Date.parse(until) <= now;
  const clear = () => {
    setFamily(null);
    setWhy('');
    setUntil('');
  };
  return (
    <FormDrawer
      opened={opened}
      onClose={onClose}
      onClosed={clear}
      inAddress
      onReadOnly
      withReason={false}
      title={t('title', { rule: rule.title })}
      verb={t('verb')}
      stays="asItIs"
      staysValid={t('stays')}
      change={waive}
      blocked={why.trim() === '' || until === '' || isPast}
      input={(words) => ({
        ...words,
        rule: rule.id,
        ...(family !== null && { family }),
        why: why.trim(),
        until,
      })}
      done={() => t('done', { rule: rule.title })}
    >
      <Stack gap="md">
        <span>{t('consequence')}</span>
        <Select
          label={tWord('family')}
          placeholder={t('allKeys')}
          data={rule.families.map((row) => row.family).filter((name) => name !== null)}
          value={family}
          onChange={setFamily}
          searchable
          clearable
        />
        <Textarea
          label={t('why')}
          description={t('whyHint')}
          value={why}
          onChange={(event) => setWhy(event.currentTarget.value)}
          maxLength={MAX_WHY}
          required
          autosize
          minRows={2}
          maxRows={6}
          data-autofocus
        />
        {opened && (
          <TimeField
            label={tWord('until')}
            value={until}
            onChange={setUntil}
            error={isPast ? t('past') : undefined}
          />
        )}
      </Stack>
    </FormDrawer>
  );
};
