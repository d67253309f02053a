'use client';

import { useCallback, useState } from 'react';
import type { BanWords } from './queries';
import { useGuardChanges } from './use-guard-changes';

/** The ban drawer for an address somebody points at; `seconds` until the collector follows, null while unknown. */
export const useRowBan = (seconds: number | null) => {
  const { add, adding, setAdding, submitAdd, answers, dismissAnswers } = useGuardChanges('blacklist');
  const [address, setAddress] = useState('');
  const ask = useCallback(
    (asked: string) => {
      setAddress(asked);
      setAdding(true);
    },
    [setAdding],
  );
  const close = () => setAdding(false);
  return {
    ask,
    answers,
    dismissAnswers,
    drawer: {
      opened: adding,
      onClose: close,
      initial: address,
      seconds,
      pending: add.isPending,
      error: add.error,
      onSubmit: (ips: string[], words: BanWords) => submitAdd(ips, words, close),
    },
  };
};
