'use client';

import { TextInput, type TextInputProps } from '@mantine/core';
import { useTypedText } from '@/components/patterns/use-typed-text';

interface TypedFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string;
  /** Called when typing pauses for 250 ms, and immediately on Enter. */
  onChange: (value: string) => void;
}

/** A text field whose value is in the URL. */
export const TypedField = ({ value, onChange, ...field }: TypedFieldProps) => {
  const { text, onType, onEnter } = useTypedText(value, onChange);
  return (
    <TextInput
      autoComplete="off"
      spellCheck={false}
      {...field}
      value={text}
      onChange={(event) => onType(event.currentTarget.value)}
      onKeyDown={onEnter}
    />
  );
};
