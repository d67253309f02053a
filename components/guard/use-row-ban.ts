'use client';

import { useState } from 'react';
import { useOpened } from '@/components/patterns/use-opened';
import type { Answer } from './queries';

/** The ban drawer for an address somebody points at; `seconds` until the collector follows, null while unknown. */
export const useRowBan = (seconds: number | null) => {
  const { about, opened, open, close } = useOpened<string>();
  const [answers, setAnswers] = useState<readonly Answer[] | null>(null);
  return {
    ask: open,
    answers,
    dismissAnswers: () => setAnswers(null),
    drawer: { opened, onClose: close, initial: about ?? '', seconds, onAnswers: setAnswers },
  };
};
