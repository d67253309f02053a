'use client';

import { Button, Group } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { ApiProblem } from '@/lib/api-client';
import { epochOf } from '@/lib/format';
import type { Job } from '@/lib/jobs/schema';
import { confirmationAsked } from './confirmation-asked';
import { Dimmed } from './dimmed';
import { useNow } from './now';
import { ProblemAlert } from './problem-alert';
import { RelativeTime } from './relative-time';
import { UndoConfirmation } from './undo-confirmation';
import { UndoAlert, type UndoResult } from './undo-outcome';
import { useUndo } from './use-undo';

/** The answer. If a second undo was refused, the job of the first. */
const resultOf = (data: UndoResult | undefined, error: unknown): UndoResult | undefined => {
  const jobId = error instanceof ApiProblem && (error.document as { jobId?: unknown }).jobId;
  return typeof jobId === 'string' ? { undone: 0, conflicts: [], jobId } : data;
};

/** Undoes what a job did, even a partial one, while the undo data is stored. */
export const JobUndo = ({ job }: { job: Job }) => {
  const t = useTranslations('jobs.undo');
  const tWord = useTranslations('words');
  const now = useNow();
  const undo = useUndo();
  const until = epochOf(job.undoUntil);
  const result = resultOf(undo.data, undo.error);
  if (result) return <UndoAlert {...result} />;
  if (until === null || until <= (now ?? 0)) return null;
  const { auditId } = job;
  const wanted = confirmationAsked(undo.error);
  if (wanted !== null)
    return <UndoConfirmation wanted={wanted} onConfirm={(confirm) => undo.mutate({ auditId, confirm })} />;
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Dimmed>
          {t.rich(job.state === 'done' ? 'until' : 'partUntil', {
            when: () => <RelativeTime at={job.undoUntil} />,
          })}
        </Dimmed>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconArrowBackUp size={16} aria-hidden />}
          loading={undo.isPending}
          onClick={() => undo.mutate({ auditId })}
        >
          {tWord('undo')}
        </Button>
      </Group>
      <ProblemAlert error={undo.error} />
    </div>
  );
};
