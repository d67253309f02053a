'use client';

import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn, keyLinkColumn, rateColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { ShortTable } from '@/components/data-table/short-table';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { familiesQuery } from '@/components/patterns/families-query';
import { PerSecond } from '@/components/patterns/figures';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useFormat } from '@/components/patterns/use-format';
import type { Diagnostics, HotKey } from '@/lib/diagnostics/schema';
import type { FamilyRow } from '@/lib/families/schema';
import { readableRate } from '@/lib/hit-rates/rate';
import { SectionPanel } from './section-panel';
import { OnlyCounts } from './slow-log-section';

const MAX_FAMILIES = 5;

const keyIdOf = ({ keyId }: HotKey): string => keyId;
const familyOf = ({ family }: FamilyRow): string => family;
/** By the time observed: counters cover the whole hour, windows of the live traffic seconds of it. */
const rateOf = ({ hits, misses, windowSeconds }: FamilyRow): number =>
  windowSeconds ? ((hits ?? 0) + (misses ?? 0)) / windowSeconds : 0;

/** The most used keys under an LFU policy. */
export const HotKeysSection = ({ hotKeys }: { hotKeys: Diagnostics['hotKeys'] }) => {
  const t = useTranslations('diagnostics');
  const tWord = useTranslations('words');
  const format = useFormat();
  const { figures } = hotKeys;
  const columns = useMemo(
    (): DataColumn<HotKey>[] => [
      keyLinkColumn({ header: tWord('key'), width: 240, max: 60 }),
      countColumn({ id: 'frequency', header: tWord('frequency'), width: 100 }),
    ],
    [tWord],
  );
  return (
    <SectionPanel
      name="hotKeys"
      section={hotKeys}
      findings={hotKeys.findings.map((finding) => t(`finding.hotKeys.${finding}`))}
      links={[{ path: '/hit-rates', label: tWord('hitRates') }]}
      facts={[
        {
          label: t('hotKeys.sampled'),
          value: t('hotKeys.sampledOf', {
            sampled: format.count(figures?.sampled),
            of: format.count(figures?.of),
          }),
        },
        { label: t('hotKeys.at'), value: <RelativeTime at={figures?.sampledAt ?? null} /> },
      ]}
    >
      {figures?.keys === null && <OnlyCounts />}
      <ShortTable
        label={t('hotKeys.keys')}
        name="diagnostics-hot-keys"
        columns={columns}
        rows={figures?.keys ?? []}
        rowId={keyIdOf}
      />
    </SectionPanel>
  );
};

/** The families with the most lookups in the last hour, by counters or sampled windows. */
export const HotFamilies = () => {
  const t = useTranslations('diagnostics.hotFamilies');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const { data, error, refetch } = useQuery(familiesQuery(id));
  const columns = useMemo(
    (): DataColumn<FamilyRow>[] => [
      { id: 'family', header: tWord('family'), width: 170, pinned: true, value: ({ title }) => title },
      {
        id: 'lookups',
        header: t('lookups'),
        width: 110,
        align: 'right',
        cell: (row) => <PerSecond value={rateOf(row)} />,
        value: rateOf,
      },
      rateColumn({
        id: 'hitRate',
        header: tWord('hitRate'),
        width: 90,
        of: ({ hits, misses }) => readableRate(hits ?? 0, misses ?? 0),
      }),
    ],
    [t, tWord],
  );
  if (!data)
    return error ? (
      <ProblemAlert error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton height={160} mt={12} />
    );
  const rows = data.items
    .filter((row) => rateOf(row) > 0)
    .sort((a, b) => rateOf(b) - rateOf(a))
    .slice(0, MAX_FAMILIES);
  if (rows.length === 0) return <Dimmed>{t('none')}</Dimmed>;
  return (
    <ShortTable
      label={t('title')}
      name="diagnostics-hot-families"
      columns={columns}
      rows={rows}
      rowId={familyOf}
    />
  );
};
