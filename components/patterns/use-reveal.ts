'use client';

import { useCallback, useEffect, useState } from 'react';
import type { Contract, Result, WireInput } from '@/lib/contract';
import { useWhenHidden } from './use-hidden';
import { useSecretRead } from './use-secret-read';

/** How long a revealed value is shown. */
export const SHOWN_MS = 30_000;

interface State<C extends Contract> {
  /** The requested input; null once the value is hidden. */
  input: WireInput<C> | null;
  /** `until`: epoch ms after which it is hidden again. */
  shown: { answer: Result<C>; until: number } | null;
}

export interface Reveal<C extends Contract> extends State<C> {
  isPending: boolean;
  error: unknown;
  reveal: (input: WireInput<C>) => void;
  hide: () => void;
}

const NOTHING = { input: null, shown: null };

/** Holds at most one plaintext answer, for at most 30 s, in this state only. */
export const useReveal = <C extends Contract>(contract: C): Reveal<C> => {
  const [state, setState] = useState<State<C>>(NOTHING);
  const hide = useCallback(() => setState(NOTHING), []);
  const read = useSecretRead(contract, (answer, input) => {
    const shown = { answer, until: Date.now() + SHOWN_MS };
    // Otherwise another reveal was started, or the page is hidden.
    setState((now) => (now.input === input && !document.hidden ? { input, shown } : now));
  });
  const until = state.shown?.until ?? null;
  useEffect(() => {
    if (until === null) return;
    const timer = setTimeout(hide, Math.max(0, until - Date.now()));
    return () => clearTimeout(timer);
  }, [until, hide]);
  useWhenHidden(state.input !== null, hide);
  useEffect(() => hide, [hide]);
  const { mutate } = read;
  const reveal = useCallback(
    (input: WireInput<C>) => {
      setState({ input, shown: null });
      mutate(input);
    },
    [mutate],
  );
  return { ...state, isPending: read.isPending, error: state.input && read.error, reveal, hide };
};
