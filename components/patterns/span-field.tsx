'use client';

import { Group, NumberInput, Select } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { inUnits, MAX_SECONDS, SECONDS, UNITS, type Unit } from './span-units';

interface SpanFieldProps {
  label: string;
  description: string;
  /** The initial value. */
  seconds: number;
  least: number;
  onChange: (seconds: number) => void;
}

/** A duration as a number with its unit; `seconds` in and out. */
export const SpanField = ({ label, description, seconds, least, onChange }: SpanFieldProps) => {
  const t = useTranslations('families.ttl');
  const [span, setSpan] = useState<{ value: number | string; unit: Unit }>(() => inUnits(seconds));
  const change = (part: Partial<typeof span>) => {
    const next = { ...span, ...part };
    setSpan(next);
    const given = Math.round((Number(next.value) || 0) * SECONDS[next.unit]);
    onChange(Math.max(least, Math.min(MAX_SECONDS, given)));
  };
  return (
    <Group gap="sm" align="flex-end" wrap="nowrap">
      <NumberInput
        label={label}
        description={description}
        value={span.value}
        onChange={(value) => change({ value })}
        min={0}
        max={MAX_SECONDS / SECONDS[span.unit]}
        allowNegative={false}
        decimalScale={2}
        style={{ flex: 1 }}
      />
      <Select
        aria-label={t('unitOf', { what: label })}
        data={UNITS.map((value) => ({ value, label: t(`unit.${value}`) }))}
        value={span.unit}
        onChange={(unit) => unit && change({ unit: unit as Unit })}
        allowDeselect={false}
        w={120}
      />
    </Group>
  );
};
