'use client';

import { useState } from 'react';
import type { TtlResult } from '@/lib/families/schema';

interface DryRun<Counted> {
  /** The counted target, as JSON. */
  of: string;
  jobId: string;
  result: Counted | null;
}

export interface DryRunState<Counted = TtlResult> {
  /** The job of the dry run for the current target; null before it starts. */
  jobId: string | null;
  /** Its result; null until it has finished. */
  result: Counted | null;
  start: (jobId: string) => void;
  complete: (result: Counted) => void;
  reset: () => void;
}

/** The dry run before a change. `of` is its target as JSON: a result for another target is ignored. */
export const useDryRun = <Counted = TtlResult>(of: string): DryRunState<Counted> => {
  const [dryRun, setDryRun] = useState<DryRun<Counted> | null>(null);
  const present = dryRun?.of === of ? dryRun : null;
  return {
    jobId: present?.jobId ?? null,
    result: present?.result ?? null,
    start: (jobId) => setDryRun({ of, jobId, result: null }),
    complete: (result) => setDryRun((last) => last && { ...last, result }),
    reset: () => setDryRun(null),
  };
};
