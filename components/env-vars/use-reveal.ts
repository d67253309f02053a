'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { envContracts } from '@/lib/env-vars/schema';
import { useAuditedRead } from './queries';
import { useWhenHidden } from './use-hidden';

/** How long a revealed value is shown (issue: 30 s). */
export const SHOWN_MS = 30_000;

export interface Revealed {
  name: string;
  value: string | null;
  valueBase64: string | null;
  /** Epoch ms after which it is hidden again. */
  until: number;
}

export interface Reveal {
  shown: Revealed | null;
  /** Name of the variable being revealed. */
  pending: string | null;
  error: unknown;
  failed: string | null;
  reveal: (name: string) => void;
  hide: () => void;
}

/** Holds at most one plaintext value, for at most 30 s, in this state only. */
export const useReveal = (): Reveal => {
  const { id } = useConnection();
  const [shown, setShown] = useState<Revealed | null>(null);
  const requested = useRef<string | null>(null);
  const hide = useCallback(() => {
    requested.current = null;
    setShown(null);
  }, []);
  const read = useAuditedRead(envContracts.reveal, id, ({ name, value, valueBase64 }) => {
    // Outdated: another reveal was started, or the page is hidden.
    if (requested.current !== name || document.hidden) return;
    setShown({ name, value, valueBase64: valueBase64 ?? null, until: Date.now() + SHOWN_MS });
  });
  const until = shown?.until ?? null;
  useEffect(() => {
    if (until === null) return;
    const timer = setTimeout(hide, Math.max(0, until - Date.now()));
    return () => clearTimeout(timer);
  }, [until, hide]);
  useWhenHidden(shown !== null || read.isPending, hide);
  useEffect(() => hide, [hide]);
  const { mutate } = read;
  const reveal = useCallback(
    (name: string) => {
      setShown(null);
      requested.current = name;
      mutate({ name });
    },
    [mutate],
  );
  return {
    shown,
    pending: read.isPending ? read.variables.name : null,
    error: read.error,
    failed: read.isError ? read.variables.name : null,
    reveal,
    hide,
  };
};
