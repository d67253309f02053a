'use client';

import { Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import type { RowDrawerProps } from '@/components/contract-list/declare-list';
import { useActionWords } from '@/components/patterns/action-words';
import type { ChangeWords } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useUndoToast } from '@/components/patterns/undo-toast';
import { useCommand } from '@/components/patterns/use-command';
import { type ApprovalRow, approvalContracts } from '@/lib/approvals/schema';
import type { Result } from '@/lib/contract';
import { visibleText } from '@/lib/visible-text';
import { RequestFacts } from './previews';

type Approved = Result<typeof approvalContracts.approve>;
type Props = RowDrawerProps<ApprovalRow>;

const useNameOf = (row: ApprovalRow | null): string => {
  const words = useActionWords();
  return row ? `${words(row.operation)}: ${visibleText(row.target, 60)}` : '';
};

/** Reports the outcome of an approved change, and offers its undo. */
const useOutcome = () => {
  const t = useTranslations('approvals.approve');
  const tWord = useTranslations('words');
  const client = useQueryClient();
  const undoToast = useUndoToast();
  return (name: string, { state, why, change }: Approved): void => {
    // Only the server knows what an approved change touched.
    void client.invalidateQueries();
    if (change) {
      const { auditId, undoUntil } = change;
      undoToast({ message: t(state === 'started' ? 'started' : 'done', { name }), auditId, undoUntil });
      return;
    }
    notifications.show({
      color: 'orange',
      title: t('suspended', { name }),
      message: why,
      autoClose: 12_000,
      role: 'alert',
      closeButtonProps: { 'aria-label': tWord('dismiss') },
    });
  };
};

/** Makes a requested change, after showing both its previews. */
export const ApproveDrawer = ({ row, ...drawer }: Props) => {
  const t = useTranslations('approvals.approve');
  const { id } = useConnection();
  const name = useNameOf(row);
  const change = useCommand(approvalContracts.approve, id);
  const tell = useOutcome();
  return (
    <FormDrawer
      {...drawer}
      width="detail"
      title={t('title', { key: name })}
      verb={t('verb')}
      needsConfirmation
      change={change}
      input={(words: ChangeWords) => ({ id: row?.id ?? '', ...words })}
      done={() => null}
      onDone={(answer) => tell(name, answer)}
    >
      {row && (
        <Stack gap="sm">
          <RequestFacts row={row} opened={drawer.opened} />
          <Text size="sm">{t('consequence')}</Text>
        </Stack>
      )}
    </FormDrawer>
  );
};

/** Declines a request; the requester reads the reason in the audit log. */
export const DeclineDrawer = ({ row, ...drawer }: Props) => {
  const t = useTranslations('approvals.decline');
  const { id } = useConnection();
  const name = useNameOf(row);
  const change = useCommand(approvalContracts.decline, id);
  return (
    <FormDrawer
      {...drawer}
      width="detail"
      title={t('title', { key: name })}
      verb={t('verb')}
      withReason="required"
      change={change}
      input={({ reason = '' }: ChangeWords) => ({ id: row?.id ?? '', reason })}
      done={() => t('done', { name })}
    >
      {row && <RequestFacts row={row} opened={drawer.opened} />}
    </FormDrawer>
  );
};

export const WithdrawDrawer = ({ row, ...drawer }: Props) => {
  const t = useTranslations('approvals.withdraw');
  const { id } = useConnection();
  const name = useNameOf(row);
  const change = useCommand(approvalContracts.withdraw, id);
  return (
    <FormDrawer
      {...drawer}
      width="detail"
      title={t('title', { key: name })}
      verb={t('verb')}
      change={change}
      input={(words: ChangeWords) => ({ id: row?.id ?? '', ...words })}
      done={() => t('done', { name })}
    >
      {row && <RequestFacts row={row} opened={drawer.opened} />}
    </FormDrawer>
  );
};
