'use client';

import { useState } from 'react';
import type { TtlResult } from '@/lib/caches/schema';

interface Trial {
  of: string;
  jobId: string;
  result: TtlResult | null;
}

export interface TrialState {
  /** The dry run of what is named now; null before it. */
  jobId: string | null;
  /** What it found, once it is over. */
  result: TtlResult | null;
  begun: (jobId: string) => void;
  counted: (result: TtlResult) => void;
  forget: () => void;
}

/** The dry run that precedes a change; `of` is what it was of: of anything else it says nothing. */
export const useTrial = (of: string): TrialState => {
  const [trial, setTrial] = useState<Trial | null>(null);
  const present = trial?.of === of ? trial : null;
  return {
    jobId: present?.jobId ?? null,
    result: present?.result ?? null,
    begun: (jobId) => setTrial({ of, jobId, result: null }),
    counted: (result) => setTrial((last) => last && { ...last, result }),
    forget: () => setTrial(null),
  };
};
