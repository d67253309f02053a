'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { envContracts } from '@/lib/env-vars/schema';
import { useAsk } from './queries';
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
  /** The name being asked for. */
  pending: string | null;
  error: unknown;
  failed: string | null;
  reveal: (name: string) => void;
  hide: () => void;
}

/** One value in the clear at a time, for 30 s at most, in this state and nowhere else. */
export const useReveal = (): Reveal => {
  const { id } = useConnection();
  const [shown, setShown] = useState<Revealed | null>(null);
  const asked = useRef<string | null>(null);
  const hide = useCallback(() => {
    asked.current = null;
    setShown(null);
  }, []);
  const ask = useAsk(envContracts.reveal, id, ({ name, value, valueBase64 }) => {
    // Nobody waits for it any more: another one was asked for, or the page is out of sight.
    if (asked.current !== name || document.hidden) return;
    setShown({ name, value, valueBase64: valueBase64 ?? null, until: Date.now() + SHOWN_MS });
  });
  const until = shown?.until ?? null;
  useEffect(() => {
    if (until === null) return;
    const timer = setTimeout(hide, Math.max(0, until - Date.now()));
    return () => clearTimeout(timer);
  }, [until, hide]);
  useWhenHidden(shown !== null || ask.isPending, hide);
  useEffect(() => hide, [hide]);
  const { mutate } = ask;
  const reveal = useCallback(
    (name: string) => {
      setShown(null);
      asked.current = name;
      mutate({ name });
    },
    [mutate],
  );
  return {
    shown,
    pending: ask.isPending ? ask.variables.name : null,
    error: ask.error,
    failed: ask.isError ? ask.variables.name : null,
    reveal,
    hide,
  };
};
