'use client';

import { useEffect, useState } from 'react';
import { onDemand } from '@/components/patterns/on-demand';
import { stepUp } from '@/lib/api-client';

const StepUpDialog = onDemand(async () => (await import('./step-up-dialog')).StepUpDialog);

/** Asks for the second factor whenever the server requires it again. Simultaneous requests share one dialog. */
export const StepUp = () => {
  const [asked, setAsked] = useState<{ answer: (isGiven: boolean) => void } | null>(null);
  useEffect(() => {
    let question: Promise<boolean> | null = null;
    stepUp.ask = () => {
      question ??= new Promise<boolean>((resolve) => setAsked({ answer: resolve })).finally(() => {
        question = null;
        setAsked(null);
      });
      return question;
    };
    return () => {
      stepUp.ask = null;
    };
  }, []);
  return asked && <StepUpDialog onAnswer={asked.answer} />;
};
