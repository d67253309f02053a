'use client';

import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { useFamilyStyles } from '@/components/charts/family-styles';
import type { TimeRange } from '@/components/charts/time-drag';
import { useConnection } from '@/components/patterns/connection';
import { familiesQuery } from '@/components/patterns/families-query';
import { historyQueries } from '@/components/patterns/history-queries';
import { JobDrawer } from '@/components/patterns/job-drawer-on-demand';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { PeriodControl } from '@/components/patterns/range-control';
import { periodOf } from '@/components/patterns/ranges';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { TextLink } from '@/components/patterns/text-link';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import { DropPanel } from './drop-panel';
import { chosenOf, drawable, toggled } from './family-lines';
import { FamilyPanel } from './family-panel';
import { FamilyTable } from './family-table';
import { HistoryExport } from './history-export';
import classes from './hit-rates.module.css';
import { InstanceHistory } from './instance-history';
import { MarkDeploy } from './mark-deploy';
import { NotAttributed } from './not-attributed';
import { type RateRow, rowsOf } from './rows';
import { SampleResult } from './sample-result';
import { SamplingPanel } from './sampling-panel';
import { SamplingQuestion } from './sampling-question';

const FamilyDrawer = onDemand(async () => (await import('./family-drawer')).FamilyDrawer);

const FIELDS = {
  range: '1h',
  from: '',
  to: '',
  show: 'hitRate',
  compare: '',
  lines: '',
  by: 'missesPerSecond',
  order: 'desc',
  dropFrom: '',
  dropTo: '',
  family: '',
  job: '',
};
const STEPS = { opens: ['family', 'job'], tabs: ['dropFrom'] } as const;

const NO_ROWS: RateRow[] = [];
const NO_SPAN = { from: 0, to: 0 };

/** The range of the address that is compared with the one before it; null where there is none. */
const dropOf = ({ dropFrom, dropTo }: typeof FIELDS): TimeRange | null => {
  const [from, to] = [Date.parse(dropFrom), Date.parse(dropTo)];
  return from < to ? { from, to } : null;
};

const iso = (at: number): string => new Date(at).toISOString();

/** Families with figures once both the figures and the catalog's families are loaded. */
const useRates = (connection: string, url: typeof FIELDS) => {
  const period = periodOf(url);
  const rates = useQuery(historyQueries.hitRates(connection, period));
  const families = useQuery(familiesQuery(connection));
  const rows = useMemo(
    () =>
      rates.data && !families.isPending ? rowsOf(rates.data.families, families.data?.items ?? []) : NO_ROWS,
    [rates.data, families.isPending, families.data],
  );
  return { period, rates, families, rows };
};

/** Hit rates of the whole server and by family, and what caused a drop. */
export const HitRatesPage = () => {
  const t = useTranslations('hitRates');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const maySample = useMay('caches:sample');
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const { period, rates, families, rows } = useRates(id, url);
  const styleOf = useFamilyStyles(id);
  const [highlighted, setHighlighted] = useState<string | null>(null);
  const drawn = useMemo(() => chosenOf(url.lines, rows), [url.lines, rows]);
  const lines = useMemo(
    () => ({
      styleOf,
      drawn,
      drawable: new Set(drawable(rows).map(({ family }) => family)),
      onToggle: (family: string) => setUrl({ lines: toggled(family, drawn) }),
      onHighlight: setHighlighted,
    }),
    [styleOf, drawn, rows, setUrl],
  );
  const drop = useMemo(() => dropOf(url), [url]);
  const setDrop = (range: TimeRange | null) =>
    setUrl({ dropFrom: range ? iso(range.from) : '', dropTo: range ? iso(range.to) : '' });
  const instance = rates.data?.instance.hitRate ?? null;
  const stepSeconds = rates.data?.stepSeconds ?? null;
  const open = (family: string) => setUrl({ family });
  const actions = (
    <>
      <PeriodControl value={period} onChange={setUrl} />
      <MarkDeploy />
      <HistoryExport connection={id} period={period} />
    </>
  );
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} actions={actions} />
      <StaleBanner error={rates.error} valuesFrom={rates.dataUpdatedAt} />
      <InstanceHistory
        connection={id}
        period={period}
        url={url}
        setUrl={setUrl}
        selected={drop}
        onSelect={setDrop}
      />
      <DropPanel range={drop} shown={rates.data ?? null} onRange={setDrop} styleOf={styleOf} onOpen={open} />
      <FamilyPanel
        connection={id}
        rates={families.isPending ? undefined : rates.data}
        rows={rows}
        {...lines}
        highlighted={highlighted}
        selected={drop}
        onSelect={setDrop}
      />
      <SamplingQuestion hasFigures={rates.data === undefined || rates.data.families.length > 0} />
      <FamilyTable
        connection={id}
        rows={rows}
        instance={instance}
        span={rates.data ?? NO_SPAN}
        stepSeconds={stepSeconds}
        lines={lines}
        loading={rates.isPending || families.isPending}
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
        family={families.data?.items.find(({ family }) => family === url.family) ?? null}
        events={rates.data?.events ?? []}
        instance={instance}
        stepSeconds={stepSeconds}
        opened={url.family !== '' && url.job === ''}
        onClose={() => setUrl({ family: '' })}
      />
      <JobDrawer
        jobId={url.job || null}
        onClose={() => setUrl({ job: '' })}
        details={(job) => <SampleResult job={job} titles={families.data?.items ?? []} />}
        links={<TextLink href="/jobs">{tWord('allJobs')}</TextLink>}
      />
    </>
  );
};
