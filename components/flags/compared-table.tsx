'use client';

import { Badge, Group, Switch, Text } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { IconArrowsDiff } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import type { ConnectionFacts } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { visibleText } from '@/lib/visible-text';
import { type ComparedFlag, compareFlags, type ListedFlags } from './compare-flags';
import { HeldValue, useHeldText } from './held-value';

interface ComparedTableProps {
  connections: readonly ConnectionFacts[];
  /** A list for each connection. */
  lists: readonly ListedFlags[];
  onFlag: (name: string) => void;
}

const nameOf = ({ name }: ComparedFlag): string => name;

/** All flags, with a column for each connection. */
export const ComparedTable = ({ connections, lists, onFlag }: ComparedTableProps) => {
  const t = useTranslations('flags.compare');
  const [onlyDifferent, setOnlyDifferent] = useInputState(true);
  const compared = useMemo(() => compareFlags(lists), [lists]);
  const different = compared.filter(({ differs }) => differs);
  const columns = useColumns(connections);
  const isIncomplete = lists.some((list) => typeof list === 'object' && !list.complete);
  return (
    <>
      <Text size="sm">{t('counts', { count: different.length, total: compared.length })}</Text>
      {isIncomplete && <Dimmed>{t('incomplete')}</Dimmed>}
      <Switch label={t('onlyDifferent')} checked={onlyDifferent} onChange={setOnlyDifferent} />
      <DataTable
        label={t('title')}
        name="flag-comparison"
        columns={columns}
        rows={onlyDifferent ? different : compared}
        rowId={nameOf}
        loading={lists.includes('loading') && different.length === 0}
        live={[onlyDifferent]}
        onOpen={({ name }) => onFlag(name)}
        empty={{ icon: IconArrowsDiff, title: t('none.title'), text: t('none.text') }}
      />
    </>
  );
};

const useColumns = (connections: readonly ConnectionFacts[]): DataColumn<ComparedFlag>[] => {
  const t = useTranslations('flags');
  const textOf = useHeldText();
  return useMemo(
    (): DataColumn<ComparedFlag>[] => [
      {
        id: 'name',
        header: t('column.name'),
        width: 240,
        pinned: true,
        cell: ({ name, differs }) => (
          <Group gap={6}>
            <HostileText max={80}>{name}</HostileText>
            {differs && <Badge color="orange">{t('compare.differs')}</Badge>}
          </Group>
        ),
        value: nameOf,
      },
      ...connections.map(
        (connection, i): DataColumn<ComparedFlag> => ({
          id: connection.id,
          header: visibleText(connection.name, 40),
          width: 130,
          pinned: true,
          cell: ({ held }) => <HeldValue held={held[i]!} of={connection} />,
          value: ({ held }) => textOf(held[i]!),
        }),
      ),
    ],
    [t, textOf, connections],
  );
};
