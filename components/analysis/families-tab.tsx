'use client';

import { Box, SegmentedControl } from '@mantine/core';
import { IconChartTreemap } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useCallback, useMemo } from 'react';
import { useFamilyStyles } from '@/components/charts/family-styles';
import { type Tile, Treemap } from '@/components/charts/treemap';
import { DataTable } from '@/components/data-table/data-table';
import { byFigure } from '@/components/patterns/by-figure';
import { useConnection } from '@/components/patterns/connection';
import { Panel } from '@/components/patterns/panel';
import { useFormat } from '@/components/patterns/use-format';
import { useNarrow } from '@/components/patterns/use-narrow';
import type { AnalysisReport, FamilyAnalysis } from '@/lib/analysis/schema';
import type { AnalysisFields, ReportTabProps, SetAnalysisFields } from './address';
import classes from './analysis.module.css';
import { useFamilyColumns } from './family-columns';
import { FIGURES } from './growth';
import { unclassifiedOf } from './unclassified';

interface FamiliesTabProps extends ReportTabProps {
  url: AnalysisFields;
  setUrl: SetAnalysisFields;
}

const NONE: FamilyAnalysis[] = [];
const UNCLASSIFIED = '\u0000unclassified';
const OWN = '\u0000own';

const ORDERS: Record<string, (row: FamilyAnalysis) => number | null> = {
  keys: (row) => row.keys,
  memory: (row) => row.memoryBytes,
  withoutTtl: (row) => row.withoutTtl,
  ...FIGURES,
};

/** What the columns can be ordered by; without memory the keys stand in for it. */
const orderOf = (report: AnalysisReport | undefined, by: string): string => {
  const known = ORDERS[by] && (report?.change || !(by in FIGURES)) ? by : 'memory';
  if (!report || report.memoryBytes !== null) return known;
  return { memory: 'keys', memoryGrown: 'keysGrown' }[known] ?? known;
};

/** Families by memory: as a picture, and as a table that can be ordered by growth. */
export const FamiliesTab = ({ report, placeholder, url, setUrl }: FamiliesTabProps) => {
  const t = useTranslations('analysis.families');
  const isNarrow = useNarrow();
  const { id } = useConnection();
  const by = orderOf(report, url.by);
  const order = url.order === 'asc' ? 'asc' : 'desc';
  const rows = useMemo(() => byFigure(report?.families ?? NONE, ORDERS[by]!, order), [report, by, order]);
  const open = useCallback(({ family }: { family: string }) => setUrl({ family }), [setUrl]);
  const columns = useFamilyColumns(report, open);
  const grown = report?.memoryBytes === null ? 'keysGrown' : 'memoryGrown';
  const map = <FamilyMap report={report} setUrl={setUrl} />;
  return (
    <>
      {!isNarrow && map}
      {/* On a phone the list's own head has the order. */}
      {!isNarrow && (
        <SegmentedControl
          aria-label={t('order')}
          mb="xs"
          disabled={!report?.change}
          value={by === grown ? 'grown' : 'size'}
          onChange={(next) => setUrl({ by: next === 'grown' ? grown : 'memory', order: 'desc' })}
          data={(['size', 'grown'] as const).map((value) => ({ value, label: t(`orderOf.${value}`) }))}
        />
      )}
      <DataTable
        label={t('label')}
        name={`analysis-${id}`}
        columns={columns}
        rows={rows}
        rowId={({ family }) => family}
        loading={report === undefined}
        placeholder={placeholder}
        live={[by, order, url.report, url.since]}
        sorting={{ by, order, onSort: (next, way) => setUrl({ by: next, order: way }) }}
        onOpen={open}
        empty={{ icon: IconChartTreemap, title: t('empty'), text: t('emptyText') }}
      />
      {isNarrow && <Box mt={12}>{map}</Box>}
    </>
  );
};

const FamilyMap = ({ report, setUrl }: Pick<FamiliesTabProps, 'report' | 'setUrl'>) => {
  const t = useTranslations('analysis.families');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const format = useFormat();
  const styleOf = useFamilyStyles(id);
  const byMemory = report?.memoryBytes !== null;
  const tiles = useMemo((): Tile[] => {
    if (!report) return [];
    const sizeOf = (row: { keys: number; memoryBytes: number | null }) =>
      byMemory ? (row.memoryBytes ?? 0) : row.keys;
    return [
      ...report.families.map((row): Tile => {
        const { color } = styleOf(row.family);
        return { id: row.family, name: row.title, value: sizeOf(row), color };
      }),
      {
        id: UNCLASSIFIED,
        name: t('unclassified'),
        value: sizeOf(unclassifiedOf(report)),
        color: 5,
        apart: true,
      },
      { id: OWN, name: t('own'), value: sizeOf(report.own), color: 5, apart: true, inert: true },
    ].filter(({ value }) => value > 0) as Tile[];
  }, [report, byMemory, styleOf, t]);
  const headers = useMemo(
    () => ({
      name: tWord('family'),
      value: t(byMemory ? 'column.memory' : 'column.keys'),
      share: tWord('share'),
    }),
    [t, byMemory, tWord],
  );
  const openTile = (tile: Tile) => {
    if (tile.id === UNCLASSIFIED) setUrl({ tab: 'unclassified' });
    else setUrl({ family: tile.id });
  };
  return (
    <Panel className={classes.above} title={t(byMemory ? 'map' : 'mapOfKeys')} note={t('mapNote')}>
      <Treemap
        label={t(byMemory ? 'map' : 'mapOfKeys')}
        name={`analysis-map-${id}`}
        headers={headers}
        tiles={tiles}
        format={byMemory ? format.bytes : format.count}
        onOpen={openTile}
      />
    </Panel>
  );
};
