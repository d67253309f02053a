'use client';

import { useTranslations } from 'next-intl';
import { useEffect, useRef } from 'react';
import type { Job } from '@/lib/jobs/schema';
import { useActionWords } from './action-words';
import { JOB_COLORS } from './job-state';
import { useUndoToast } from './undo-toast';
import { isFinished } from './use-job';

/** A toast when a watched job finishes, with Undo while that is possible. */
export const useJobToast = (job: Job | undefined): void => {
  const t = useTranslations('jobs');
  const words = useActionWords();
  const undoToast = useUndoToast();
  const watched = useRef(false);
  useEffect(() => {
    if (!job) return;
    if (isFinished(job) && watched.current && job.undoUntil) {
      const message = t('over', { action: words(job.action), state: t(`state.${job.state}`) });
      const { auditId, undoUntil, state } = job;
      undoToast({ message, auditId, undoUntil, color: JOB_COLORS[state] });
    }
    watched.current = !isFinished(job);
  }, [job, t, words, undoToast]);
};
