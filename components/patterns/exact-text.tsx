'use client';

import { Box, Textarea, type TextareaProps, TextInput, type TextInputProps } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type ClipboardEvent, useState } from 'react';
import { bytesOfName, nameText } from '@/lib/visible-text';
import { AS_TYPED, MONOSPACE } from './as-typed';
import { Dimmed } from './dimmed';
import { lineBreaksOf, withLineBreaksOf } from './line-breaks';

const pastedIn = (event: ClipboardEvent): string => event.clipboardData.getData('text/plain');

const LINE_BREAK = /[\r\n]/g;

/**
 * The value after a paste with line breaks, which a single-line field turns into spaces; null for others, which the
 * browser pastes.
 */
export const pastedLines = (
  event: ClipboardEvent,
  value: string,
  written = (lineBreak: string, _at: number, _pasted: string) => lineBreak,
): string | null => {
  const text = pastedIn(event);
  if (text.search(LINE_BREAK) < 0) return null;
  event.preventDefault();
  const { selectionStart, selectionEnd } = event.target as HTMLInputElement;
  const [from, to] = [selectionStart ?? value.length, selectionEnd ?? value.length];
  return value.slice(0, from) + text.replace(LINE_BREAK, written) + value.slice(to);
};

interface ExactTextProps extends Omit<TextareaProps, 'value' | 'onChange' | 'onPaste'> {
  value: string;
  /** The stored text, whose line breaks are kept. */
  model?: string;
  onChange: (text: string) => void;
}

/** A value of any number of lines. Browsers return LF only: stored or pasted CR LF is kept and reported. */
export const ExactText = ({ value, model = '', onChange, ...field }: ExactTextProps) => {
  const t = useTranslations('patterns.exactText');
  const [pasted, setPasted] = useState(value);
  const breaks = lineBreaksOf(model + pasted);
  return (
    <div>
      <Textarea
        {...AS_TYPED}
        value={value}
        onPaste={(event) => {
          const text = pastedIn(event);
          if (text.includes('\r')) setPasted(value + text);
        }}
        onChange={(event) => onChange(withLineBreaksOf(model + pasted, event.currentTarget.value))}
        autosize
        minRows={1}
        maxRows={14}
        styles={MONOSPACE}
        {...field}
      />
      {breaks !== 'lf' && value !== '' && (
        <Dimmed size="xs" role="status">
          {t(breaks)}
        </Dimmed>
      )}
    </div>
  );
};

interface NameInputProps extends Omit<TextInputProps, 'value' | 'onChange' | 'onPaste'> {
  value: string;
  onChange: (name: string) => void;
}

/** Bytes of a hint in hexadecimal digits. */
const MAX_HEX_BYTES = 16;

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes.subarray(0, MAX_HEX_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join(' ') +
  (bytes.length > MAX_HEX_BYTES ? ' …' : '');

/**
 * A name on one line, in the syntax of `bytesOfName`: line breaks, which the browser would drop, are pasted as `\xNN`.
 * The stored name is shown where it has escapes.
 */
export const NameInput = ({ value, onChange, className, style, ...field }: NameInputProps) => {
  const t = useTranslations('patterns.exactText');
  const stored = value.includes('\\x') ? bytesOfName(value) : null;
  return (
    <Box {...{ className, style }}>
      <TextInput
        {...AS_TYPED}
        value={value}
        onPaste={(event) => {
          const next = pastedLines(event, value, nameText);
          if (next !== null) onChange(next);
        }}
        onChange={(event) => onChange(event.currentTarget.value)}
        styles={MONOSPACE}
        {...field}
      />
      {stored && (
        <Dimmed size="xs" role="status">
          {t('stored', { bytes: stored.length, hex: hexOf(stored) })}
        </Dimmed>
      )}
    </Box>
  );
};
