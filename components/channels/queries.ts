import { queryOptions } from '@tanstack/react-query';
import { listQuery } from '@/components/patterns/list-query';
import { queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { channelContracts } from '@/lib/channels/schema';

const POLL_MS = 3000;
const AUDIENCE_MS = 5000;

/** To whom a message goes. */
export interface Recipient {
  channel?: string;
  channelId?: string;
  sharded: boolean;
}

export const channelQueries = {
  list: (connection: string, q: string) =>
    listQuery(channelContracts.list, { connection, filter: q ? { q } : {}, everyMs: POLL_MS }),

  /** Who listens to a channel now. */
  audience: (connection: string, to: Recipient, enabled: boolean) =>
    queryOptions({
      queryKey: queryKeys.audience(connection, to),
      queryFn: ({ signal }) => call(channelContracts.audience, { ...to }, { connection, signal }),
      refetchInterval: AUDIENCE_MS,
      enabled,
      retry: false,
    }),
};
