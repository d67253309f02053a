'use client';

import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { familiesQuery } from '@/components/patterns/families-query';
import { historyQueries } from '@/components/patterns/history-queries';
import { JobDrawer } from '@/components/patterns/job-drawer';
import { PageHeader } from '@/components/patterns/page-header';
import { PeriodControl } from '@/components/patterns/range-control';
import { periodOf } from '@/components/patterns/ranges';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import { FamilyDrawer } from './family-drawer';
import { FamilyPanel } from './family-panel';
import { FamilyTable } from './family-table';
import { HistoryExport } from './history-export';
import classes from './hit-rates.module.css';
import { InstanceHistory } from './instance-history';
import { NotAttributed } from './not-attributed';
import { type RateRow, rowsOf } from './rows';
import { SampleResult } from './sample-result';
import { SamplingPanel } from './sampling-panel';

const FIELDS = {
  range: '1h',
  from: '',
  to: '',
  show: 'hitRate',
  compare: '',
  lines: '',
  by: 'missesPerSecond',
  order: 'desc',
  family: '',
  job: '',
};
const STEPS = { opens: ['family', 'job'] } as const;

const NO_ROWS: RateRow[] = [];

/** Whether reads find what they look for: of the whole server, and family by family. */
export const HitRatesPage = () => {
  const t = useTranslations('hitRates');
  const { id } = useConnection();
  const maySample = useMay('caches:sample');
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const period = periodOf(url);
  const rates = useQuery(historyQueries.hitRates(id, period));
  const families = useQuery(familiesQuery(id));
  // That a family has no figure is known only when the figures are.
  const rows = rates.data ? rowsOf(rates.data.families, families.data?.items ?? []) : NO_ROWS;
  const instance = rates.data?.instance.hitRate ?? null;
  const open = (family: string) => setUrl({ family });
  const actions = (
    <>
      <PeriodControl value={period} onChange={setUrl} />
      <HistoryExport connection={id} period={period} />
    </>
  );
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} actions={actions} />
      <StaleBanner error={rates.error} valuesFrom={rates.dataUpdatedAt} />
      <InstanceHistory connection={id} period={period} url={url} setUrl={setUrl} />
      <FamilyPanel
        connection={id}
        rates={rates.data}
        rows={rows}
        lines={url.lines}
        onLines={(lines) => setUrl({ lines })}
      />
      <FamilyTable
        connection={id}
        rows={rows}
        instance={instance}
        stepSeconds={rates.data?.stepSeconds ?? null}
        loading={rates.isPending}
        placeholder={rates.isPlaceholderData}
        sorting={{
          by: url.by,
          order: url.order === 'asc' ? 'asc' : 'desc',
          onSort: (by, order) => setUrl({ by, order }),
        }}
        onOpen={open}
      />
      {rates.data && (
        <div className={classes.panel}>
          <NotAttributed rates={rates.data} />
        </div>
      )}
      {maySample && <SamplingPanel onJob={(job) => setUrl({ job })} />}
      <FamilyDrawer
        row={rows.find(({ family }) => family === url.family) ?? null}
        instance={instance}
        stepSeconds={rates.data?.stepSeconds ?? null}
        opened={url.family !== '' && url.job === ''}
        onClose={() => setUrl({ family: '' })}
      />
      <JobDrawer
        jobId={url.job || null}
        onClose={() => setUrl({ job: '' })}
        details={(job) => <SampleResult job={job} titles={families.data?.items ?? []} />}
        links={
          <Anchor component={Link} href="/jobs" size="sm">
            {t('allJobs')}
          </Anchor>
        }
      />
    </>
  );
};
