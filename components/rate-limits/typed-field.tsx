'use client';

import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';

interface TypedFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string;
  /** Called when typing pauses for 250 ms, and immediately on Enter. */
  onChange: (value: string) => void;
}

/** A text field whose value is in the URL. */
export const TypedField = ({ value, onChange, ...field }: TypedFieldProps) => {
  const [text, setText] = useState(value);
  const later = useDebouncedCallback(onChange, 250);
  useEffect(() => setText(value), [value]);
  return (
    <TextInput
      autoComplete="off"
      spellCheck={false}
      {...field}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        later(event.currentTarget.value);
      }}
      onKeyDown={(event) => event.key === 'Enter' && onChange(text)}
    />
  );
};
