'use client';

import { Group, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { fromLocalInput, toLocalInput } from './local-time';

interface TimeRangeFieldsProps {
  /** ISO times. */
  from: string;
  to: string;
  onChange: (from: string, to: string) => void;
}

/** The ends of a range as two inputs in the reader's zone. A change counts once it is a range: from before to. */
export const TimeRangeFields = ({ from, to, onChange }: TimeRangeFieldsProps) => {
  const t = useTranslations('patterns.range');
  const change = (nextFrom: string, nextTo: string) => {
    if ((nextFrom === from && nextTo === to) || nextFrom === '' || nextTo === '') return;
    if (Date.parse(nextFrom) < Date.parse(nextTo)) onChange(nextFrom, nextTo);
  };
  // Minutes only: seconds of the present value stay until the field itself is edited.
  const edited = (text: string, present: string) =>
    text === toLocalInput(present) ? present : fromLocalInput(text);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Group key={`${from} ${to}`} gap="xs" title={t('zone', { zone })}>
      <TextInput
        type="datetime-local"
        size="xs"
        aria-label={t('from')}
        defaultValue={toLocalInput(from)}
        max={toLocalInput(to)}
        onBlur={(event) => change(edited(event.currentTarget.value, from), to)}
        onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
      />
      <TextInput
        type="datetime-local"
        size="xs"
        aria-label={t('to')}
        defaultValue={toLocalInput(to)}
        min={toLocalInput(from)}
        onBlur={(event) => change(from, edited(event.currentTarget.value, to))}
        onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
      />
    </Group>
  );
};
