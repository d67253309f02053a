'use client';

import { textColumn } from './column-kinds';
import { DataTable } from './data-table';
import { declareColumns, useDeclaredColumns } from './declared-columns';

interface FileProblem {
  line: number;
  column: number;
  /** The path in the document; '' for the document itself. */
  path: string;
  message: string;
}

export const FILE_PROBLEMS = declareColumns<FileProblem>('dataTable.problem', [
  {
    id: 'place',
    header: 'line',
    width: 70,
    pinned: true,
    value: ({ line, column }) => `${line}:${column}`,
  },
  {
    id: 'path',
    width: 180,
    cell: ({ path }) => (path === '' ? '—' : <code>{path}</code>),
  },
  textColumn<FileProblem>({ id: 'message', width: 420, max: 500 }),
]);

interface FileProblemsProps {
  label: string;
  name: string;
  problems: FileProblem[];
}

/** The problems of a file by the team, by line and column. */
export const FileProblems = ({ label, name, problems }: FileProblemsProps) => {
  const columns = useDeclaredColumns(FILE_PROBLEMS);
  return (
    <DataTable
      label={label}
      name={name}
      columns={columns}
      rows={problems}
      rowId={({ line, column, path, message }) => `${line}:${column} ${path} ${message}`}
      toolbar={false}
    />
  );
};
