'use client';

import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { memo, useMemo } from 'react';
import { bytesColumn, countColumn, keyColumn, perSecondColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { DataTable } from '@/components/data-table/data-table';
import { SmallNote } from '@/components/patterns/dimmed';
import { EmptyState } from '@/components/patterns/empty-state';
import { familiesQuery } from '@/components/patterns/families-query';
import { useHitRateSource } from '@/components/patterns/hit-rate-source';
import { Panel } from '@/components/patterns/panel';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { RateBar } from '@/components/patterns/rate-bar';
import { RelativeTime } from '@/components/patterns/relative-time';
import { TextLink } from '@/components/patterns/text-link';
import type { FamilyRow } from '@/lib/families/schema';
import { isTooFew } from '@/lib/hit-rates/rate';
import { mostMisses } from './most-misses';

/** A hit rate with its source, or why there is none. */
const HitRateCell = ({ row }: { row: FamilyRow }) => {
  const t = useTranslations('overview.families');
  const sourceOf = useHitRateSource();
  if (isTooFew(row.hits ?? 0, row.misses ?? 0))
    return <SmallNote>{t('tooFew', { count: (row.hits ?? 0) + (row.misses ?? 0) })}</SmallNote>;
  return (
    <span title={sourceOf(row)}>
      <RateBar value={row.hitRate} />
    </span>
  );
};

const useColumns = (connection: string) => {
  const tWord = useTranslations('words');
  return useMemo<DataColumn<FamilyRow>[]>(
    () => [
      {
        id: 'family',
        header: tWord('family'),
        width: 200,
        pinned: true,
        cell: (row) => (
          <TextLink
            href={`/${connection}/hit-rates?family=${encodeURIComponent(row.family)}`}
            fw={600}
            title={row.purpose}
          >
            {row.title}
          </TextLink>
        ),
      },
      keyColumn({ id: 'pattern', header: tWord('pattern'), width: 240, max: 60 }),
      perSecondColumn({
        id: 'missesPerSecond',
        header: tWord('misses'),
        width: 110,
      }),
      {
        id: 'hitRate',
        header: tWord('hitRate'),
        width: 180,
        cell: (row) => <HitRateCell row={row} />,
      },
      countColumn({ id: 'keys', header: tWord('keys'), width: 100 }),
      bytesColumn({ id: 'memory', header: tWord('memory'), width: 110, of: (row) => row.memoryBytes }),
    ],
    [connection, tWord],
  );
};

const Note = ({ connection, rows }: { connection: string; rows: readonly FamilyRow[] }) => {
  const t = useTranslations('overview.families');
  const tWord = useTranslations('words');
  const countedAt = rows[0]?.countedAt;
  const sampledAt = rows.reduce<string | null>((newest, row) => {
    if (row.sampledAt === null || (newest !== null && newest >= row.sampledAt)) return newest;
    return row.sampledAt;
  }, null);
  return (
    <>
      {sampledAt && <>{t.rich('sampled', { age: () => <RelativeTime at={sampledAt} /> })} · </>}
      {countedAt && <>{t.rich('counted', { age: () => <RelativeTime at={countedAt} /> })} · </>}
      <TextLink href={`/${connection}/hit-rates`} size="xs" underline="always">
        {tWord('hitRates')}
      </TextLink>
      {' · '}
      <TextLink href={`/${connection}/families`} size="xs" underline="always">
        {t('all', { count: rows.length })}
      </TextLink>
    </>
  );
};

const NO_ROWS: FamilyRow[] = [];

/** The families with the most misses in the last hour. Memoised: it must not render again with each live point. */
export const FamiliesPanel = memo(({ connection }: { connection: string }) => {
  const t = useTranslations('overview.families');
  const tWord = useTranslations('words');
  const columns = useColumns(connection);
  const { data, error, isPending, refetch } = useQuery(familiesQuery(connection));
  const families = data?.items ?? NO_ROWS;
  const rows = useMemo(() => mostMisses(families), [families]);
  const isObserved = families.some(({ source }) => source !== 'none');
  return (
    <div>
      <Panel title={t('title')} note={data && <Note connection={connection} rows={families} />} flush>
        {error && !data ? (
          <ProblemAlert error={error} onRetry={() => void refetch()} />
        ) : (
          <DataTable
            label={t('title')}
            name="overview-families"
            columns={columns}
            rows={rows}
            rowId={(row) => row.family}
            loading={isPending}
            toolbar={false}
            empty={
              <EmptyState title={t(isObserved ? 'noMisses' : 'notObserved')}>
                {t(isObserved ? 'noMissesNote' : 'notObservedNote')}{' '}
                <TextLink href={`/${connection}/hit-rates`} underline="always">
                  {tWord('hitRates')}
                </TextLink>
              </EmptyState>
            }
          />
        )}
      </Panel>
    </div>
  );
});
