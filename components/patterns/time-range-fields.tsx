'use client';

import { Group } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useTranslations } from 'next-intl';
import { useEffect, useState } from 'react';
import { TimeField } from './time-field';

/** Each typed digit yields another valid time, so a range counts when typing pauses. */
const PAUSE_MS = 700;

interface TimeRangeFieldsProps {
  /** ISO times. */
  from: string;
  to: string;
  onChange: (from: string, to: string) => void;
}

/** The ends of a range as two inputs. A change counts if `from` is before `to`. */
export const TimeRangeFields = ({ from, to, onChange }: TimeRangeFieldsProps) => {
  const t = useTranslations('patterns.range');
  const [draft, setDraft] = useState({ from, to });
  useEffect(() => setDraft({ from, to }), [from, to]);
  const apply = useDebouncedCallback((next: typeof draft) => {
    if (Date.parse(next.from) < Date.parse(next.to)) onChange(next.from, next.to);
  }, PAUSE_MS);
  const change = (changed: Partial<typeof draft>) => {
    const next = { ...draft, ...changed };
    setDraft(next);
    apply(next);
  };
  return (
    <Group gap="xs">
      <TimeField
        compact
        size="xs"
        label={t('from')}
        value={draft.from}
        onChange={(next) => change({ from: next })}
      />
      <TimeField
        compact
        size="xs"
        label={t('to')}
        value={draft.to}
        onChange={(next) => change({ to: next })}
      />
    </Group>
  );
};
