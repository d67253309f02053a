'use client';

import { Alert, Stack } from '@mantine/core';
import { IconList } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { keyColumn } from '@/components/data-table/column-kinds';
import { DataTable } from '@/components/data-table/data-table';
import { declareColumns, useDeclaredColumns } from '@/components/data-table/declared-columns';
import { ScanFooter } from '@/components/data-table/scan-footer';
import { useScanTable } from '@/components/data-table/use-scan-table';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Drawer } from '@/components/patterns/drawer';
import { EntityRefText } from '@/components/patterns/entity-link';
import { KeyLink } from '@/components/patterns/key-link';
import { QueryProblem } from '@/components/patterns/query-problem';
import { useLast } from '@/components/patterns/use-last';
import type { EntityView, RelationView } from '@/lib/entities/schema';
import { type EntityName, entityQueries, type RelationRow } from './queries';

const rowIdOf = ({ row }: RelationRow): string => row;

export const RELATION_COLUMNS = declareColumns<RelationRow>('entities.relation.column', [
  {
    id: 'entity',
    width: 260,
    pinned: true,
    cell: (of) => <EntityRefText of={of} />,
    value: ({ title, id }) => title || id,
  },
  keyColumn<RelationRow>({ id: 'id', width: 160, max: 60 }),
  keyColumn<RelationRow>({ id: 'score', width: 130 }),
]);

interface RelationDrawerProps {
  of: EntityName;
  view: EntityView | undefined;
  /** Empty: closed. From the address, so a link shows the same list. */
  relation: string;
  onClose: () => void;
}

/** All elements of one relation, page by page. */
export const RelationDrawer = ({ of, view, relation, onClose }: RelationDrawerProps) => {
  const t = useTranslations('entities.relation');
  const shown = useLast(relation || null);
  const known = view?.relations.find((each) => each.relation === shown);
  return (
    <Drawer
      opened={relation !== ''}
      onClose={onClose}
      inAddress
      size="lg"
      title={known?.title ?? t('drawer')}
    >
      {relation !== '' && view && known && <Elements key={relation} of={of} relation={known} />}
      {relation !== '' && view && !known && <Alert color="orange">{t('unknown')}</Alert>}
    </Drawer>
  );
};

const Elements = ({ of, relation }: { of: EntityName; relation: RelationView }) => {
  const t = useTranslations('entities.relation');
  const { id: connection } = useConnection();
  const repeats = relation.type === 'list' || relation.type === 'string';
  const query = useInfiniteQuery(entityQueries.relation(connection, of, relation.relation, repeats));
  const found = useScanTable(query, rowIdOf);
  const scored = found.rows.some(({ score }) => score !== null);
  const columns = useDeclaredColumns(RELATION_COLUMNS, !scored && 'score');
  const count = query.data?.pages.at(-1)?.count ?? relation.count;
  if (query.isError && !query.data) return <QueryProblem of={query} />;
  return (
    <Stack gap="xs">
      {relation.keyId && relation.key && (
        <div>
          <KeyLink keyId={relation.keyId}>{relation.key}</KeyLink>
        </div>
      )}
      {relation.scanned && <Dimmed>{t('scanned')}</Dimmed>}
      <DataTable
        {...found.table}
        label={relation.title}
        name="entity-relation"
        columns={columns}
        empty={{ icon: IconList, title: t('none'), text: t('noneText') }}
      />
      <ScanFooter paused={found.paused} onMore={found.goOn}>
        {query.data && shownWords(found.rows.length)}
      </ScanFooter>
    </Stack>
  );

  function shownWords(rows: number): string {
    if (!query.hasNextPage) return t('all', { count: rows });
    return count === null ? t('soFar', { count: rows }) : t('shownOf', { count: rows, of: count });
  }
};
