'use client';

import { Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { actionsColumn, codeColumn, textColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { RowButton } from '@/components/data-table/row-button';
import { useConnection } from '@/components/patterns/connection';
import { Panel } from '@/components/patterns/panel';
import { useMay } from '@/components/patterns/viewer';
import { useLife } from './still-valid';
import type { Revocation } from './use-revocation';
import type { User } from './user-query';

type LegacyRow = User['legacy'][number];

interface UserIndexProps {
  user: User;
  revocation: Revocation;
}

/** Errors of this user's index, and sessions in the deprecated format. */
export const UserIndex = ({ user, revocation }: UserIndexProps) => {
  const t = useTranslations('sessions.user');
  const { indexEntries, staleIndex, unindexed, legacy } = user;
  return (
    <>
      {staleIndex + unindexed > 0 && (
        <Panel title={t('index')}>
          <Text size="sm">{t('indexHas', { count: indexEntries })}</Text>
          {staleIndex > 0 && <Text size="sm">{t('indexStale', { count: staleIndex })}</Text>}
          {unindexed > 0 && <Text size="sm">{t('indexMisses', { count: unindexed })}</Text>}
        </Panel>
      )}
      {legacy.length > 0 && (
        <Legacy
          rows={legacy}
          onRevoke={({ handle, username }) =>
            revocation.ask({ kind: 'sessions', sessions: [{ handle, userId: user.userId, username }] })
          }
        />
      )}
    </>
  );
};

const Legacy = ({ rows, onRevoke }: { rows: LegacyRow[]; onRevoke: (row: LegacyRow) => void }) => {
  const t = useTranslations('sessions.user');
  const tSessions = useTranslations('sessions');
  const tWord = useTranslations('words');
  const { readOnly } = useConnection();
  const mayRevoke = useMay('sessions:revoke') && !readOnly;
  const life = useLife();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the formatter follows the language, which t follows too
  const columns = useMemo(
    (): DataColumn<LegacyRow>[] => [
      textColumn({
        id: 'username',
        header: tWord('user'),
        pinned: true,
      }),
      codeColumn({
        id: 'fingerprint',
        header: tSessions('column.fingerprint'),
      }),
      {
        id: 'expires',
        header: tWord('expiresIn'),
        cell: ({ ttlSeconds }) => life(ttlSeconds),
        value: ({ ttlSeconds }) => ttlSeconds,
      },
      ...(mayRevoke
        ? [
            actionsColumn({
              width: 60,
              cell: (row: LegacyRow) => (
                <RowButton
                  hint={t('legacyRevoke')}
                  label={t('legacyRevokeOf', { fingerprint: row.fingerprint })}
                  icon={<IconTrash size={16} />}
                  onClick={() => onRevoke(row)}
                />
              ),
            }),
          ]
        : []),
    ],
    [t, mayRevoke, onRevoke],
  );
  return (
    <Panel title={t('figure.legacy')} note={t('legacyNote')} flush>
      <DataTable
        label={t('figure.legacy')}
        name="user-legacy"
        columns={columns}
        rows={rows}
        rowId={({ fingerprint }) => fingerprint}
        toolbar={false}
      />
    </Panel>
  );
};
