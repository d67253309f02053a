import 'server-only';
import type { FigureSource } from '@/lib/figures/figure';
import { boundedFigures, definer } from '@/lib/figures/series';
import { newestMetrics } from './history';
import { readSeriesNames } from './names';

/** Metrics and fields of statistics of a connection that have figures. */
export const MAX_SERIES = 200;

const define = definer({ labels: ['metric', 'period', 'field'], permission: 'view' });

/** The application's own metrics and statistics as they were last sampled. */
export const metricFigures: FigureSource = {
  definitions: [
    define(
      'application_metric_value',
      'count',
      "A metric of the application, or a field of its statistics, in the application's own unit.",
    ),
  ],
  read: async ({ store, connection, now }) => {
    const { id } = connection.config;
    const [sample, names] = await Promise.all([newestMetrics(store, id, now), readSeriesNames(store, id)]);
    if (!sample) return [];
    const rows = Object.entries(names).flatMap(([seriesId, labels]) => {
      const value = sample.v[seriesId];
      return value === undefined
        ? []
        : [{ labels, at: sample.at, values: { application_metric_value: value } }];
    });
    return boundedFigures('metric', rows, { max: MAX_SERIES, at: now });
  },
};
