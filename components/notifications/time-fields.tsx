'use client';

import { Checkbox, Group, NumberInput, SegmentedControl, Select } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Dimmed } from '@/components/patterns/dimmed';
import { fieldError } from '@/components/patterns/field-error';
import { WHEN } from '@/lib/notifications/schema';
import type { NotificationFields } from './notification-form';

interface FieldsProps {
  fields: NotificationFields;
  onChange: (change: Partial<NotificationFields>) => void;
  error: unknown;
}

const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, '0')}:00`,
}));

/** Browsers do not list UTC. */
const zones = (): string[] => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

/** At once, with a reminder, or one digest a day. */
export const TimeFields = ({ fields, onChange, error }: FieldsProps) => {
  const t = useTranslations('notifications.form');
  const tWhen = useTranslations('notifications.when');
  return (
    <>
      <SegmentedControl
        aria-label={t('when')}
        data={WHEN.map((value) => ({ value, label: tWhen(value) }))}
        value={fields.when}
        onChange={(when) => onChange({ when: when === 'daily' ? 'daily' : 'now' })}
      />
      {fields.when === 'now' ? (
        <>
          <Dimmed>{t('limit')}</Dimmed>
          {fields.about.includes('approvals') && (
            <NumberInput
              label={t('remind')}
              description={t('remindHint')}
              value={fields.remind}
              onChange={(remind) => onChange({ remind })}
              suffix={t('hours')}
              min={1}
              max={168}
              allowDecimal={false}
              error={fieldError(error, 'remindAfterHours')}
            />
          )}
        </>
      ) : (
        <>
          <Group grow align="flex-start" gap="sm">
            <Select
              label={t('hour')}
              data={HOURS}
              value={fields.hour}
              onChange={(hour) => onChange({ hour: hour ?? '9' })}
              allowDeselect={false}
            />
            <Select
              label={t('timeZone')}
              data={zones()}
              value={fields.timeZone}
              onChange={(timeZone) => onChange({ timeZone: timeZone ?? 'UTC' })}
              error={fieldError(error, 'timeZone')}
              searchable
              allowDeselect={false}
            />
          </Group>
          <Checkbox
            label={t('skipEmpty')}
            checked={fields.skipEmpty}
            onChange={(event) => onChange({ skipEmpty: event.currentTarget.checked })}
          />
        </>
      )}
    </>
  );
};
