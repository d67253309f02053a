'use client';

import { Input, SegmentedControl, Textarea } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type ReactNode, useId } from 'react';
import { AS_TYPED, MONOSPACE } from '@/components/patterns/as-typed';
import { lineBreaksOf, withLineBreaksOf } from '@/components/patterns/line-breaks';
import { BYTE_FORMS, type ByteDraft, type ByteForm, inForm, inputOf } from './byte-draft';

interface ByteFieldProps {
  label: string;
  description?: ReactNode;
  draft: ByteDraft;
  onChange: (draft: ByteDraft) => void;
  error?: ReactNode;
  rows?: number;
  autoFocus?: boolean;
}

/** Bytes as text, hexadecimal digits or base64. */
export const ByteField = ({
  label,
  description,
  draft,
  onChange,
  error,
  rows = 1,
  autoFocus,
}: ByteFieldProps) => {
  const t = useTranslations('inspector.bytes');
  const id = useId();
  const invalid = inputOf(draft) === null;
  const breaks = lineBreaksOf(draft.model);
  return (
    <Input.Wrapper
      id={id}
      label={label}
      description={
        draft.form === 'text' && breaks !== 'lf' ? t(breaks === 'crlf' ? 'crlf' : 'mixed') : description
      }
      error={invalid ? t(`invalid.${draft.form}`) : error}
    >
      <SegmentedControl
        size="xs"
        mt={4}
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
      <Textarea
        {...AS_TYPED}
        id={id}
        value={draft.text}
        onChange={(event) => {
          const typed = event.currentTarget.value;
          // Text fields return LF even if the value had CR LF.
          const text = draft.form === 'text' && !draft.style ? withLineBreaksOf(draft.model, typed) : typed;
          onChange({ ...draft, text });
        }}
        autosize
        minRows={rows}
        maxRows={18}
        styles={MONOSPACE}
        error={invalid || Boolean(error)}
        {...(autoFocus && { 'data-autofocus': true })}
      />
    </Input.Wrapper>
  );
};
