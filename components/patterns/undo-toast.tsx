'use client';

import { Anchor, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback } from 'react';
import { ApiProblem, call } from '@/lib/api-client';
import { undoContract } from '@/lib/audit/schema';
import { Link } from './link';
import { confirmationAsked, UndoConfirmation } from './undo-confirmation';

interface Done {
  /** What happened: "FEATURE_SEARCH is off". */
  message: string;
  auditId: string | null | undefined;
  /** Undo is offered until this time; not without it. */
  undoUntil?: string | null | undefined;
  /** Green by default; orange for a partial success. */
  color?: string;
}

const OFFER_MS = 12_000;

/**
 * A toast with an Undo button (`audit.undo`) while undo is possible. After an undo all queries are refetched, since only
 * the server knows what it changed.
 */
export const useUndoToast = () => {
  const t = useTranslations('patterns.undo');
  const client = useQueryClient();
  const undo = useCallback(
    async (id: string, auditId: string, confirm?: string): Promise<void> => {
      notifications.update({
        id,
        loading: true,
        message: t('undoing'),
        autoClose: false,
        withCloseButton: false,
      });
      const end = { id, loading: false, autoClose: OFFER_MS, withCloseButton: true };
      try {
        const { undone, conflicts, jobId } = await call(undoContract, {
          auditId,
          ...(confirm ? { confirm } : {}),
        });
        const problem = conflicts[0];
        const summary = problem
          ? t('conflict', { what: problem.what, why: problem.why })
          : t('undone', { count: undone });
        const message = jobId ? <RunningUndo jobId={jobId} /> : summary;
        notifications.update({ ...end, color: problem ? 'orange' : 'green', message });
      } catch (error) {
        const wanted = confirmationAsked(error);
        if (wanted !== null) {
          const message = (
            <UndoConfirmation wanted={wanted} onConfirm={(typed) => void undo(id, auditId, typed)} />
          );
          notifications.update({ ...end, autoClose: false, message });
          return;
        }
        const requestId = error instanceof ApiProblem ? error.requestId : null;
        const message = error instanceof Error ? error.message : String(error);
        notifications.update({
          ...end,
          color: 'red',
          message: requestId ? `${message} (${requestId})` : message,
        });
      }
      await client.invalidateQueries();
    },
    [client, t],
  );
  return useCallback(
    ({ message, auditId, undoUntil, color = 'green' }: Done) => {
      const id = `done-${auditId ?? crypto.randomUUID()}`;
      const possible = auditId && undoUntil && Date.parse(undoUntil) > Date.now();
      const body = (
        <Group justify="space-between" wrap="nowrap" gap="sm">
          <Text size="sm" miw={0} style={{ overflowWrap: 'anywhere' }}>
            {message}
          </Text>
          {possible && (
            <Button size="compact-sm" variant="light" flex="none" onClick={() => void undo(id, auditId)}>
              {t('undo')}
            </Button>
          )}
        </Group>
      );
      notifications.show({
        id,
        color,
        message: body,
        autoClose: possible ? OFFER_MS : 5000,
        role: 'status',
        closeButtonProps: { 'aria-label': t('dismiss') },
      });
    },
    [t, undo],
  );
};

/** An undo of many keys runs as a job. */
const RunningUndo = ({ jobId }: { jobId: string }) => {
  const t = useTranslations('patterns.undo');
  return (
    <>
      {t('running')}{' '}
      <Anchor component={Link} size="sm" underline="always" href={`/jobs?job=${jobId}`}>
        {t('viewJob')}
      </Anchor>
    </>
  );
};
