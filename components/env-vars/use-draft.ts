'use client';

import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { envContracts, type Variable } from '@/lib/env-vars/schema';
import { useAsk } from './queries';
import type { Present } from './refusal';

type DraftForm = 'text' | 'bytes';

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
const bytesOfBase64 = (text: string): number => Math.floor((text.replace(/=+$/, '').length * 3) / 4);

/** A variable being edited: what it was, what it is to be. A value that is not listed is loaded only on demand. */
export const useDraft = (variable: Variable) => {
  const { id } = useConnection();
  const [etag, setEtag] = useState(variable.etag);
  const [before, setBefore] = useState<string | null>(variable.value);
  const [beforeBase64, setBeforeBase64] = useState<string | null>(variable.valueBase64 ?? null);
  // Null: nothing was typed yet, and what is there is not known.
  const [text, setText] = useState<string | null>(variable.value);
  const [base64, setBase64] = useState(variable.valueBase64 ?? '');
  const [form, setForm] = useState<DraftForm>(variable.valueBase64 ? 'bytes' : 'text');
  const [seed, setSeed] = useState(0);

  /** What is there, into the field: as it was revealed, or as somebody else left it. */
  const take = (value: string | null, valueBase64: string | null | undefined, newEtag: string) => {
    setEtag(newEtag);
    setBefore(value);
    setBeforeBase64(valueBase64 ?? null);
    setText(value);
    setBase64(valueBase64 ?? '');
    setForm(value === null ? 'bytes' : 'text');
    setSeed((last) => last + 1);
  };
  const load = useAsk(envContracts.reveal, id, (answer) =>
    take(answer.value, answer.valueBase64, answer.etag),
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
    load,
    loaded: before !== null || beforeBase64 !== null,
    untouched,
    lengthBytes: isBytes ? bytesOfBase64(base64) : bytesOf(text ?? ''),
    takeTheirs: (present: Present) => take(present.value, present.valueBase64, present.etag),
    /** What is sent: text as text, bytes as base64. */
    newValue: isBytes ? { valueBase64: base64.trim() } : { value: text ?? '' },
  };
};
