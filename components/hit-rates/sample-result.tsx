'use client';

import { Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { z } from 'zod';
import { countColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { RateBar } from '@/components/patterns/rate-bar';
import { useFormat } from '@/components/patterns/use-format';
import { CUTS, hitRateContracts } from '@/lib/caches/hit-rates/schema';
import type { FamilyRow } from '@/lib/insights/schema';
import type { Job } from '@/lib/jobs/schema';

/** What the job of `caches.sample` ends with, as far as it is shown here. */
const result = z.object({
  families: z.array(
    z.object({ family: z.string(), hits: z.number(), misses: z.number(), hitRate: z.number().nullable() }),
  ),
  windowSeconds: z.number(),
  /** Jobs from before these were kept have none. */
  askedSeconds: z.number().optional(),
  windows: z.number().optional(),
  cutWhy: z.enum(CUTS).nullish(),
});
type Line = z.output<typeof result>['families'][number];

interface SampleResultProps {
  job: Job;
  titles: readonly FamilyRow[];
}

/** The families of one window. */
export const SampleResult = ({ job, titles }: SampleResultProps) => {
  const t = useTranslations('hitRates');
  const format = useFormat();
  const columns = useMemo<DataColumn<Line>[]>(
    () => [
      {
        id: 'family',
        header: t('column.family'),
        width: 150,
        pinned: true,
        cell: ({ family }) => titles.find((row) => row.family === family)?.title ?? family,
        value: ({ family }) => family,
      },
      {
        id: 'hitRate',
        header: t('column.hitRate'),
        width: 150,
        cell: ({ hitRate }) => <RateBar value={hitRate} />,
        value: ({ hitRate }) => hitRate,
      },
      ...(['hits', 'misses'] as const).map((id) =>
        countColumn({ id, header: t(`result.${id}`), width: 70, of: (line: Line) => line[id] }),
      ),
    ],
    [t, titles],
  );
  const done = result.safeParse(job.result);
  if (job.action !== hitRateContracts.sample.id || !done.success) return null;
  const { askedSeconds, windows, windowSeconds, cutWhy } = done.data;
  return (
    <>
      {askedSeconds !== undefined && windows !== undefined && (
        <Text size="sm">
          {t('result.observed', {
            seconds: format.number(windowSeconds, 2),
            asked: format.number(askedSeconds, 2),
            count: windows,
          })}
        </Text>
      )}
      {cutWhy && <Text size="sm">{t('families.cutShort', { why: cutWhy, count: 1 })}.</Text>}
      <DataTable
        label={t('result.label')}
        name="hit-rates-window"
        columns={columns}
        rows={done.data.families}
        rowId={({ family }) => family}
        loading={false}
        empty={t('result.empty')}
      />
    </>
  );
};
