'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { bytesColumn, countColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { ShortTable } from '@/components/data-table/short-table';

interface FamilyCounts {
  family: string;
  title: string;
  keys: number;
  memoryBytes: number | null;
  withoutTtl: number;
}

interface FamilyTableProps {
  label: string;
  name: string;
  rows: FamilyCounts[];
}

const idOf = ({ family }: FamilyCounts): string => family;

/** Families with their keys, memory and keys without TTL. */
export const FamilyTable = ({ label, name, rows }: FamilyTableProps) => {
  const t = useTranslations('diagnostics.family');
  const tWord = useTranslations('words');
  const columns = useMemo(
    (): DataColumn<FamilyCounts>[] => [
      { id: 'family', header: tWord('family'), width: 170, pinned: true, value: ({ title }) => title },
      countColumn({ id: 'keys', header: tWord('keys'), width: 90 }),
      bytesColumn({ id: 'memory', header: t('memory'), width: 100, of: ({ memoryBytes }) => memoryBytes }),
      countColumn({ id: 'withoutTtl', header: tWord('withoutTtl'), width: 110 }),
    ],
    [t, tWord],
  );
  return <ShortTable label={label} name={name} columns={columns} rows={rows} rowId={idOf} />;
};
