'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { Sample } from '@/components/charts/gaps';
import type { ChartEvent } from '@/components/charts/marks';
import type { Series } from '@/components/charts/series';
import { coverageOf, shownFrom } from '@/components/charts/span';
import { TimeSeriesChart } from '@/components/charts/time-series-chart';
import { WHOLE } from '@/components/charts/value-axis';
import { useConnection } from '@/components/patterns/connection';
import { Panel } from '@/components/patterns/panel';
import { useFormat } from '@/components/patterns/use-format';

/** The figures of a sample. */
export const SIZES = ['blacklistedIps', 'blockedProjects', 'limitedProjects'] as const;
export type Size = (typeof SIZES)[number];

/** The role of what each counts. */
export const ROLE_OF_SIZE: Record<Size, string> = {
  blacklistedIps: 'ban-list',
  blockedProjects: 'block-list',
  limitedProjects: 'rate-limit',
};

/** Their names in the texts. */
const NAMES = {
  blacklistedIps: 'banned',
  blockedProjects: 'blocked',
  limitedProjects: 'limited',
} as const satisfies Record<Size, string>;

const COLORS: Record<Size, Series['color']> = { blacklistedIps: 3, blockedProjects: 2, limitedProjects: 1 };

interface SizePanelProps {
  size: Size;
  samples: Sample[];
  marks: ChartEvent[];
  from: number;
  to: number;
  stepMs: number;
}

/** One figure over the chosen range. */
export const SizePanel = ({ size, samples, marks, to, stepMs, ...range }: SizePanelProps) => {
  const t = useTranslations('guard.history');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const format = useFormat();
  const from = shownFrom(samples, range.from, to);
  const name = t(`size.${NAMES[size]}`);
  const series = useMemo(() => [{ id: size, name, color: COLORS[size] }], [size, name]);
  const points = useMemo(
    () => samples.map((each): Sample => ({ at: each.at, [size]: each[size] ?? null })),
    [samples, size],
  );
  const latest = points.at(-1)?.[size];
  return (
    <Panel
      title={name}
      note={t('note', {
        now: format.count(latest),
        step: format.duration(stepMs / 1000),
        coverage: format.ratio(coverageOf(samples, from, to, stepMs)),
      })}
    >
      <TimeSeriesChart
        label={tWord('ofConnection', { what: name, connection: id })}
        name={`${id}-${size}`}
        series={series}
        points={points}
        stepMs={stepMs}
        from={from}
        to={to}
        events={marks}
        axis={WHOLE}
        format={format.count}
        height={190}
      />
    </Panel>
  );
};
