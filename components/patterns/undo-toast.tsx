'use client';

import { Anchor, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import Link from 'next/link';
import { useTranslations } from 'next-intl';
import { useCallback } from 'react';
import { ApiProblem, call } from '@/lib/api-client';
import { undoContract } from '@/lib/audit/schema';
import { confirmationAsked, UndoConfirmation } from './undo-confirmation';

interface Done {
  /** What was done, in words: "FEATURE_SEARCH is off". */
  message: string;
  auditId: string | null | undefined;
  /** Undo is offered only where the answer carried this. */
  undoUntil?: string | null | undefined;
  /** Green unless something is to be looked at. */
  color?: string;
}

const OFFER_MS = 12_000;

/**
 * `const undoToast = useUndoToast()`: says what was done and offers Undo (`audit.undo`) while it is possible.
 * After an undo every query is read anew, since what it touched is the server's to know.
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
        const said = problem
          ? t('conflict', { what: problem.what, why: problem.why })
          : t('undone', { count: undone });
        const message = jobId ? <UndoUnderWay jobId={jobId} /> : said;
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

/** Long work goes on as a job, which says what became of it. */
const UndoUnderWay = ({ jobId }: { jobId: string }) => {
  const t = useTranslations('patterns.undo');
  return (
    <>
      {t('underWay')}{' '}
      <Anchor component={Link} size="sm" underline="always" href={`/jobs?job=${jobId}`}>
        {t('watch')}
      </Anchor>
    </>
  );
};
