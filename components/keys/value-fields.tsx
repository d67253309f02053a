'use client';

import { ActionIcon, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { AS_TYPED, MONOSPACE } from '@/components/patterns/as-typed';
import { ExactText, NameInput } from '@/components/patterns/exact-text';
import { EDITABLE_TYPES, type EditableType } from '@/lib/key-values/schema';
import { visibleText } from '@/lib/visible-text';
import { jsonFault } from './inspector/json-rows';
import { hasFields, isScore, type NewValue, NO_ROW, type ValueRow } from './new-value';

interface ValueFieldsProps {
  value: NewValue;
  /** The documented type of the selected family. */
  documented: string | null;
  onChange: (value: NewValue) => void;
}

/** The type and the first value of a new key. */
export const ValueFields = ({ value, documented, onChange }: ValueFieldsProps) => {
  const t = useTranslations('keys.create');
  const tWord = useTranslations('words');
  return (
    <>
      <Select
        label={tWord('type')}
        description={documented === null ? null : t('documentedType', { type: documented })}
        data={[...EDITABLE_TYPES]}
        value={value.type}
        onChange={(type) => type && onChange({ ...value, type: type as EditableType })}
        allowDeselect={false}
      />
      {value.type === 'string' ? (
        <TextValue value={value} onChange={onChange} />
      ) : (
        <Rows value={value} onChange={onChange} />
      )}
    </>
  );
};

type FieldsProps = Omit<ValueFieldsProps, 'documented'>;

const TextValue = ({ value, onChange }: FieldsProps) => {
  const t = useTranslations('keys.create');
  const looksJson = /^\s*[[{]/.test(value.text);
  const fault = looksJson ? jsonFault(value.text) : null;
  return (
    <div>
      <ExactText
        label={t('value')}
        value={value.text}
        onChange={(text) => onChange({ ...value, text })}
        minRows={3}
      />
      <Text size="xs" mt={4} c={fault ? 'var(--kw-warn-text)' : 'dimmed'} role="status">
        {fault && t('notJson', { fault: visibleText(fault, 160) })}
        {looksJson && !fault && t('isJson')}
      </Text>
    </div>
  );
};

const Rows = ({ value, onChange }: FieldsProps) => {
  const t = useTranslations('keys.create');
  const tWord = useTranslations('words');
  const { type, rows } = value;
  const change = (at: number, part: Partial<ValueRow>) =>
    onChange({ ...value, rows: rows.map((row, i) => (i === at ? { ...row, ...part } : row)) });
  return (
    <Stack gap={6} component="fieldset" m={0} p={0} style={{ border: 0 }} aria-label={t(`rows.${type}`)}>
      <Text size="sm" fw={500}>
        {t(`rows.${type}`)}
      </Text>
      {rows.map((row, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows are only added and removed, and have no other identity
        <Group key={i} gap={6} wrap="nowrap" align="flex-start">
          {hasFields(type) && (
            <NameInput
              aria-label={t('fieldAt', { at: i + 1 })}
              placeholder={tWord('field')}
              value={row.field}
              onChange={(field) => change(i, { field })}
              style={{ flex: 1 }}
            />
          )}
          <div style={{ flex: 2 }}>
            <ExactText
              aria-label={t('valueAt', { at: i + 1 })}
              placeholder={t(hasFields(type) ? 'value' : 'element')}
              value={row.value}
              onChange={(text) => change(i, { value: text })}
            />
          </div>
          {type === 'zset' && (
            <TextInput
              aria-label={t('scoreAt', { at: i + 1 })}
              placeholder={tWord('score')}
              value={row.score}
              onChange={(event) => change(i, { score: event.currentTarget.value.trim() })}
              error={row.score !== '' && !isScore(row.score) && t('notScore')}
              w={110}
              {...AS_TYPED}
              styles={MONOSPACE}
            />
          )}
          <ActionIcon
            size={36}
            aria-label={t('removeRow', { at: i + 1 })}
            disabled={rows.length === 1}
            onClick={() => onChange({ ...value, rows: rows.filter((_, place) => place !== i) })}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <Group>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange({ ...value, rows: [...rows, NO_ROW] })}
        >
          {t('addRow')}
        </Button>
      </Group>
    </Stack>
  );
};
