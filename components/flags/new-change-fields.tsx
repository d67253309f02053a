'use client';

import { ActionIcon, Button, Group, SegmentedControl, Stack } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { TimeField } from '@/components/patterns/time-field';
import { quickTimes } from './quick-times';

/** One change of the schedule form; `at` is an ISO time, '' while none is chosen. */
export interface NewChange {
  id: number;
  enabled: boolean;
  at: string;
}

/** Problem of a time; null if there is none or the field is still empty. */
export type TimeFault = 'past' | 'far' | 'duplicate' | null;

interface NewChangeFieldsProps {
  change: NewChange;
  number: number;
  fault: TimeFault;
  onChange: (change: Partial<NewChange>) => void;
  /** undefined if it is the only change. */
  onRemove: (() => void) | undefined;
}

/** State and time of one change, with shortcuts for common times. */
export const NewChangeFields = ({ change, number, fault, onChange, onRemove }: NewChangeFieldsProps) => {
  const t = useTranslations('flags.schedule');
  const tWord = useTranslations('words');
  return (
    <Stack gap={6} component="fieldset" style={{ border: 0, margin: 0, padding: 0 }}>
      <legend style={{ padding: 0, marginBottom: 6, fontWeight: 600 }}>{t('change', { number })}</legend>
      <Group gap="xs" justify="space-between">
        <SegmentedControl
          size="sm"
          aria-label={t('state')}
          data={[
            { value: 'on', label: t('on') },
            { value: 'off', label: t('off') },
          ]}
          value={change.enabled ? 'on' : 'off'}
          onChange={(state) => onChange({ enabled: state === 'on' })}
        />
        {onRemove && (
          <ActionIcon size="lg" aria-label={t('remove', { number })} onClick={onRemove}>
            <IconTrash size={16} />
          </ActionIcon>
        )}
      </Group>
      <TimeField
        label={tWord('when')}
        value={change.at}
        onChange={(at) => onChange({ at })}
        error={fault && t(`fault.${fault}`)}
        autoFocus={number === 1}
      />
      <Group gap={6}>
        {quickTimes(new Date()).map(({ id, at }) => (
          <Button
            key={id}
            size="compact-xs"
            variant="default"
            onClick={() => onChange({ at: at.toISOString() })}
          >
            {t(`quick.${id}`)}
          </Button>
        ))}
      </Group>
    </Stack>
  );
};
