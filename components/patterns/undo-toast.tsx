'use client';

import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback } from 'react';
import { ApiProblem, call } from '@/lib/api-client';
import { undoContract } from '@/lib/audit/schema';
import { confirmationAsked } from './confirmation-asked';
import { onDemand } from './on-demand';
import { refocus } from './return-focus';

const UndoConfirmation = onDemand(async () => (await import('./undo-confirmation')).UndoConfirmation);
const UndoOutcome = onDemand(async () => (await import('./undo-outcome')).UndoOutcome);

interface Done {
  /** What happened: "FEATURE_SEARCH is off". */
  message: string;
  auditId: string | null | undefined;
  /** Undo is offered until this time; without it, not at all. */
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
  const tWord = useTranslations('words');
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
      refocus();
      const end = { id, loading: false, autoClose: OFFER_MS, withCloseButton: true };
      try {
        const result = await call(undoContract, { auditId, ...(confirm ? { confirm } : {}) });
        notifications.update({
          ...end,
          // A job is followed to its end.
          ...(result.jobId && { autoClose: false }),
          color: result.conflicts.length > 0 ? 'orange' : 'green',
          message: <UndoOutcome {...result} />,
        });
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
              {tWord('undo')}
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
        closeButtonProps: { 'aria-label': tWord('dismiss') },
      });
    },
    [undo, tWord],
  );
};
