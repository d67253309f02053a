'use client';

import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconChecks } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { type ApiProblem, call } from '@/lib/api-client';
import { approvalContracts } from '@/lib/approvals/schema';
import { TextLink } from './text-link';

interface AskApprovalProps {
  problem: ApiProblem;
  asks: NonNullable<ApiProblem['asks']>;
}

/** In place of the refusal of a change that needs approval: asks for it, with the input as it was typed. */
export const AskApproval = ({ problem, asks: { operation, input, connection } }: AskApprovalProps) => {
  const t = useTranslations('patterns.approval');
  const tWord = useTranslations('words');
  const client = useQueryClient();
  const [reason, setReason] = useState(typeof input.reason === 'string' ? input.reason : '');
  const ask = useMutation({
    mutationFn: () =>
      call(
        approvalContracts.request,
        { operation, input, ...(reason.trim() && { reason: reason.trim() }) },
        { connection },
      ),
    onSettled: () => client.invalidateQueries({ queryKey: [approvalContracts.list.id] }),
    gcTime: 0,
  });
  if (ask.isSuccess)
    return (
      <Alert role="status" color="green" icon={<IconChecks size={18} />} title={t('asked')}>
        {t.rich('askedText', {
          page: (name) => <TextLink href={`/${connection}/approvals`}>{name}</TextLink>,
        })}
      </Alert>
    );
  return (
    <Alert role="alert" color="orange" icon={<IconChecks size={18} />} title={t('title')}>
      <Stack gap="sm">
        <Text size="sm">{problem.message}</Text>
        <Textarea
          label={tWord('reason')}
          description={t('reasonHint')}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          maxLength={500}
          autosize
          maxRows={5}
        />
        {ask.error && (
          <Text size="sm" role="alert" c="var(--kw-bad-text)">
            {ask.error.message}
          </Text>
        )}
        <Group justify="flex-end">
          <Button size="xs" onClick={() => ask.mutate()} loading={ask.isPending}>
            {t('ask')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
};
