'use client';

import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { countColumn, rateColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { useConnection } from '@/components/patterns/connection';
import { familiesQuery } from '@/components/patterns/families-query';
import { Count } from '@/components/patterns/figures';
import { KeyLink } from '@/components/patterns/key-link';
import { RelativeTime } from '@/components/patterns/relative-time';
import type { Diagnostics, HotKey } from '@/lib/diagnostics/schema';
import { readableRate } from '@/lib/hit-rate';
import type { FamilyRow } from '@/lib/insights/schema';
import { SectionPanel } from './section-panel';
import { ShortTable } from './short-table';
import { OnlyCounts } from './slow-log-section';

const MAX_FAMILIES = 5;

const keyIdOf = ({ keyId }: HotKey): string => keyId;
const familyOf = ({ family }: FamilyRow): string => family;
const lookupsOf = ({ hits, misses }: FamilyRow): number => (hits ?? 0) + (misses ?? 0);

/** The most used keys under an LFU policy, and the most used families by the observed look-ups. */
export const HotKeysSection = ({ hotKeys }: { hotKeys: Diagnostics['hotKeys'] }) => {
  const t = useTranslations('diagnostics');
  const { figures } = hotKeys;
  const columns = useMemo(
    (): DataColumn<HotKey>[] => [
      {
        id: 'key',
        header: t('hotKeys.key'),
        width: 240,
        pinned: true,
        cell: ({ key, keyId }) => (
          <KeyLink keyId={keyId} max={60}>
            {key}
          </KeyLink>
        ),
        value: ({ key }) => key,
      },
      countColumn({
        id: 'frequency',
        header: t('hotKeys.frequency'),
        width: 100,
        of: (row) => row.frequency,
      }),
    ],
    [t],
  );
  return (
    <SectionPanel
      name="hotKeys"
      section={hotKeys}
      findings={hotKeys.findings.map((finding) => t(`finding.hotKeys.${finding}`))}
      links={[{ path: '/hit-rates', label: t('link.hitRates') }]}
      facts={[
        { label: t('hotKeys.sampled'), value: <Count value={figures?.sampled} /> },
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

/** The families that were looked up most in the last hour, as counters or sampled windows say. */
export const HotFamilies = () => {
  const t = useTranslations('diagnostics.hotFamilies');
  const { id } = useConnection();
  const { data } = useQuery(familiesQuery(id));
  const columns = useMemo(
    (): DataColumn<FamilyRow>[] => [
      { id: 'family', header: t('family'), width: 170, pinned: true, value: ({ title }) => title },
      countColumn({ id: 'lookups', header: t('lookups'), width: 110, of: lookupsOf }),
      rateColumn({
        id: 'hitRate',
        header: t('hitRate'),
        width: 90,
        of: ({ hits, misses }) => readableRate(hits ?? 0, misses ?? 0),
      }),
    ],
    [t],
  );
  const rows = (data?.items ?? [])
    .filter((row) => lookupsOf(row) > 0)
    .sort((a, b) => lookupsOf(b) - lookupsOf(a))
    .slice(0, MAX_FAMILIES);
  if (data && rows.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('none')}
      </Text>
    );
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
