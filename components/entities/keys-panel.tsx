'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { DataColumn } from '@/components/data-table/columns';
import { TablePanel } from '@/components/data-table/table-panel';
import { Duration } from '@/components/patterns/figures';
import { HostileText } from '@/components/patterns/hostile-text';
import { KeyLink } from '@/components/patterns/key-link';
import type { EntityView } from '@/lib/entities/schema';

type Row = EntityView['keys'][number];

/** The keys that belong to an entity, stored ones first. */
export const KeysPanel = ({ keys }: { keys: Row[] }) => {
  const t = useTranslations('entities.keys');
  const tWord = useTranslations('words');
  const rows = useMemo(() => keys.toSorted((a, b) => Number(b.exists) - Number(a.exists)), [keys]);
  const stored = keys.filter(({ exists }) => exists).length;
  const columns = useMemo(
    (): DataColumn<Row>[] => [
      {
        id: 'key',
        header: tWord('key'),
        width: 300,
        pinned: true,
        cell: ({ key, keyId, exists }) => (
          <KeyLink keyId={keyId} {...(!exists && { c: 'dimmed' })}>
            {key}
          </KeyLink>
        ),
      },
      {
        id: 'family',
        header: tWord('family'),
        width: 180,
        cell: ({ title }) => <HostileText max={80}>{title}</HostileText>,
        value: ({ title }) => title,
      },
      {
        id: 'type',
        header: tWord('type'),
        width: 90,
        value: ({ type, exists }) => (exists ? type : t('absent')),
      },
      {
        id: 'ttl',
        header: tWord('ttl'),
        width: 100,
        align: 'right',
        cell: ({ ttlSeconds, exists }) =>
          exists && ttlSeconds === null ? t('noTtl') : <Duration value={ttlSeconds} />,
        value: ({ ttlSeconds }) => ttlSeconds,
      },
    ],
    [t, tWord],
  );
  return (
    <TablePanel
      title={tWord('keys')}
      note={keys.length > 0 && t('note', { stored, of: keys.length })}
      name="entity-keys"
      columns={columns}
      rows={rows}
      rowId={({ keyId }) => keyId}
      nothing={t('none')}
    />
  );
};
