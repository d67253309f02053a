import { queryOptions } from '@tanstack/react-query';
import { queryKeys } from '@/components/query-keys';
import { alertChannelContracts } from '@/lib/alerts/channels/schema';
import { alertContracts, MAX_RULES } from '@/lib/alerts/schema';
import { call } from '@/lib/api-client';

/** Rules are evaluated every five seconds. */
export const REFRESH_MS = 5000;

export const alertQueries = {
  /** All rules: there are at most 200. */
  rules: (connection: string) =>
    queryOptions({
      queryKey: queryKeys.alerts(connection),
      queryFn: ({ signal }) => call(alertContracts.list, { limit: MAX_RULES }, { connection, signal }),
      refetchInterval: REFRESH_MS,
    }),

  channels: (connection: string) =>
    queryOptions({
      queryKey: queryKeys.alertChannels(connection),
      queryFn: ({ signal }) => call(alertChannelContracts.list, { limit: 100 }, { connection, signal }),
    }),
};
