'use client';

import { useState } from 'react';
import { useSecretRead } from '@/components/patterns/use-secret-read';
import { envContracts, type Variable } from '@/lib/env/schema';
import type { Present } from './refusal';

type DraftForm = 'text' | 'bytes';

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
const bytesOfBase64 = (text: string): number => Math.floor((text.replace(/=+$/, '').length * 3) / 4);

/**
 * A variable being edited: old and new value, which begins as `start` or the old one. A value that the list does not hold
 * is loaded on demand.
 */
export const useDraft = (variable: Variable, start: string | null) => {
  const [etag, setEtag] = useState(variable.etag);
  const [before, setBefore] = useState<string | null>(variable.value);
  const [beforeBase64, setBeforeBase64] = useState<string | null>(variable.valueBase64 ?? null);
  // null: nothing typed yet, and the stored value is unknown.
  const [text, setText] = useState<string | null>(start ?? variable.value);
  const [base64, setBase64] = useState(variable.valueBase64 ?? '');
  const [form, setForm] = useState<DraftForm>(variable.valueBase64 ? 'bytes' : 'text');
  const [seed, setSeed] = useState(0);

  /** Loads a value into the field: the revealed one, or the one someone else saved. */
  const load = (value: string | null, valueBase64: string | null | undefined, newEtag: string) => {
    setEtag(newEtag);
    setBefore(value);
    setBeforeBase64(valueBase64 ?? null);
    setText(value);
    setBase64(valueBase64 ?? '');
    setForm(value === null ? 'bytes' : 'text');
    setSeed((last) => last + 1);
  };
  const reveal = useSecretRead(envContracts.reveal, (answer) =>
    load(answer.value, answer.valueBase64, answer.etag),
  );
  const isBytes = form === 'bytes';
  const untouched = isBytes ? base64 === (beforeBase64 ?? '') : text === null || text === before;
  return {
    etag,
    before,
    beforeBase64,
    text,
    setText,
    base64,
    setBase64,
    form,
    setForm,
    seed,
    reveal,
    loaded: before !== null || beforeBase64 !== null,
    untouched,
    lengthBytes: isBytes ? bytesOfBase64(base64) : bytesOf(text ?? ''),
    loadTheirs: (present: Present) => load(present.value, present.valueBase64, present.etag),
    /** Input of `env.set`: text, or bytes as base64. */
    newValue: isBytes ? { valueBase64: base64.trim() } : { value: text ?? '' },
  };
};
