import { infiniteQueryOptions, queryOptions, useMutation } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { refetchPagesEvery } from '@/components/patterns/refetch';
import { useRefetch } from '@/components/patterns/use-refetch';
import { keepWithin, queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import { channelContracts } from '@/lib/channels/schema';
import type { WireInput } from '@/lib/contract';

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
    infiniteQueryOptions({
      queryKey: queryKeys.channels(connection, q),
      placeholderData: keepWithin(queryKeys.channels(connection)),
      queryFn: ({ pageParam, signal }) =>
        call(channelContracts.list, { ...(q && { q }), ...pageAfter(pageParam) }, { connection, signal }),
      ...cursorPages,
      refetchInterval: refetchPagesEvery(POLL_MS),
    }),

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

export const usePublish = (connection: string) =>
  useMutation({
    mutationFn: (input: WireInput<typeof channelContracts.publish>) =>
      call(channelContracts.publish, input, { connection }),
    onSettled: useRefetch(queryKeys.channels(connection)),
  });
