'use client';

import { ActionIcon, Button, Group, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { toLocalInput } from '@/components/patterns/local-time';
import { quickTimes } from './quick-times';

/** One change about to be planned; `at` is what a local date-and-time field holds. */
export interface Wish {
  id: number;
  enabled: boolean;
  at: string;
}

/** What is wrong with a time: null for none, and for a field nobody filled in yet. */
export type WishFault = 'past' | 'far' | 'twice' | null;

interface PlannedFieldsProps {
  wish: Wish;
  number: number;
  fault: WishFault;
  onChange: (change: Partial<Wish>) => void;
  /** Absent where it is the only one. */
  onRemove: (() => void) | undefined;
}

/** "On at 09:00": what, when in the reader's own zone, and times people often mean. */
export const PlannedFields = ({ wish, number, fault, onChange, onRemove }: PlannedFieldsProps) => {
  const t = useTranslations('flags.plan');
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
          value={wish.enabled ? 'on' : 'off'}
          onChange={(state) => onChange({ enabled: state === 'on' })}
        />
        <TextInput
          type="datetime-local"
          step="any"
          label={t('when', { zone })}
          value={wish.at}
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
            aria-label={t('without', { number })}
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
