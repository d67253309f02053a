import { IconNumbers } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { declareList } from '@/components/contract-list/declare-list';
import { bytesColumn, keyLinkColumn } from '@/components/data-table/column-kinds';
import { Dimmed } from '@/components/patterns/dimmed';
import { ShownBytes } from '@/components/patterns/shown-bytes';
import { useFormat } from '@/components/patterns/use-format';
import { COUNTER_KINDS, type Counter, counterContracts } from '@/lib/counters/schema';
import { Found } from './found';
import { LISTED, ProblemBadge, ttlColumn } from './key-cell';

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
      <Dimmed size="xs">
        {firstSetBit === null ? t('noFirst') : t('first', { bit: firstSetBit })}
        {bitsArePartial && ` · ${t('partial')}`}
      </Dimmed>
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

const KindText = ({ kind }: Pick<Counter, 'kind'>) => useTranslations('queues.counters.kind')(kind);

/** Counters, bitmaps and HyperLogLogs, read as what they are. */
export const COUNTERS = declareList({
  contract: counterContracts.list,
  texts: 'queues.counters',
  name: 'counters',
  icon: IconNumbers,
  ...LISTED,
  selects: { kind: COUNTER_KINDS },
  status: (props) => <Found texts="queues.counters" {...props} isFiltered={false} />,
  columns: [
    keyLinkColumn({ width: 280 }),
    { id: 'kind', width: 140, cell: ({ kind }) => <KindText kind={kind} />, value: ({ kind }) => kind },
    {
      id: 'value',
      width: 280,
      cell: (counter) => <ValueCell counter={counter} />,
      value: ({ digits, bitsSet, cardinality }) => digits ?? bitsSet ?? cardinality,
    },
    bytesColumn<Counter>({ id: 'bytes', width: 100 }),
    ttlColumn,
  ],
});
