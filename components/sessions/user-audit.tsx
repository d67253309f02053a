'use client';

import { Badge, Group } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { textColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { TablePanel } from '@/components/data-table/table-panel';
import { useActionWords } from '@/components/patterns/action-words';
import { AllChanges } from '@/components/patterns/all-changes';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import { TextLink } from '@/components/patterns/text-link';
import { useMay } from '@/components/patterns/viewer';
import type { User } from './user-query';

type Line = User['audit'][number];

const COLORS: Record<Line['outcome'], string> = { pending: 'gray', succeeded: 'green', failed: 'red' };

const Proof = ({ line }: { line: Line }) => {
  const t = useTranslations('sessions.user.history');
  if (!line.proof) return <span>—</span>;
  return <span>{t(line.proof.alreadyGone > 0 ? 'proofGone' : 'proof', line.proof)}</span>;
};

const useColumns = (): DataColumn<Line>[] => {
  const t = useTranslations('sessions.user.history');
  const words = useActionWords();
  const mayAudit = useMay('audit:view');
  return useMemo(
    (): DataColumn<Line>[] => [
      {
        id: 'at',
        header: t('when'),
        width: 120,
        pinned: true,
        cell: ({ id, at }) =>
          mayAudit ? (
            <TextLink href={`/audit?entry=${id}`} underline="always">
              <RelativeTime at={at} />
            </TextLink>
          ) : (
            <RelativeTime at={at} />
          ),
      },
      textColumn({ id: 'actor', header: t('who'), width: 170 }),
      {
        id: 'action',
        header: t('what'),
        width: 230,
        cell: ({ action, target }) => (
          <>
            {words(action)}{' '}
            <Dimmed size="xs">
              <HostileText max={80}>{target}</HostileText>
            </Dimmed>
          </>
        ),
      },
      textColumn({ id: 'reason', header: t('why'), width: 220, max: 120 }),
      {
        id: 'outcome',
        header: t('outcome'),
        width: 110,
        cell: ({ outcome }) => <Badge color={COLORS[outcome]}>{t(outcome)}</Badge>,
      },
      {
        id: 'proof',
        header: t('found'),
        width: 220,
        cell: (line) => <Proof line={line} />,
        value: ({ proof }) => proof?.revoked ?? null,
      },
    ],
    [t, words, mayAudit],
  );
};

/** The latest audit entries about this user: who, when, why, and the result. */
export const UserAudit = ({ user }: { user: User }) => {
  const t = useTranslations('sessions.user.history');
  const columns = useColumns();
  return (
    <TablePanel
      title={t('title')}
      note={
        <Group gap="md">
          {t('note')}
          <AllChanges kind="user" name={user.userId} />
        </Group>
      }
      name="user-audit"
      columns={columns}
      rows={user.audit}
      rowId={({ id }) => id}
      nothing={t('none')}
    />
  );
};
