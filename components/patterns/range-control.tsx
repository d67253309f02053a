'use client';

import { Group, SegmentedControl, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { fromLocalInput, toLocalInput } from './local-time';
import { isCustom, type Period, type PeriodFields, RANGE_IDS, type RangeId, timeSpanOf } from './ranges';

interface RangeControlProps {
  value: RangeId;
  onChange: (range: RangeId) => void;
}

/** How far back a page looks. */
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

/** How far back a page looks, or from when to when. */
export const PeriodControl = ({ value, onChange }: PeriodControlProps) => {
  const t = useTranslations('patterns.range');
  const choose = (range: string) => {
    if (range !== 'custom') return onChange({ range, from: '', to: '' });
    // Begins with what is looked at already.
    const { from, to } = timeSpanOf(value, Date.now());
    onChange({ range, from: iso(from), to: iso(to) });
  };
  return (
    <Group gap="xs">
      {isCustom(value) && (
        <CustomFields key={`${value.from} ${value.to}`} value={value} onChange={onChange} />
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

/** Taken over where it is a range; what is being typed is left alone until then. */
const CustomFields = ({ value, onChange }: PeriodControlProps & { value: { from: string; to: string } }) => {
  const t = useTranslations('patterns.range');
  const take = (from: string, to: string) =>
    from !== '' && Date.parse(from) < Date.parse(to) && onChange({ range: 'custom', from, to });
  return (
    <>
      <TextInput
        type="datetime-local"
        size="xs"
        aria-label={t('from')}
        defaultValue={toLocalInput(value.from)}
        max={toLocalInput(value.to)}
        onBlur={(event) => take(fromLocalInput(event.currentTarget.value), value.to)}
      />
      <TextInput
        type="datetime-local"
        size="xs"
        aria-label={t('to')}
        defaultValue={toLocalInput(value.to)}
        min={toLocalInput(value.from)}
        onBlur={(event) => take(value.from, fromLocalInput(event.currentTarget.value))}
      />
    </>
  );
};
