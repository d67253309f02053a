'use client';

import { Text } from '@mantine/core';
import { IconNumbers } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { bytesColumn, keyLinkColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { useConnection } from '@/components/patterns/connection';
import { FilterSelect } from '@/components/patterns/filter-select';
import { ShownBytes } from '@/components/patterns/shown-bytes';
import { useFormat } from '@/components/patterns/use-format';
import { COUNTER_KINDS, type Counter } from '@/lib/counters/schema';
import { ProblemBadge, TtlText } from './key-cell';
import { ListedTable } from './listed-table';
import { countersQuery } from './queries';

/** Digits that a double holds exactly. */
const EXACT = /^[+-]?\d{1,15}$/;

const CountValue = ({ counter: { number, digits } }: { counter: Counter }) => {
  const format = useFormat();
  return digits !== null && <strong>{EXACT.test(digits) ? format.count(number) : digits}</strong>;
};

const BitmapValue = ({ counter }: { counter: Counter }) => {
  const t = useTranslations('queues.counters.bitmap');
  const { bits, bitsSet, bitsArePartial, firstSetBit } = counter;
  return (
    <>
      {t('set', { set: bitsSet ?? 0, bits: bits ?? 0 })}
      <Text size="xs" c="dimmed">
        {firstSetBit === null ? t('noFirst') : t('first', { bit: firstSetBit })}
        {bitsArePartial && ` · ${t('partial')}`}
      </Text>
    </>
  );
};

const ValueCell = ({ counter }: { counter: Counter }) => {
  const t = useTranslations('queues.counters');
  const { kind, problem, cardinality, text, bits } = counter;
  return (
    <>
      <ProblemBadge problem={problem} />
      {problem !== null && ' '}
      {kind === 'count' && <CountValue counter={counter} />}
      {text && <ShownBytes of={text} max={80} />}
      {bits !== null && <BitmapValue counter={counter} />}
      {cardinality !== null && <strong>{t('about', { count: cardinality })}</strong>}
    </>
  );
};

const useColumns = (): DataColumn<Counter>[] => {
  const t = useTranslations('queues.counters');
  return useMemo(
    (): DataColumn<Counter>[] => [
      keyLinkColumn({ header: t('column.key'), width: 280 }),
      {
        id: 'kind',
        header: t('column.kind'),
        width: 140,
        cell: ({ kind }) => t(`kind.${kind}`),
        value: ({ kind }) => kind,
      },
      {
        id: 'value',
        header: t('column.value'),
        width: 280,
        cell: (counter) => <ValueCell counter={counter} />,
        value: ({ digits, bitsSet, cardinality }) => digits ?? bitsSet ?? cardinality,
      },
      bytesColumn({ id: 'bytes', header: t('column.bytes'), width: 100, of: ({ bytes }) => bytes }),
      {
        id: 'ttl',
        header: t('column.ttl'),
        align: 'right',
        width: 110,
        cell: (row) => <TtlText row={row} />,
        value: ({ ttlSeconds }) => ttlSeconds,
      },
    ],
    [t],
  );
};

interface CounterListProps {
  /** As in the address; anything else than a kind means all. */
  kind: string;
  onKind: (kind: string) => void;
}

/** Counters, bitmaps and HyperLogLogs, read as what they are. */
export const CounterList = ({ kind: asked, onKind }: CounterListProps) => {
  const t = useTranslations('queues.counters');
  const { id } = useConnection();
  const kind = COUNTER_KINDS.find((each) => each === asked) ?? '';
  return (
    <ListedTable
      list="counters"
      icon={<IconNumbers size={20} />}
      query={useInfiniteQuery(countersQuery(id, kind))}
      columns={useColumns()}
      live={[kind]}
      active={kind ? 1 : 0}
    >
      <FilterSelect
        label={t('column.kind')}
        any={t('anyKind')}
        data={COUNTER_KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
        value={kind}
        onChange={onKind}
      />
    </ListedTable>
  );
};
