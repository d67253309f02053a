'use client';

import { Group, SegmentedControl } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { isCustom, type Period, type PeriodFields, RANGE_IDS, type RangeId, timeSpanOf } from './ranges';
import { TimeRangeFields } from './time-range-fields';

interface RangeControlProps {
  value: RangeId;
  onChange: (range: RangeId) => void;
}

/** The range of a page, up to now. */
export const RangeControl = ({ value, onChange }: RangeControlProps) => {
  const t = useTranslations('patterns.range');
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('choose')}
      value={value}
      onChange={(range) => onChange(range as RangeId)}
      data={RANGE_IDS.map((range) => ({ value: range, label: t(range) }))}
    />
  );
};

interface PeriodControlProps {
  value: Period;
  onChange: (fields: PeriodFields) => void;
}

const iso = (at: number): string => new Date(at).toISOString();

/** The range of a page: up to now, or custom. */
export const PeriodControl = ({ value, onChange }: PeriodControlProps) => {
  const t = useTranslations('patterns.range');
  const choose = (range: string) => {
    if (range !== 'custom') return onChange({ range, from: '', to: '' });
    // Starts with the displayed range.
    const { from, to } = timeSpanOf(value, Date.now());
    onChange({ range, from: iso(from), to: iso(to) });
  };
  return (
    <Group gap="xs">
      {isCustom(value) && (
        <TimeRangeFields
          from={value.from}
          to={value.to}
          onChange={(from, to) => onChange({ range: 'custom', from, to })}
        />
      )}
      <SegmentedControl
        size="xs"
        aria-label={t('choose')}
        value={isCustom(value) ? 'custom' : value}
        onChange={choose}
        data={[...RANGE_IDS, 'custom' as const].map((range) => ({ value: range, label: t(range) }))}
      />
    </Group>
  );
};
