'use client';

import { useTranslations } from 'next-intl';
import {
  countColumn,
  keyColumn,
  microsColumn,
  perSecondColumn,
  rateColumn,
  textColumn,
} from '@/components/data-table/column-kinds';
import type { ListColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import {
  type DeclaredColumns,
  declareColumns,
  useDeclaredColumns,
} from '@/components/data-table/declared-columns';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { TextLink } from '@/components/patterns/text-link';
import { UNKNOWN } from '@/lib/format';
import { type Profile, UNKNOWN_KEYS } from '@/lib/profiler/schema';

type Counted = Pick<Profile['users'][number], 'calls' | 'perSecond' | 'share'>;
type Listed<K extends keyof Profile> = Extract<Profile[K], readonly unknown[]>[number];
type FamilyRow = Listed<'families'>;
type CommandRow = Listed<'commands'>;
type PatternRow = Listed<'patterns'>;
type ClientRow = Listed<'clients'>;
type UserRow = Listed<'users'>;
type SlowRow = Listed<'slow'>;
type SampleRow = Listed<'sample'> & { id: string };

const TEXTS = 'profiler.column';

const COUNTS: ListColumn<Counted>[] = [
  countColumn({ id: 'calls', width: 90, of: ({ calls }: Counted) => calls }),
  perSecondColumn({ id: 'perSecond', width: 110, of: ({ perSecond }: Counted) => perSecond }),
  rateColumn({ id: 'share', width: 90, of: ({ share }: Counted) => share }),
];

const FamilyName = ({ family, title }: FamilyRow) => {
  const t = useTranslations('profiler');
  const { id } = useConnection();
  if (family === null) return t('withoutKey');
  if (title === null) return t(family === UNKNOWN_KEYS ? 'unknownKeys' : 'start.unclassified');
  return <TextLink href={`/${id}/families?family=${encodeURIComponent(family)}`}>{title}</TextLink>;
};

const CommandName = ({ command }: CommandRow) => {
  const t = useTranslations('profiler');
  return command === null ? t('unknownCommand') : <code>{command}</code>;
};

const callOf = ({ command, arguments: args }: SampleRow | SlowRow): string => `${command} ${args}`;

const CALL: ListColumn<SampleRow | SlowRow> = {
  id: 'call',
  width: 380,
  pinned: true,
  value: callOf,
  cell: (row) => <code>{callOf(row)}</code>,
};

export const FAMILIES = declareColumns<FamilyRow>(TEXTS, [
  {
    id: 'family',
    width: 220,
    pinned: true,
    cell: (row) => <FamilyName {...row} />,
  },
  ...COUNTS,
]);

export const COMMANDS = declareColumns<CommandRow>(TEXTS, [
  {
    id: 'command',
    width: 160,
    pinned: true,
    cell: (row) => <CommandName {...row} />,
  },
  ...COUNTS,
  microsColumn({ id: 'average', width: 110, of: ({ microsPerCall }: CommandRow) => microsPerCall }),
  rateColumn({ id: 'serverShare', width: 120, of: ({ serverShare }: CommandRow) => serverShare }),
]);

export const PATTERNS = declareColumns<PatternRow>(TEXTS, [
  keyColumn({ id: 'pattern', width: 240, pinned: true, of: ({ pattern }: PatternRow) => pattern }),
  microsColumn({ id: 'estimated', width: 130, of: ({ estimatedMicros }: PatternRow) => estimatedMicros }),
  microsColumn({ id: 'slowest', width: 120, of: ({ slowestMicros }: PatternRow) => slowestMicros }),
  ...COUNTS,
]);

export const CLIENTS = declareColumns<ClientRow>(TEXTS, [
  textColumn({ id: 'client', width: 200, pinned: true, of: ({ client }: ClientRow) => client }),
  countColumn({ id: 'connections', width: 110, of: ({ connections }: ClientRow) => connections }),
  ...COUNTS,
]);

export const USERS = declareColumns<UserRow>(TEXTS, [
  textColumn({ id: 'user', width: 200, pinned: true, of: ({ user }: UserRow) => user ?? UNKNOWN }),
  ...COUNTS,
]);

export const SLOW = declareColumns<SlowRow>(TEXTS, [
  CALL,
  microsColumn({ id: 'took', width: 110, of: ({ micros }: SlowRow) => micros }),
  textColumn({ id: 'client', width: 150, of: ({ client }: SlowRow) => client }),
]);

export const SAMPLE = declareColumns<SampleRow>(TEXTS, [
  CALL,
  textColumn({ id: 'client', width: 150, of: ({ client }: SampleRow) => client }),
  textColumn({ id: 'user', width: 110, of: ({ user }: SampleRow) => user }),
  keyColumn({ id: 'family', width: 160, of: ({ families }: SampleRow) => families?.join(' ') ?? null }),
  textColumn({ id: 'at', width: 110, of: ({ at }: SampleRow) => at.slice(11, 23) }),
]);

interface ResultTableProps<Row> {
  /** Its tab. */
  id: 'families' | 'commands' | 'patterns' | 'clients' | 'users' | 'slow' | 'sample';
  columns: DeclaredColumns<Row>;
  /** Null where the server does not report them. */
  rows: Row[] | null;
  rowId: (row: Row) => string;
}

export const ResultTable = <Row,>({ id, columns, rows, rowId }: ResultTableProps<Row>) => {
  const t = useTranslations('profiler');
  return (
    <DataTable
      label={t(`tab.${id}`)}
      name={`profile-${id}`}
      columns={useDeclaredColumns(columns)}
      rows={rows ?? []}
      rowId={rowId}
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
