'use client';

import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useEffect, useMemo } from 'react';
import { countColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { queryKeyOf } from '@/components/patterns/query-key';
import { RateBar } from '@/components/patterns/rate-bar';
import { useFormat } from '@/components/patterns/use-format';
import { withFields } from '@/components/patterns/with-fields';
import type { FamilyRow } from '@/lib/families/schema';
import { hitRateContracts } from '@/lib/hit-rates/schema';
import type { Job } from '@/lib/jobs/schema';

/** The result of a `hitRates.sample` job, as far as it is shown. */
interface Result {
  families: Line[];
  windowSeconds: number;
  /** Jobs of earlier versions have none of these. */
  askedSeconds?: number;
  windows?: number;
  cutShort?: string | null;
}

interface Line {
  family: string;
  hits: number;
  misses: number;
  hitRate: number | null;
  tooFew?: boolean;
}

interface SampleResultProps {
  job: Job;
  titles: readonly FamilyRow[];
}

/** What a sample observed of the time it was asked for, and the families of its windows. */
export const SampleResult = ({ job, titles }: SampleResultProps) => {
  const t = useTranslations('hitRates');
  const tWord = useTranslations('words');
  const observed = useObserved();
  const columns = useMemo<DataColumn<Line>[]>(
    () => [
      {
        id: 'family',
        header: tWord('family'),
        width: 150,
        pinned: true,
        cell: ({ family }) => titles.find((row) => row.family === family)?.title ?? family,
      },
      {
        id: 'hitRate',
        header: tWord('hitRate'),
        width: 150,
        cell: ({ hitRate, tooFew, hits, misses }) =>
          tooFew ? t('families.tooFewLookups', { count: hits + misses }) : <RateBar value={hitRate} />,
      },
      ...(['hits', 'misses'] as const).map((id) =>
        countColumn({ id, header: t(`result.${id}`), width: 70, of: (line: Line) => line[id] }),
      ),
    ],
    [t, titles, tWord],
  );
  const done = withFields<Result>(job.result, 'families', 'windowSeconds');
  const { id } = useConnection();
  const client = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the result arrives
  useEffect(() => {
    if (done) void client.invalidateQueries({ queryKey: queryKeyOf(hitRateContracts.get, id) });
  }, [done !== null]);
  if (job.action !== hitRateContracts.sample.id || !done) return null;
  const { askedSeconds, windows, windowSeconds, cutShort } = done;
  return (
    <>
      {askedSeconds !== undefined && windows !== undefined && (
        <div data-testid="observed">
          <Text fw={600}>{observed(windowSeconds, askedSeconds, cutShort ?? null)}</Text>
          <Dimmed>{t('result.windows', { count: windows })}</Dimmed>
        </div>
      )}
      <DataTable
        label={t('result.label')}
        name="hit-rates-window"
        columns={columns}
        rows={done.families}
        rowId={({ family }) => family}
        empty={t('result.empty')}
      />
    </>
  );
};

/** Nearly all of the time, in one window or several. */
const COMPLETE = 0.9;

/** "Stopped after 0.13 s of 5 s: latency rose by 6.8 ms". Times in seconds; `why` in the server's words. */
const useObserved = () => {
  const t = useTranslations('hitRates.result');
  const format = useFormat();
  return (seconds: number, askedSeconds: number, why: string | null): string => {
    const values = { seconds: format.number(seconds, 2), asked: format.number(askedSeconds, 2) };
    if (seconds >= COMPLETE * askedSeconds) return t('complete', values);
    return why === null ? t('short', values) : t('stopped', { ...values, why });
  };
};
