import { queryOptions } from '@tanstack/react-query';
import { queryKeyOf } from '@/components/patterns/query-key';
import { readQuery } from '@/components/patterns/read-query';
import { refetchEvery } from '@/components/patterns/refetch';
import { type AnalysisReport, analysisContracts } from '@/lib/analysis/schema';
import { call } from '@/lib/api-client';
import { diagnosticContracts } from '@/lib/diagnostics/schema';

const REFETCH_MS = 15_000;

export const diagnosticsQuery = (connection: string) =>
  queryOptions({
    ...readQuery(diagnosticContracts.get, connection, {}),
    refetchInterval: refetchEvery(REFETCH_MS),
  });

/** The newest analysis that found big keys; null before the first. */
export const newestAnalysisQuery = (connection: string) =>
  queryOptions({
    queryKey: queryKeyOf(analysisContracts.list, connection, { newest: true }),
    queryFn: async ({ signal }): Promise<AnalysisReport | null> => {
      const { items } = await call(analysisContracts.list, { limit: 1 }, { connection, signal });
      return items[0] ? call(analysisContracts.get, { id: items[0].id }, { connection, signal }) : null;
    },
    refetchInterval: refetchEvery(false),
  });
