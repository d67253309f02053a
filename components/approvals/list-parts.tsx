'use client';

import { Badge } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useActionWords } from '@/components/patterns/action-words';
import { NO_STATUS } from '@/components/patterns/filter-bar';
import { HostileText } from '@/components/patterns/hostile-text';
import { Strong } from '@/components/patterns/strong';
import { Tooltip } from '@/components/patterns/tooltip';
import { useFormat } from '@/components/patterns/use-format';
import type { ApprovalRow, ApprovalState } from '@/lib/approvals/schema';

const COLORS: Record<ApprovalState, string> = {
  pending: 'indigo',
  suspended: 'orange',
  executing: 'gray',
  inDoubt: 'red',
  expired: 'gray',
};

export const StateBadge = ({ row: { state, why } }: { row: ApprovalRow }) => {
  const t = useTranslations('approvals');
  return (
    <Tooltip label={why ?? t(`stateMeans.${state}`)} multiline maw={320}>
      <Badge color={COLORS[state]}>{t(`state.${state}`)}</Badge>
    </Tooltip>
  );
};

/** The requested change in words, and its target. */
export const ChangeCell = ({ row: { operation, target } }: { row: ApprovalRow }) => {
  const words = useActionWords();
  return (
    <>
      <Strong span>{words(operation)}</Strong> <HostileText max={120}>{target}</HostileText>
    </>
  );
};

/** How many things it would have touched when it was requested. */
export const CountCell = ({ row: { was } }: { row: ApprovalRow }) => useFormat().count(was.count);

export const NoAge = () => NO_STATUS;
