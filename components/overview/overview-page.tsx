'use client';

import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { HistoryPanel } from '@/components/charts/history-panel';
import { type MeasureId, measureOf } from '@/components/charts/measures';
import type { DataColumn } from '@/components/data-table/columns';
import { toCsv } from '@/components/data-table/export';
import { useConnection } from '@/components/patterns/connection';
import { saveFile } from '@/components/patterns/file-bytes';
import { PageHeader } from '@/components/patterns/page-header';
import { RangeControl } from '@/components/patterns/range-control';
import { rangeOf } from '@/components/patterns/ranges';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useUrlState } from '@/components/patterns/use-url-state';
import type { Point } from '@/lib/history/schema';
import { AttentionList } from './attention-list';
import { FamiliesPanel } from './families-panel';
import classes from './overview.module.css';
import { PinnedTiles } from './pinned-tiles';
import { TileButton } from './tile-button';
import { Tiles } from './tiles';
import { useOverview } from './use-overview';

/** The hit rates page has the other measures. */
const SHOWN: readonly MeasureId[] = ['hitRate', 'operations', 'memory', 'latency', 'removals'];

const STATE = { range: '1h', show: 'hitRate' };

/** The file uses the field names of the API, for scripts. */
const CSV_COLUMNS = (
  [
    'at',
    'hits',
    'misses',
    'hitRate',
    'opsPerSecond',
    'usedMemoryBytes',
    'connectedClients',
    'evictedPerSecond',
    'expiredPerSecond',
    'latencyMs',
  ] as const
).map((id): DataColumn<Point> => ({ id, header: id, cell: () => null, value: (point) => point[id] }));

interface OverviewPageProps {
  /** A question to the user; below the figures, because it may arrive late and must not move them. */
  notice?: ReactNode;
  /** Metrics that the user has pinned here. */
  pins?: number;
}

export const OverviewPage = ({ notice, pins = 0 }: OverviewPageProps) => {
  const t = useTranslations('overview');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const [state, setState] = useUrlState(STATE);
  const range = rangeOf(state.range);
  const measure = measureOf(state.show);
  const page = useOverview(id, range);
  const actions = (
    <>
      <TileButton />
      <RangeControl value={range} onChange={(value) => setState({ range: value })} />
      <Button
        size="xs"
        variant="default"
        leftSection={<IconDownload size={14} aria-hidden />}
        disabled={page.history.length === 0}
        onClick={() =>
          saveFile(`${id}-${range}.csv`, 'text/csv;charset=utf-8', toCsv(CSV_COLUMNS, [...page.history]))
        }
      >
        {tWord('export')}
      </Button>
    </>
  );
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} actions={actions} />
      <StaleBanner error={page.trouble} valuesFrom={page.valuesFrom} />
      <Tiles
        connection={id}
        overview={page.overview}
        history={page.history}
        samples={page.samples}
        stepMs={page.stepMs}
        range={range}
      />
      <PinnedTiles count={pins} />
      <div className={classes.middle}>
        <AttentionList items={page.overview?.attention} known={page.attentionKnown} />
        <HistoryPanel
          connection={id}
          measure={measure}
          measures={SHOWN}
          onMeasure={(show) => setState({ show })}
          samples={page.samples}
          events={page.events}
          from={page.from}
          to={page.to}
          stepMs={page.stepMs}
          loading={page.loading}
        />
      </div>
      <FamiliesPanel connection={id} />
      {notice}
    </>
  );
};
