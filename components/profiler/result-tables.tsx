'use client';

import { Anchor } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import {
  countColumn,
  keyColumn,
  perSecondColumn,
  rateColumn,
  textColumn,
} from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { Link } from '@/components/patterns/link';
import { useMicros } from '@/components/patterns/use-micros';
import { UNKNOWN } from '@/lib/format';
import { type Profile, UNKNOWN_KEYS } from '@/lib/profiler/schema';

type Counted = Pick<Profile['users'][number], 'calls' | 'perSecond' | 'share'>;

const useCountColumns = <Row extends Counted>(): DataColumn<Row>[] => {
  const t = useTranslations('profiler.column');
  return useMemo(
    () => [
      countColumn({ id: 'calls', header: t('calls'), width: 90, of: ({ calls }: Row) => calls }),
      perSecondColumn({
        id: 'perSecond',
        header: t('perSecond'),
        width: 110,
        of: (row: Row) => row.perSecond,
      }),
      rateColumn({ id: 'share', header: t('share'), width: 90, of: ({ share }: Row) => share }),
    ],
    [t],
  );
};

const Table = <Row,>(props: {
  id: string;
  columns: DataColumn<Row>[];
  /** Null where the server does not tell. */
  rows: Row[] | null;
  rowId: (row: Row) => string;
}) => {
  const t = useTranslations('profiler');
  const { id, rows, ...table } = props;
  return (
    <DataTable
      {...table}
      rows={rows ?? []}
      label={t(`tab.${id as 'families'}`)}
      name={`profile-${id}`}
      loading={false}
      empty={
        rows ? (
          <EmptyState title={t('noCalls')}>{t('noCallsText')}</EmptyState>
        ) : (
          <EmptyState title={t('notKnown')}>
            {t(id === 'slow' ? 'unknown.slowLog' : 'unknown.keys')}
          </EmptyState>
        )
      }
    />
  );
};

type FamilyRow = NonNullable<Profile['families']>[number];

export const FamilyTable = ({ rows }: { rows: FamilyRow[] | null }) => {
  const t = useTranslations('profiler');
  const { id } = useConnection();
  const counts = useCountColumns<FamilyRow>();
  const columns = useMemo<DataColumn<FamilyRow>[]>(
    () => [
      {
        id: 'family',
        header: t('column.family'),
        width: 220,
        pinned: true,
        value: ({ family }) => family,
        cell: ({ family, title }) => {
          if (family === null) return t('withoutKey');
          if (title === null) return t(family === UNKNOWN_KEYS ? 'unknownKeys' : 'start.unclassified');
          return (
            <Anchor component={Link} size="sm" href={`/${id}/families?family=${encodeURIComponent(family)}`}>
              {title}
            </Anchor>
          );
        },
      },
      ...counts,
    ],
    [t, id, counts],
  );
  return <Table id="families" columns={columns} rows={rows} rowId={({ family }) => family ?? ''} />;
};

type CommandRow = NonNullable<Profile['commands']>[number];

export const CommandTable = ({ rows }: { rows: CommandRow[] | null }) => {
  const t = useTranslations('profiler');
  const counts = useCountColumns<CommandRow>();
  const micros = useMicros();
  const columns: DataColumn<CommandRow>[] = [
    {
      id: 'command',
      header: t('column.command'),
      width: 160,
      pinned: true,
      value: ({ command }) => command,
      cell: ({ command }) => (command === null ? t('unknownCommand') : <code>{command}</code>),
    },
    ...counts,
    {
      id: 'average',
      header: t('column.average'),
      width: 110,
      align: 'right',
      value: ({ microsPerCall }) => microsPerCall,
      cell: ({ microsPerCall }) => micros(microsPerCall),
    },
    rateColumn({
      id: 'serverShare',
      header: t('column.serverShare'),
      width: 120,
      of: (row) => row.serverShare,
    }),
  ];
  return <Table id="commands" columns={columns} rows={rows} rowId={({ command }) => command ?? ''} />;
};

type ClientRow = Profile['clients'][number];

