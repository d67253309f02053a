'use client';

import { Badge, Group } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { AuditEntry } from '@/lib/audit/schema';

const COLORS = { pending: 'gray', succeeded: 'green', failed: 'red' } as const;

/** Outcome, and whether the change was undone. */
export const OutcomeBadge = ({ entry }: { entry: Pick<AuditEntry, 'outcome' | 'undoneBy'> }) => {
  const t = useTranslations('audit');
  return (
    <Group gap={4} wrap="nowrap">
      <Badge color={COLORS[entry.outcome]}>{t(`outcome.${entry.outcome}`)}</Badge>
      {entry.undoneBy && <Badge color="orange">{t('undone')}</Badge>}
    </Group>
  );
};
