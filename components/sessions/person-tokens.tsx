'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { HostileText } from '@/components/patterns/hostile-text';
import { Panel } from '@/components/patterns/panel';
import type { Person } from './queries';
import { providerName, useLife } from './still-valid';

interface TokenRow {
  id: string;
  kind: 'access' | 'refresh' | 'verification' | 'legacy';
  /** The provider, the kind of verification, or the name in a legacy key. */
  of: string | null;
  ttlSeconds: number | null;
}

const rowsOf = ({ oauth, verifications, legacy }: Person): TokenRow[] => [
  ...oauth.map(({ id, kind, provider, ttlSeconds }) => ({
    id,
    kind,
    of: providerName(provider),
    ttlSeconds,
  })),
  ...verifications.map(({ id, kind, type, ttlSeconds }) => ({ id, kind, of: type, ttlSeconds })),
  ...legacy.map(({ fingerprint, username, ttlSeconds }) => ({
    id: fingerprint,
    kind: 'legacy' as const,
    of: username,
    ttlSeconds,
  })),
];

/** OAuth tokens, verifications and legacy sessions: what lets this person in besides sessions. Never a token. */
export const PersonTokens = ({ person }: { person: Person }) => {
  const t = useTranslations('sessions.tokens');
  const life = useLife();
  const rows = useMemo(() => rowsOf(person), [person]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the formatter follows the language, which t follows too
  const columns = useMemo(
    (): DataColumn<TokenRow>[] => [
      {
        id: 'kind',
        header: t('column.kind'),
        pinned: true,
        cell: ({ kind }) => t(`kind.${kind}`),
        value: ({ kind }) => kind,
      },
      {
        id: 'of',
        header: t('column.of'),
        cell: ({ of }) => <HostileText max={60}>{of}</HostileText>,
        value: ({ of }) => of,
      },
      {
        id: 'expires',
        header: t('column.expires'),
        cell: ({ ttlSeconds }) => life(ttlSeconds),
        value: ({ ttlSeconds }) => ttlSeconds,
      },
    ],
    [t],
  );
  if (rows.length === 0) return null;
  return (
    <Panel title={t('title')} note={t('note')}>
      <DataTable
        label={t('title')}
        name="tokens"
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        loading={false}
        empty={null}
        toolbar={false}
      />
    </Panel>
  );
};
