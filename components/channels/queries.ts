import { queryOptions } from '@tanstack/react-query';
import { listQuery } from '@/components/patterns/list-query';
import { readQuery } from '@/components/patterns/read-query';
import { channelContracts } from '@/lib/channels/schema';

const POLL_MS = 3000;
const AUDIENCE_MS = 5000;

/** The recipient of a message. */
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
      ...readQuery(channelContracts.audience, connection, { ...to }),
      refetchInterval: AUDIENCE_MS,
      enabled,
      retry: false,
    }),
};
