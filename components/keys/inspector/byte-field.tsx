'use client';

import { Input, SegmentedControl } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type ReactNode, useId } from 'react';
import { ExactText, NameInput } from '@/components/patterns/exact-text';
import { BYTE_FORMS, type ByteDraft, type ByteForm, inForm, inputOf } from './byte-draft';

interface ByteFieldProps {
  label: string;
  description?: ReactNode;
  draft: ByteDraft;
  onChange: (draft: ByteDraft) => void;
  error?: ReactNode;
  rows?: number;
}

/** Bytes as a name with escapes, text, hexadecimal digits or base64. */
export const ByteField = ({ label, description, draft, onChange, error, rows = 1 }: ByteFieldProps) => {
  const t = useTranslations('keys.inspector.bytes');
  const id = useId();
  const invalid = inputOf(draft) === null;
  const field = {
    id,
    value: draft.text,
    error: invalid || Boolean(error),
    onChange: (text: string) => onChange({ ...draft, text }),
  };
  return (
    <Input.Wrapper
      id={id}
      label={label}
      description={description}
      error={invalid ? t(`invalid.${draft.form}`) : error}
    >
      <SegmentedControl
        size="xs"
        mt={4}
        ml="xs"
        mb={6}
        aria-label={t('formOf', { label })}
        data={BYTE_FORMS.map((form) => ({
          value: form,
          label: t(`form.${form}`),
          disabled: form !== draft.form && inForm(draft, form) === null,
        }))}
        value={draft.form}
        onChange={(form) => onChange(inForm(draft, form as ByteForm) ?? draft)}
      />
      {draft.form === 'name' ? (
        <NameInput {...field} />
      ) : (
        <ExactText
          {...field}
          model={draft.form === 'text' && !draft.style ? draft.model : ''}
          minRows={rows}
          maxRows={18}
        />
      )}
    </Input.Wrapper>
  );
};
