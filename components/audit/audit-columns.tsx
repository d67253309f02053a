'use client';

import { Anchor, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { codeColumn, textColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { useActionWords } from '@/components/patterns/action-words';
import { HostileText } from '@/components/patterns/hostile-text';
import type { AuditEntry } from '@/lib/audit/schema';
import { isRole } from '@/lib/permissions';
import { OutcomeBadge } from './outcome';

/** The actor and the role at that time. */
const Who = ({ entry }: { entry: AuditEntry }) => {
  const t = useTranslations('users');
  return (
    <>
      <HostileText max={60}>{entry.actor}</HostileText>
      {isRole(entry.role) && (
        <Text size="xs" c="dimmed">
          {t(`role.${entry.role}`)}
        </Text>
      )}
    </>
  );
};

/** Columns of the audit table; `onOpen` shows the full entry. */
export const useAuditColumns = (onOpen: (entry: AuditEntry) => void): DataColumn<AuditEntry>[] => {
  const t = useTranslations('audit');
  const words = useActionWords();
  return useMemo(
    (): DataColumn<AuditEntry>[] => [
      timeColumn({ id: 'at', header: t('column.at'), width: 110, pinned: true, of: (entry) => entry.at }),
      {
        id: 'actor',
        header: t('column.actor'),
        width: 205,
        cell: (entry) => <Who entry={entry} />,
        value: (entry) => entry.actor,
      },
      {
        id: 'action',
        header: t('column.action'),
        width: 190,
        pinned: true,
        card: 'title',
        cell: (entry) => (
          <>
            <Anchor component="button" size="sm" ta="start" onClick={() => onOpen(entry)}>
              {words(entry.action)}
            </Anchor>
            <Text size="xs" c="dimmed" ff="monospace">
              {entry.action}
            </Text>
          </>
        ),
        value: (entry) => entry.action,
      },
      textColumn({
        id: 'target',
        header: t('column.target'),
        width: 200,
        max: 90,
        of: (entry) => entry.target,
      }),
      {
        id: 'connection',
        header: t('column.connection'),
        width: 100,
        value: (entry) => entry.connection,
      },
      textColumn({
        id: 'reason',
        header: t('column.reason'),
        width: 160,
        max: 90,
        of: (entry) => entry.reason,
      }),
      {
        id: 'outcome',
        header: t('column.outcome'),
        width: 140,
        cell: (entry) => <OutcomeBadge entry={entry} />,
        value: (entry) => entry.outcome,
      },
      codeColumn({
        id: 'id',
        header: t('column.id'),
        width: 290,
        hiddenAtFirst: true,
        of: (entry) => entry.id,
      }),
    ],
    [t, words, onOpen],
  );
};
