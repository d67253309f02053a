'use client';

import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { DataColumn } from '@/components/data-table/columns';
import { ShortTable } from '@/components/data-table/short-table';
import type { ConnectionFacts } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { UNKNOWN } from '@/lib/format';
import { compareFlags, type Held, type ListedFlags } from './compare-flags';
import { ChangeCell } from './flag-cells';
import { HeldValue } from './held-value';

interface HeldBy {
  connection: ConnectionFacts;
  held: Held;
}

interface ComparedConnectionsProps {
  connections: readonly ConnectionFacts[];
  /** A list for each connection. */
  lists: readonly ListedFlags[];
  name: string;
}

const idOf = ({ connection }: HeldBy): string => connection.id;

/** One flag, with a row for each connection. */
export const ComparedConnections = ({ connections, lists, name }: ComparedConnectionsProps) => {
  const t = useTranslations('flags.compare');
  const columns = useColumns();
  const [flag] = compareFlags(lists, [name]);
  const { held, differs, isKnown } = flag!;
  const verdict = differs ? 'differs' : isKnown ? 'same' : 'partly';
  const rows = connections.map((connection, i) => ({ connection, held: held[i]! }));
  return (
    <>
      {!held.includes('loading') && <Text size="sm">{t(`verdict.${verdict}`)}</Text>}
      <ShortTable label={t('title')} name="flag-by-connection" columns={columns} rows={rows} rowId={idOf} />
    </>
  );
};

const useColumns = (): DataColumn<HeldBy>[] => {
  const t = useTranslations('flags');
  const tShell = useTranslations('shell.environment');
  const tWord = useTranslations('words');
  return useMemo(
    (): DataColumn<HeldBy>[] => [
      {
        id: 'connection',
        header: tWord('connection'),
        pinned: true,
        value: null,
        cell: ({ connection }) => (
          <>
            <HostileText max={40}>{connection.name}</HostileText>
            <Dimmed size="xs">{tShell(connection.environment)}</Dimmed>
          </>
        ),
      },
      {
        id: 'state',
        header: tWord('state'),
        width: 130,
        pinned: true,
        value: null,
        cell: ({ connection, held }) => <HeldValue held={held} of={connection} />,
      },
      {
        id: 'updatedAt',
        header: t('column.changed'),
        width: 260,
        value: null,
        cell: ({ held }) => (typeof held === 'string' ? UNKNOWN : <ChangeCell flag={held} />),
      },
    ],
    [t, tShell, tWord],
  );
};
