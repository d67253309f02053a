'use client';

import { Alert, Anchor, Button, Text } from '@mantine/core';
import { IconDatabaseOff, IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useTranslations } from 'next-intl';
import { useCallback, useMemo, useState } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { HostileText } from '@/components/patterns/hostile-text';
import { JobDrawer } from '@/components/patterns/job-drawer';
import { PageHeader } from '@/components/patterns/page-header';
import { RelativeTime } from '@/components/patterns/relative-time';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import type { FamilyRow } from '@/lib/insights/schema';
import { useFamilyColumns } from './family-columns';
import { FamilyDrawer } from './family-drawer';
import { FamilyFilters, filterFamilies } from './family-filters';
import { InvalidateFamily } from './invalidate-family';
import { InvalidateKeys } from './invalidate-keys';
import { useRefusal } from './may-invalidate';
import { familiesQuery } from './queries';

const FIELDS = { q: '', app: '', only: '', tab: '', family: '', keys: '', job: '' };
const NOTHING: FamilyRow[] = [];

/** The last family that was open, so that its drawer still has words while it closes. */
const useLastFamily = (family: FamilyRow | null): FamilyRow | null => {
  const [last, setLast] = useState(family);
  if (family !== null && family !== last) setLast(family);
  return family ?? last;
};

export const CachesPage = () => {
  const t = useTranslations('caches');
  const connection = useConnection();
  const mayInvalidate = useMay('caches:invalidate');
  const refusal = useRefusal();
  const [url, setUrl] = useUrlState(FIELDS);
  const { data, error, isPending, dataUpdatedAt } = useQuery(familiesQuery(connection.id));
  const families = data?.items ?? NOTHING;
  const forInvalidation = url.tab === 'invalidate' && mayInvalidate;
  const rows = useMemo(() => {
    const found = filterFamilies(families, url);
    return forInvalidation ? found.filter((family) => refusal(family) === null) : found;
  }, [families, url, forInvalidation, refusal]);
  const open = useCallback((family: FamilyRow) => setUrl({ family: family.family }), [setUrl]);
  const columns = useFamilyColumns(open);
  const chosen = families.find((family) => family.family === url.family) ?? null;
  const apps = useMemo(() => [...new Set(families.map((family) => family.app))], [families]);
  return (
    <>
      <PageHeader
        title={forInvalidation ? t('titleInvalidate') : t('title')}
        sentence={forInvalidation ? t('sentenceInvalidate') : t('sentence')}
        actions={
          mayInvalidate && (
            <Button
              variant="default"
              leftSection={<IconKey size={16} aria-hidden />}
              onClick={() => setUrl({ keys: '1' })}
            >
              {t('invalidateKeys')}
            </Button>
          )
        }
      />
      <StaleBanner error={error} valuesFrom={dataUpdatedAt} />
      {data && url.family !== '' && !chosen && (
        <Alert
          color="orange"
          mb="sm"
          withCloseButton
          onClose={() => setUrl({ family: '' })}
          closeButtonLabel={t('close')}
        >
          {t('noSuchFamily')} <HostileText max={100}>{url.family}</HostileText>
        </Alert>
      )}
      <FamilyFilters
        filter={url}
        apps={apps}
        onChange={setUrl}
        status={data && <Counted at={data.countedAt} unclassified={data.unclassified} />}
      />
      <DataTable
        label={t('label')}
        name={`families-${connection.id}`}
        columns={columns}
        rows={rows}
        rowId={(family) => family.family}
        loading={isPending}
        onOpen={open}
        empty={
          <EmptyState icon={<IconDatabaseOff size={20} />} title={t('empty.title')}>
            {families.length > 0 ? t('empty.filtered') : t('empty.text')}
          </EmptyState>
        }
      />
      <Drawers chosen={chosen} url={url} setUrl={setUrl} />
    </>
  );
};

interface DrawersProps {
  chosen: FamilyRow | null;
  url: { keys: string; job: string };
  setUrl: (change: Partial<typeof FIELDS>) => void;
}

const Drawers = ({ chosen, url, setUrl }: DrawersProps) => {
  const t = useTranslations('caches');
  const refusal = useRefusal();
  const mayInvalidate = useMay('caches:invalidate');
  const family = useLastFamily(chosen);
  const refused = family && refusal(family);
  const watching = url.job !== '';
  const close = () => setUrl({ family: '', keys: '' });
  const watch = (job: string) => setUrl({ job, family: '', keys: '' });
  const opened = chosen !== null && !watching;
  return (
    <>
      {family && refused && (
        <FamilyDrawer family={family} refusal={refused} opened={opened} onClose={close} />
      )}
      {family && !refused && (
        <InvalidateFamily key={family.family} family={family} opened={opened} onClose={close} onJob={watch} />
      )}
      {mayInvalidate && (
        <InvalidateKeys opened={url.keys !== '' && !watching && !opened} onClose={close} onJob={watch} />
      )}
      <JobDrawer
        jobId={url.job || null}
        onClose={() => setUrl({ job: '' })}
        links={
          <Anchor component={Link} href="/jobs" size="sm">
            {t('allJobs')}
          </Anchor>
        }
      />
    </>
  );
};

const Counted = ({ at, unclassified }: { at: string | null; unclassified: number | null }) => {
  const t = useTranslations('caches');
  return (
    <Text size="xs" c="dimmed" component="span">
      {at ? t.rich('countedAt', { when: () => <RelativeTime at={at} /> }) : t('notCounted')}
      {unclassified !== null && unclassified > 0 && ` · ${t('unclassified', { count: unclassified })}`}
    </Text>
  );
};
