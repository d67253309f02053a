'use client';

import { type QueryKey, useMutation } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { call } from '@/lib/api-client';
import type { Contract, Result, WireInput } from '@/lib/contract';
import { useConnection } from './connection';
import { useWhenHidden } from './use-hidden';
import { useRefetch } from './use-refetch';

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

/** Holds at most one plaintext answer, for at most 30 s, in this state only. `refetch`: lists that show the audit log. */
export const useReveal = <C extends Contract>(contract: C, ...refetch: QueryKey[]): Reveal<C> => {
  const { id: connection } = useConnection();
  const [state, setState] = useState<State<C>>(NOTHING);
  const hide = useCallback(() => setState(NOTHING), []);
  const read = useMutation({
    // Returns nothing, so that no cache contains the value.
    mutationFn: async (input: WireInput<C>): Promise<void> => {
      const answer = await call(contract, input, { connection });
      const shown = { answer, until: Date.now() + SHOWN_MS };
      // Otherwise another reveal was started, or the page is hidden.
      setState((now) => (now.input === input && !document.hidden ? { input, shown } : now));
    },
    onSettled: useRefetch(...refetch),
    gcTime: 0,
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
