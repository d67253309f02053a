'use client';

import { Group, Select, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useActionWords, useKnownActions } from '@/components/patterns/action-words';
import { useConnections } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { fieldError } from '@/components/patterns/field-error';
import { OUTCOMES } from '@/lib/audit/schema';
import type { NotificationFields } from './notification-form';

interface FieldsProps {
  fields: NotificationFields;
  onChange: (change: Partial<NotificationFields>) => void;
  error: unknown;
}

/** Which entries of the audit log it is about: the filters of its page. */
export const FilterFields = ({ fields, onChange, error }: FieldsProps) => {
  const t = useTranslations('notifications.form');
  const tWord = useTranslations('words');
  const tAudit = useTranslations('audit');
  const words = useActionWords();
  const known = useKnownActions();
  const actions = fields.action && !known.includes(fields.action) ? [...known, fields.action] : known;
  const outcomes = OUTCOMES.map((value) => ({ value, label: tAudit(`outcome.${value}`) }));
  return (
    <>
      <Dimmed>{t('filterHint')}</Dimmed>
      <Select
        label={tWord('action')}
        placeholder={tAudit('any.action')}
        data={actions.map((value) => ({ value, label: words(value) }))}
        value={fields.action || null}
        onChange={(action) => onChange({ action: action ?? '' })}
        error={fieldError(error, 'filter.action')}
        searchable
        clearable
      />
      <Group grow align="flex-start" gap="sm">
        <TextInput
          label={tAudit('column.actor')}
          value={fields.actor}
          onChange={(event) => onChange({ actor: event.currentTarget.value })}
          error={fieldError(error, 'filter.actor')}
          maxLength={200}
          autoComplete="off"
        />
        <TextInput
          label={tWord('target')}
          value={fields.target}
          onChange={(event) => onChange({ target: event.currentTarget.value })}
          error={fieldError(error, 'filter.target')}
          maxLength={200}
          autoComplete="off"
        />
      </Group>
      <Group grow align="flex-start" gap="sm">
        <Select
          label={tWord('connection')}
          placeholder={t('any')}
          data={useConnections().map(({ id, name }) => ({ value: id, label: name }))}
          value={fields.connection || null}
          onChange={(connection) => onChange({ connection: connection ?? '' })}
          clearable
        />
        <Select
          label={tAudit('column.outcome')}
          placeholder={tAudit('any.outcome')}
          data={outcomes}
          value={fields.outcome || null}
          onChange={(outcome) => onChange({ outcome: outcome ?? '' })}
          clearable
        />
      </Group>
    </>
  );
};
