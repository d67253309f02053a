import { queryOptions } from '@tanstack/react-query';
import { readQuery } from '@/components/patterns/read-query';
import { alertChannelContracts } from '@/lib/alerts/channels/schema';
import { alertContracts, MAX_RULES } from '@/lib/alerts/schema';
import type { WireInput } from '@/lib/contract';

/** Rules are evaluated every five seconds. */
export const REFRESH_MS = 5000;

export const alertQueries = {
  /** All rules: there are at most 200. */
  rules: (connection: string) =>
    queryOptions({
      ...readQuery(alertContracts.list, connection, { limit: MAX_RULES }),
      refetchInterval: REFRESH_MS,
    }),

  /** When a rule would have fired: read once for the same terms. */
  preview: (connection: string, terms: WireInput<typeof alertContracts.preview>) =>
    queryOptions({
      ...readQuery(alertContracts.preview, connection, terms),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
      retry: false,
    }),

  channels: (connection: string) => readQuery(alertChannelContracts.list, connection, { limit: 100 }),
};
