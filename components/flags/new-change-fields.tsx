'use client';

import { ActionIcon, Button, Group, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { toLocalInput } from '@/components/patterns/local-time';
import { quickTimes } from './quick-times';

/** One change of the schedule form; `at` is the value of a datetime-local input. */
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

/** State and time of one change, in the user's time zone, with shortcuts for common times. */
export const NewChangeFields = ({ change, number, fault, onChange, onRemove }: NewChangeFieldsProps) => {
  const t = useTranslations('flags.schedule');
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Stack gap={6} component="fieldset" style={{ border: 0, margin: 0, padding: 0 }}>
      <legend style={{ padding: 0, marginBottom: 6, fontWeight: 600 }}>{t('change', { number })}</legend>
      <Group gap="xs" wrap="nowrap" align="flex-end">
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
        <TextInput
          type="datetime-local"
          step="any"
          label={t('when', { zone })}
          value={change.at}
          onChange={(event) => onChange({ at: event.currentTarget.value })}
          error={fault !== null}
          style={{ flex: 1, minWidth: 0 }}
          {...(number === 1 && { 'data-autofocus': true })}
        />
        {onRemove && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t('remove', { number })}
            onClick={onRemove}
          >
            <IconTrash size={16} />
          </ActionIcon>
        )}
      </Group>
      {fault && (
        <span role="alert" style={{ color: 'var(--mantine-color-error)', fontSize: '0.75rem' }}>
          {t(`fault.${fault}`)}
        </span>
      )}
      <Group gap={6}>
        {quickTimes(new Date()).map(({ id, at }) => (
          <Button
            key={id}
            size="compact-xs"
            variant="default"
            onClick={() => onChange({ at: toLocalInput(at.toISOString()) })}
          >
            {t(`quick.${id}`)}
          </Button>
        ))}
      </Group>
    </Stack>
  );
};
