'use client';

import { Input, SegmentedControl, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type ReactNode, useState } from 'react';
import { AS_TYPED, MONOSPACE } from '@/components/patterns/as-typed';
import { ExactText } from '@/components/patterns/exact-text';
import type { Kind } from '@/lib/env/schema';
import { readBoolean, writeBoolean } from '@/lib/values/style';
import { readList } from './list-text';

interface KindFieldProps {
  label: string;
  description: ReactNode;
  error: ReactNode;
  /** The stored value; its format is kept. */
  model: string;
  text: string;
  onText: (text: string) => void;
}

const STYLES = ['true/false', '1/0', 'on/off', 'yes/no'];

const BooleanField = ({ model, text, onText, label, description, error }: KindFieldProps) => {
  const t = useTranslations('env.field');
  const tWord = useTranslations('words');
  const [style, setStyle] = useState(STYLES[0]!);
  const known = readBoolean(model) === null ? null : model;
  const word = (enabled: boolean) => writeBoolean(known ?? style.split('/')[0]!, enabled)!;
  return (
    <Stack gap={6}>
      <Input.Wrapper label={label} description={description} error={error} labelElement="div">
        <div>
          <SegmentedControl
            aria-label={label}
            mt={4}
            data={[word(true), word(false)]}
            value={readBoolean(text) === null ? '' : word(readBoolean(text)!)}
            onChange={onText}
          />
        </div>
      </Input.Wrapper>
      {known === null && (
        <Select
          label={tWord('storedFormat')}
          description={t('styleHint')}
          data={STYLES}
          value={style}
          onChange={(next) => {
            const chosen = next ?? STYLES[0]!;
            setStyle(chosen);
            const present = readBoolean(text);
            if (present !== null) onText(writeBoolean(chosen.split('/')[0]!, present)!);
          }}
          allowDeselect={false}
          w={170}
        />
      )}
    </Stack>
  );
};

const LEVELS = ['trace', 'debug', 'info', 'notice', 'warn', 'warning', 'error', 'critical', 'fatal', 'off'];

const levelsLike = (model: string): string[] => {
  const upper = model !== '' && model === model.toUpperCase();
  const levels = LEVELS.map((level) => (upper ? level.toUpperCase() : level));
  return model === '' || levels.includes(model) ? levels : [model, ...levels];
};

const LevelField = ({ model, text, onText, ...field }: KindFieldProps) => (
  <Select
    {...field}
    data={levelsLike(model)}
    value={text || null}
    onChange={(level) => onText(level ?? '')}
    allowDeselect={false}
    searchable
    maxDropdownHeight={260}
    styles={MONOSPACE}
    data-autofocus
  />
);

const ListField = ({ model, text, onText, ...field }: KindFieldProps) => {
  const t = useTranslations('env.field');
  const written = readList(model) ?? readList('')!;
  return (
    <TagsInput
      {...field}
      placeholder={t('addItem')}
      value={readList(text)?.items ?? []}
      onChange={(items) => onText(written.write(items))}
      splitChars={[',', ' ', ';', '\r', '\n']}
      allowDuplicates={false}
      clearable
      clearButtonProps={{ 'aria-label': t('clearList') }}
      styles={MONOSPACE}
      data-autofocus
    />
  );
};

const LineField = ({ text, onText, model: _, ...field }: KindFieldProps) => (
  <TextInput
    {...field}
    {...AS_TYPED}
    value={text}
    onChange={(event) => onText(event.currentTarget.value)}
    styles={MONOSPACE}
    data-autofocus
  />
);

const NumberField = (props: KindFieldProps) => {
  const { text, onText, model: _, ...field } = props;
  return (
    <TextInput
      {...field}
      {...AS_TYPED}
      inputMode="numeric"
      value={text}
      onChange={(event) => onText(event.currentTarget.value)}
      styles={MONOSPACE}
      maw={220}
      data-autofocus
    />
  );
};

export const TextField = ({ text, onText, ...field }: KindFieldProps) => (
  <ExactText {...field} value={text} onChange={onText} minRows={2} maxRows={16} data-autofocus />
);

/** Input component of each kind. */
export const FIELDS: Record<Kind, (props: KindFieldProps) => ReactNode> = {
  url: LineField,
  boolean: BooleanField,
  integer: NumberField,
  'log-level': LevelField,
  list: ListField,
  text: TextField,
};

/** Whether the kind's input can show this text and return it unchanged. */
export const fitsField = (kind: Kind, text: string): boolean => {
  if (text === '') return true;
  if (kind === 'boolean') return readBoolean(text) !== null;
  if (kind === 'list') return readList(text) !== null;
  return !/[\r\n]/.test(text);
};
