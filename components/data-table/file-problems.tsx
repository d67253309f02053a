'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { HostileText } from '@/components/patterns/hostile-text';
import type { DataColumn } from './columns';
import { DataTable } from './data-table';

interface FileProblem {
  line: number;
  column: number;
  /** The path in the document; '' for the document itself. */
  path: string;
  message: string;
}

interface FileProblemsProps {
  label: string;
  name: string;
  problems: FileProblem[];
}

/** The problems of a file by the team, by line and column. */
export const FileProblems = ({ label, name, problems }: FileProblemsProps) => {
  const t = useTranslations('dataTable.problem');
  const tWord = useTranslations('words');
  const columns = useMemo(
    (): DataColumn<FileProblem>[] => [
      {
        id: 'place',
        header: tWord('line'),
        width: 70,
        pinned: true,
        value: ({ line, column }) => `${line}:${column}`,
      },
      {
        id: 'path',
        header: t('path'),
        width: 180,
        cell: ({ path }) => (path === '' ? '—' : <code>{path}</code>),
        value: ({ path }) => path,
      },
      {
        id: 'message',
        header: t('message'),
        width: 420,
        cell: ({ message }) => <HostileText max={500}>{message}</HostileText>,
        value: ({ message }) => message,
      },
    ],
    [t, tWord],
  );
  return (
    <DataTable
      label={label}
      name={name}
      columns={columns}
      rows={problems}
      rowId={({ line, column, path, message }) => `${line}:${column} ${path} ${message}`}
      loading={false}
      toolbar={false}
      empty={null}
    />
  );
};
