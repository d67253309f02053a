'use client';

import { Text } from '@mantine/core';
import { IconStack2 } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback, useMemo } from 'react';
import { countColumn, timeColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { useConnection } from '@/components/patterns/connection';
import { Count } from '@/components/patterns/figures';
import { SearchField } from '@/components/patterns/filter-bar';
import { RelativeTime } from '@/components/patterns/relative-time';
import type { Queue } from '@/lib/queues/schema';
import { KeyCell, TtlText } from './key-cell';
import { ListedTable } from './listed-table';
import { queueQueries } from './queries';
import { FlowRate, Preview, previewText } from './queue-figures';

const TYPES = ['list', 'zset', 'stream', 'none'] as const;

/** The type of a queue in words. */
export const useTypeWords = () => {
  const t = useTranslations('queues.type');
  return useCallback(
    (type: string): string => {
      const known = TYPES.find((each) => each === type);
      return known ? t(known) : type;
    },
    [t],
  );
};

const DueCell = ({ queue: { due, nextDueAt } }: { queue: Queue }) => {
  const t = useTranslations('queues.queues');
  return (
    <>
      <Count value={due} />
      {nextDueAt !== null && (
        <Text size="xs" c="dimmed">
          {t.rich('next', { time: () => <RelativeTime at={nextDueAt} /> })}
        </Text>
      )}
    </>
  );
};

const useColumns = (): DataColumn<Queue>[] => {
  const t = useTranslations('queues.queues.column');
  const typeWords = useTypeWords();
  return useMemo(
    (): DataColumn<Queue>[] => [
      {
        id: 'queue',
        header: t('queue'),
        width: 240,
        pinned: true,
        cell: (queue) => <KeyCell row={queue} problem={queue.problem} />,
        value: ({ key }) => key,
      },
      {
        id: 'type',
        header: t('type'),
        width: 100,
        cell: ({ type }) => typeWords(type),
        value: ({ type }) => type,
      },
      countColumn({ id: 'length', header: t('length'), width: 100, of: ({ length }) => length }),
      timeColumn({ id: 'oldest', header: t('oldest'), width: 110, of: ({ oldest }) => oldest?.at ?? null }),
      ...(['in', 'out'] as const).map(
        (way): DataColumn<Queue> => ({
          id: way,
          header: t(way),
          align: 'right',
          width: 90,
          cell: (queue) => (
            <FlowRate value={queue[`${way}PerSecond`]} ratesAreAtLeast={queue.ratesAreAtLeast} />
          ),
          value: (queue) => queue[`${way}PerSecond`],
        }),
      ),
      {
        id: 'due',
        header: t('due'),
        align: 'right',
        width: 120,
        cell: (queue) => <DueCell queue={queue} />,
        value: ({ due }) => due,
      },
      {
        id: 'preview',
        header: t('preview'),
        width: 280,
        cell: ({ oldest }) => (oldest ? <Preview entry={oldest.preview} /> : '—'),
        value: ({ oldest }) => (oldest ? previewText(oldest.preview) : null),
      },
      {
        id: 'ttl',
        header: t('ttl'),
        align: 'right',
        width: 100,
        hiddenAtFirst: true,
        cell: (row) => <TtlText row={row} />,
        value: ({ ttlSeconds }) => ttlSeconds,
      },
    ],
    [t, typeWords],
  );
};

interface QueueListProps {
  q: string;
  onSearch: (q: string) => void;
  onOpen: (keyId: string) => void;
}

/** Queues, delayed tasks and streams. */
export const QueueList = ({ q, onSearch, onOpen }: QueueListProps) => {
  const t = useTranslations('queues.queues');
  const { id } = useConnection();
  return (
    <ListedTable
      list="queues"
      icon={<IconStack2 size={20} />}
      query={useInfiniteQuery(queueQueries.list(id, q))}
      columns={useColumns()}
      live={[q]}
      search={<SearchField value={q} onChange={onSearch} label={t('search')} noSecrets />}
      onClear={q ? () => onSearch('') : undefined}
      onOpen={({ keyId }) => onOpen(keyId)}
    />
  );
};
