'use client';

import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { ApiProblem } from '@/lib/api-client';
import { epochOf } from '@/lib/format';
import type { Job } from '@/lib/jobs/schema';
import { Link } from './link';
import { useNow } from './now';
import { ProblemAlert } from './problem-alert';
import { RelativeTime } from './relative-time';
import { confirmationAsked, UndoConfirmation } from './undo-confirmation';
import { useUndo } from './use-undo';

/** The id of the undo job, from the answer or from the refusal of a second undo. */
const undoJobOf = (data: { jobId?: string | undefined } | undefined, error: unknown): string | null => {
  const named = error instanceof ApiProblem ? (error.document as { jobId?: unknown }).jobId : data?.jobId;
  return typeof named === 'string' ? named : null;
};

/** Undoes what a job did, as far as it came, while the undo data is stored. */
export const JobUndo = ({ job }: { job: Job }) => {
  const t = useTranslations('jobs.undo');
  const now = useNow();
  const undo = useUndo();
  const until = epochOf(job.undoUntil);
  const undoJob = undoJobOf(undo.data, undo.error);
  if (undoJob)
    return (
      <Alert color="indigo" role="status">
        {t('underWay')}{' '}
        <Anchor component={Link} size="sm" c="inherit" underline="always" href={`/jobs?job=${undoJob}`}>
          {t('watch')}
        </Anchor>
      </Alert>
    );
  if (until === null || until <= (now ?? 0)) return null;
  const { auditId } = job;
  const wanted = confirmationAsked(undo.error);
  if (wanted !== null)
    return <UndoConfirmation wanted={wanted} onConfirm={(confirm) => undo.mutate({ auditId, confirm })} />;
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          {t.rich(job.state === 'done' ? 'until' : 'partUntil', {
            when: () => <RelativeTime at={job.undoUntil} />,
          })}
        </Text>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconArrowBackUp size={16} aria-hidden />}
          loading={undo.isPending}
          onClick={() => undo.mutate({ auditId })}
        >
          {t('verb')}
        </Button>
      </Group>
      <ProblemAlert error={undo.error} />
    </div>
  );
};
