import { queryOptions } from '@tanstack/react-query';
import { call } from '@/lib/api-client';
import { historyContracts } from '@/lib/history/schema';
import { hitRateContracts } from '@/lib/hit-rates/schema';
import { keepWithin, queryKeyOf } from './query-key';
import { type Period, refetchOf, stepFor, type TimeSpan, timeSpanOf } from './ranges';

/** A time span as an input of the history operations. */
export const wireOf = ({ from, to, stepSeconds }: TimeSpan) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  stepSeconds,
});

/** Windows are minutes apart, so finer steps would contain hardly any look-ups of a family. */
const MAX_WINDOW_STEPS = 200;

export const historyQueries = {
  /** History of the whole server; `from` and `to` of the answer are epoch ms. */
  series: (connection: string, period: Period, compare = false) =>
    queryOptions({
      queryKey: queryKeyOf(historyContracts.series, connection, { period, compare }),
      queryFn: async ({ signal }) => {
        const { from, to, stepSeconds } = timeSpanOf(period, Date.now());
        const input = { ...wireOf({ from, to, stepSeconds }), ...(compare && { compare }) };
        return { ...(await call(historyContracts.series, input, { connection, signal })), from, to };
      },
      refetchInterval: refetchOf(period),
      placeholderData: keepWithin(queryKeyOf(historyContracts.series, connection)),
    }),

  /** Hit rates per family; `from` and `to` of the answer are epoch ms. */
  hitRates: (connection: string, period: Period) =>
    queryOptions({
      queryKey: queryKeyOf(hitRateContracts.get, connection, { period }),
      queryFn: async ({ signal }) => {
        const { from, to } = timeSpanOf(period, Date.now());
        const stepSeconds = stepFor((to - from) / 1000, MAX_WINDOW_STEPS);
        const input = wireOf({ from, to, stepSeconds });
        return { ...(await call(hitRateContracts.get, input, { connection, signal })), from, to };
      },
      refetchInterval: refetchOf(period),
      placeholderData: keepWithin(queryKeyOf(hitRateContracts.get, connection)),
    }),
};
