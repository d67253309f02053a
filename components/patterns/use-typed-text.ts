'use client';

import { useDebouncedCallback } from '@mantine/hooks';
import { useRef, useState } from 'react';
import { isSecret } from './looks-secret';

const PAUSE_MS = 250;

interface TypedText {
  text: string;
  onType: (next: string) => void;
  /** Applies immediately what waits for a pause. */
  onEnter: (event: { key: string }) => void;
}

/**
 * The text of a field that is applied when typing pauses for 250 ms, and immediately on Enter. `value` is what was applied
 * last; with `noSecrets`, text that looks like a token is never applied.
 */
export const useTypedText = (
  value: string,
  onChange: (value: string) => void,
  noSecrets = false,
): TypedText => {
  const [text, setText] = useState(value);
  const [applied, setApplied] = useState(value);
  const latest = useRef(value);
  // Back, a link or cleared filters. Applied text may be trimmed: the space before the next word stays.
  if (value !== applied) {
    setApplied(value);
    if (value !== text.trim()) setText(value);
  }
  const later = useDebouncedCallback(async (next: string) => {
    if (noSecrets && (await isSecret(next))) return;
    // The check may have waited for its script: nothing is applied that the field no longer has.
    if (next === latest.current) onChange(next);
  }, PAUSE_MS);
  return {
    text,
    onType: (next) => {
      latest.current = next;
      setText(next);
      later(next);
    },
    onEnter: ({ key }) => {
      if (key === 'Enter') later.flush();
    },
  };
};
