import { queryOptions } from '@tanstack/react-query';
import { readQuery } from '@/components/patterns/read-query';
import { alertChannelContracts } from '@/lib/alerts/channels/schema';
import { alertContracts, MAX_RULES } from '@/lib/alerts/schema';

/** Rules are evaluated every five seconds. */
export const REFRESH_MS = 5000;

export const alertQueries = {
  /** All rules: there are at most 200. */
  rules: (connection: string) =>
    queryOptions({
      ...readQuery(alertContracts.list, connection, { limit: MAX_RULES }),
      refetchInterval: REFRESH_MS,
    }),

  channels: (connection: string) => readQuery(alertChannelContracts.list, connection, { limit: 100 }),
};