export const ClientTable = ({ rows }: { rows: ClientRow[] }) => {
  const t = useTranslations('profiler.column');
  const counts = useCountColumns<ClientRow>();
  const columns: DataColumn<ClientRow>[] = [
    textColumn({ id: 'client', header: t('client'), width: 200, pinned: true, of: ({ client }) => client }),
    countColumn({ id: 'connections', header: t('connections'), width: 110, of: (row) => row.connections }),
    ...counts,
  ];
  return <Table id="clients" columns={columns} rows={rows} rowId={({ client }) => client} />;
};

type UserRow = Profile['users'][number];

export const UserTable = ({ rows }: { rows: UserRow[] }) => {
  const t = useTranslations('profiler.column');
  const counts = useCountColumns<UserRow>();
  const columns: DataColumn<UserRow>[] = [
    textColumn({
      id: 'user',
      header: t('user'),
      width: 200,
      pinned: true,
      of: ({ user }) => user ?? UNKNOWN,
    }),
    ...counts,
  ];
  return <Table id="users" columns={columns} rows={rows} rowId={({ user }) => user ?? ''} />;
};

type PatternRow = NonNullable<Profile['patterns']>[number];

export const PatternTable = ({ rows }: { rows: PatternRow[] | null }) => {
  const t = useTranslations('profiler.column');
  const counts = useCountColumns<PatternRow>();
  const micros = useMicros();
  const columns: DataColumn<PatternRow>[] = [
    keyColumn({
      id: 'pattern',
      header: t('pattern'),
      width: 240,
      pinned: true,
      of: ({ pattern }) => pattern,
    }),
    {
      id: 'estimated',
      header: t('estimated'),
      width: 130,
      align: 'right',
      value: ({ estimatedMicros }) => estimatedMicros,
      cell: ({ estimatedMicros }) => micros(estimatedMicros),
    },
    {
      id: 'slowest',
      header: t('slowest'),
      width: 120,
      align: 'right',
      value: ({ slowestMicros }) => slowestMicros,
      cell: ({ slowestMicros }) => micros(slowestMicros),
    },
    ...counts,
  ];
  return <Table id="patterns" columns={columns} rows={rows} rowId={({ pattern }) => pattern} />;
};

export type SampleRow = Profile['sample'][number] & { id: string };

export const SampleTable = ({ rows }: { rows: SampleRow[] }) => {
  const t = useTranslations('profiler.column');
  const columns: DataColumn<SampleRow>[] = [
    {
      id: 'call',
      header: t('call'),
      width: 380,
      pinned: true,
      value: ({ command, arguments: args }) => `${command} ${args}`,
      cell: ({ command, arguments: args }) => <code>{`${command} ${args}`}</code>,
    },
    textColumn({ id: 'client', header: t('client'), width: 150, of: ({ client }) => client }),
    textColumn({ id: 'user', header: t('user'), width: 110, of: ({ user }) => user }),
    keyColumn({
      id: 'families',
      header: t('family'),
      width: 160,
      of: ({ families }) => families?.join(' ') ?? null,
    }),
    textColumn({ id: 'at', header: t('at'), width: 110, of: ({ at }) => at.slice(11, 23) }),
  ];
  return <Table id="sample" columns={columns} rows={rows} rowId={({ id }) => id} />;
};

type SlowRow = NonNullable<Profile['slow']>[number];

export const SlowTable = ({ rows }: { rows: SlowRow[] | null }) => {
  const t = useTranslations('profiler.column');
  const micros = useMicros();
  const columns: DataColumn<SlowRow>[] = [
    {
      id: 'call',
      header: t('call'),
      width: 380,
      pinned: true,
      value: ({ command, arguments: args }) => `${command} ${args}`,
      cell: ({ command, arguments: args }) => <code>{`${command} ${args}`}</code>,
    },
    {
      id: 'micros',
      header: t('took'),
      width: 110,
      align: 'right',
      value: (row) => row.micros,
      cell: (row) => micros(row.micros),
    },
    textColumn({ id: 'client', header: t('client'), width: 150, of: ({ client }) => client }),
  ];
  const ids = new Map(rows?.map((row, i) => [row, `${i}`]));
  return <Table id="slow" columns={columns} rows={rows} rowId={(row) => ids.get(row) ?? ''} />;
};
