'use client';

import { ActionIcon, Group } from '@mantine/core';
import { IconChartLine, IconTable } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type ReactNode, useState } from 'react';
import { Tooltip } from '@/components/patterns/tooltip';
import classes from './chart-figure.module.css';
import { Legend, type LegendChoice } from './legend';
import type { Series } from './series';

interface ChartFigureProps {
  /** What the picture shows, in one sentence: its name for assistive technology. */
  label: string;
  /** Listed above the picture if there are several. */
  series?: readonly Series[];
  /** The available lines: the legend then also selects them. */
  choice?: LegendChoice | undefined;
  /** Controls that select the series, at the left of the picture's head. */
  controls?: ReactNode;
  /** Buttons before the one of the table. */
  tools?: ReactNode;
  /** The values of the picture as a table. */
  table: ReactNode;
  children: ReactNode;
}

/** A picture, or its values as a table: a button switches. */
export const ChartFigure = ({
  label,
  series = [],
  choice,
  controls,
  tools,
  table,
  children,
}: ChartFigureProps) => {
  const t = useTranslations('charts');
  const [asTable, setAsTable] = useState(false);
  return (
    <figure className={classes.figure}>
      <figcaption className={classes.hidden}>{label}</figcaption>
      <Group gap="md" mb={4} align="flex-start" className={classes.head}>
        {controls}
        <Legend series={series} choice={choice} />
        {!asTable && tools}
        <Tooltip label={t(asTable ? 'showChart' : 'showTable')}>
          <ActionIcon
            aria-label={t(asTable ? 'showChart' : 'showTable')}
            aria-pressed={asTable}
            onClick={() => setAsTable(!asTable)}
          >
            {asTable ? <IconChartLine size={18} /> : <IconTable size={18} />}
          </ActionIcon>
        </Tooltip>
      </Group>
      {asTable ? table : children}
    </figure>
  );
};
