'use client';

import { Button, Checkbox, Group, MultiSelect, NumberInput, SegmentedControl, Select } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { fieldError } from '@/components/patterns/field-error';
import { useInUnit } from '@/components/patterns/figure-words';
import { SpanField } from '@/components/patterns/span-field';
import type { AlertChannel } from '@/lib/alerts/channels/schema';
import { CONDITIONS, SEVERITIES } from '@/lib/alerts/schema';
import { limitUnitOf, type RuleFields } from './rule-form';

interface ConditionFieldsProps {
  fields: RuleFields;
  onChange: (change: Partial<RuleFields>) => void;
  /** The unit of the figure. */
  unit: string | null;
  /** undefined while they are not known. */
  channels: readonly AlertChannel[] | undefined;
  onNewChannel: () => void;
  error: unknown;
}

const MIN_WINDOW_SECONDS = 60;

/** When it fires and resolves, how urgent it is, and where it is sent. */
export const ConditionFields = (props: ConditionFieldsProps) => {
  const { fields, onChange, unit, channels, onNewChannel, error } = props;
  const t = useTranslations('alerts.form');
  const tWord = useTranslations('words');
  const tAll = useTranslations('alerts');
  const inUnit = useInUnit();
  const isChange = fields.condition === 'change';
  const limitUnit = limitUnitOf(fields, unit);
  const isPercent = limitUnit === 'ratio' || limitUnit === 'percent';
  const shown = (value: number | string) =>
    value === '' || isPercent ? undefined : t('means', { value: inUnit(Number(value), limitUnit) });
  return (
    <>
      <SegmentedControl
        aria-label={t('condition')}
        data={CONDITIONS.map((value) => ({ value, label: t(`conditions.${value}`) }))}
        value={fields.condition}
        onChange={(condition) => onChange({ condition: condition as RuleFields['condition'] })}
      />
      <Group grow align="flex-start" gap="sm">
        <NumberInput
          label={tWord('threshold')}
          description={shown(fields.value) ?? t(isChange ? 'changeHint' : 'valueHint')}
          value={fields.value}
          onChange={(value) => onChange({ value })}
          suffix={isPercent ? '%' : undefined}
          error={fieldError(error, 'value')}
          required
        />
        <NumberInput
          label={t('clear')}
          description={shown(fields.clear) ?? t('clearHint')}
          value={fields.clear}
          onChange={(clear) => onChange({ clear })}
          suffix={isPercent ? '%' : undefined}
          error={fieldError(error, 'clear')}
        />
      </Group>
      {isChange && (
        <>
          <Select
            label={t('changeIn')}
            data={(['absolute', 'percent'] as const).map((value) => ({
              value,
              label: t(`changes.${value}`),
            }))}
            value={fields.changeIn}
            onChange={(changeIn) => onChange({ changeIn: changeIn === 'percent' ? 'percent' : 'absolute' })}
            allowDeselect={false}
          />
          <SpanField
            label={t('window')}
            description={t('windowHint')}
            seconds={fields.windowSeconds}
            least={MIN_WINDOW_SECONDS}
            onChange={(windowSeconds) => onChange({ windowSeconds })}
          />
        </>
      )}
      <SpanField
        label={t('for')}
        description={t('forHint')}
        seconds={fields.forSeconds}
        least={0}
        onChange={(forSeconds) => onChange({ forSeconds })}
      />
      <SpanField
        label={t('clearFor')}
        description={t('clearForHint')}
        seconds={fields.clearForSeconds}
        least={0}
        onChange={(clearForSeconds) => onChange({ clearForSeconds })}
      />
      <Select
        label={tWord('severity')}
        data={SEVERITIES.map((value) => ({ value, label: tAll(`severity.${value}`) }))}
        value={fields.severity}
        onChange={(severity) => onChange({ severity: severity === 'critical' ? 'critical' : 'warning' })}
        allowDeselect={false}
      />
      <Checkbox
        label={t('noData')}
        description={t('noDataHint')}
        checked={fields.onNoData === 'alert'}
        onChange={(event) => onChange({ onNoData: event.currentTarget.checked ? 'alert' : 'keep' })}
      />
      <MultiSelect
        label={tWord('channels')}
        description={t(channels?.length === 0 ? 'noChannels' : 'channelsHint')}
        data={(channels ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={fields.channels}
        onChange={(chosen) => onChange({ channels: chosen })}
        error={fieldError(error, 'channels')}
        searchable
      />
      <Group>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconPlus size={14} aria-hidden />}
          aria-haspopup="dialog"
          onClick={onNewChannel}
        >
          {t('newChannel')}
        </Button>
      </Group>
    </>
  );
};
