'use client';

import { Button } from '@mantine/core';
import { IconDatabaseOff, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { type ComponentType, useCallback, useMemo } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { useConnection } from '@/components/patterns/connection';
import { SmallNote } from '@/components/patterns/dimmed';
import { familiesQuery } from '@/components/patterns/families-query';
import { NO_STATUS } from '@/components/patterns/filter-bar';
import { PageHeader } from '@/components/patterns/page-header';
import { RelativeTime } from '@/components/patterns/relative-time';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { UnknownName } from '@/components/patterns/unknown-name';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import type { FamilyRow } from '@/lib/families/schema';
import { CacheDrawers, DRAWER_FIELDS } from './cache-drawers';
import { kindsOf } from './draft';
import { useFamilyColumns } from './family-columns';
import { FamilyFilters, filterFamilies } from './family-filters';
import { inOrder, sortColumnOf } from './family-order';
import { useRefusal } from './may-invalidate';

const FIELDS = { q: '', app: '', only: '', tab: '', sort: '', order: 'desc', ...DRAWER_FIELDS };
const STEPS = { opens: ['family', 'do', 'job'] } as const;
const NOTHING: FamilyRow[] = [];

interface CachesPageProps {
  /** More figures of a family, for its drawer. */
  FamilyFigures: ComponentType<{ family: string }>;
}

export const FamiliesPage = ({ FamilyFigures }: CachesPageProps) => {
  const t = useTranslations('families');
  const tWord = useTranslations('words');
  const connection = useConnection();
  const mayInvalidate = useMay('caches:invalidate');
  const refusal = useRefusal();
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const { data, error, isPending, dataUpdatedAt } = useQuery(familiesQuery(connection.id));
  const families = data?.items ?? NOTHING;
  const forInvalidation = url.tab === 'invalidate' && mayInvalidate;
  const by = sortColumnOf(url.sort, families);
  const order = url.order === 'asc' ? 'asc' : 'desc';
  const rows = useMemo(() => {
    const matches = inOrder(filterFamilies(families, url), by, order);
    return forInvalidation ? matches.filter((family) => refusal(family) === null) : matches;
  }, [families, url, by, order, forInvalidation, refusal]);
  const open = useCallback((family: FamilyRow) => setUrl({ family: family.family }), [setUrl]);
  const invalidate = useCallback(
    (family: FamilyRow) => setUrl({ family: family.family, do: 'invalidate' }),
    [setUrl],
  );
  const columns = useFamilyColumns(open, invalidate);
  const apps = useMemo(() => [...new Set(families.map((family) => family.app))], [families]);
  return (
    <>
      <PageHeader
        title={t(forInvalidation ? 'navInvalidate' : 'title')}
        sentence={forInvalidation ? t('sentenceInvalidate') : t('sentence')}
        actions={
          mayInvalidate && (
            <Button
              variant="default"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => setUrl({ do: 'invalidate', by: kindsOf(connection.entities)[1]! })}
            >
              {t('invalidateOther')}
            </Button>
          )
        }
      />
      <StaleBanner error={error} valuesFrom={dataUpdatedAt} />
      {data && url.family !== '' && !families.some(({ family }) => family === url.family) && (
        <UnknownName text={t('noSuchFamily')} name={url.family} onClose={() => setUrl({ family: '' })} />
      )}
      <FamilyFilters
        filter={url}
        apps={apps}
        onChange={setUrl}
        status={data ? <Counted at={data.countedAt} unclassified={data.unclassified} /> : NO_STATUS}
      />
      <DataTable
        label={tWord('families')}
        name={`families-${connection.id}`}
        savesViews
        columns={columns}
        rows={rows}
        rowId={(family) => family.family}
        loading={isPending}
        sorting={{ by, order, onSort: (sort, order) => setUrl({ sort, order }) }}
        live={[url.q, url.app, url.only, url.tab]}
        onOpen={forInvalidation ? invalidate : open}
        empty={{
          icon: IconDatabaseOff,
          title: tWord('noFamilies'),
          text: families.length > 0 ? tWord('noFamilyMatches') : t('empty.text'),
        }}
      />
      <CacheDrawers
        families={families}
        loaded={data !== undefined}
        url={url}
        setUrl={setUrl}
        FamilyFigures={FamilyFigures}
      />
    </>
  );
};

const Counted = ({ at, unclassified }: { at: string | null; unclassified: number | null }) => {
  const t = useTranslations('families');
  return (
    <SmallNote>
      {at ? t.rich('countedAt', { when: () => <RelativeTime at={at} /> }) : t('notCounted')}
      {unclassified !== null && unclassified > 0 && ` · ${t('unclassified', { count: unclassified })}`}
    </SmallNote>
  );
};
