import { infiniteQueryOptions, queryOptions, useMutation } from '@tanstack/react-query';
import { cursorPages, pageAfter } from '@/components/patterns/cursor-pages';
import { refetchPagesEvery } from '@/components/patterns/refetch';
import { useRefetch } from '@/components/patterns/use-refetch';
import { keepWithin, queryKeys } from '@/components/query-keys';
import { alertChannelContracts } from '@/lib/alerts/channels/schema';
import { alertContracts, MAX_RULES } from '@/lib/alerts/schema';
import { call } from '@/lib/api-client';
import type { WireInput } from '@/lib/contract';

/** Rules are evaluated every five seconds. */
const REFRESH_MS = 5000;

export const alertQueries = {
  /** All rules: there are at most 200. */
  rules: (connection: string) =>
    queryOptions({
      queryKey: queryKeys.alerts(connection),
      queryFn: ({ signal }) => call(alertContracts.list, { limit: MAX_RULES }, { connection, signal }),
      refetchInterval: REFRESH_MS,
    }),

  history: (connection: string, rule: string) =>
    infiniteQueryOptions({
      queryKey: queryKeys.alertHistory(connection, { rule }),
      queryFn: ({ pageParam, signal }) =>
        call(
          alertContracts.history,
          { ...pageAfter(pageParam), ...(rule && { rule }) },
          { connection, signal },
        ),
      ...cursorPages,
      placeholderData: keepWithin(queryKeys.alertHistory(connection)),
      refetchInterval: refetchPagesEvery(REFRESH_MS),
    }),

  channels: (connection: string) =>
    queryOptions({
      queryKey: queryKeys.alertChannels(connection),
      queryFn: ({ signal }) => call(alertChannelContracts.list, { limit: 100 }, { connection, signal }),
    }),
};

type Rules = typeof alertContracts;
type Channels = typeof alertChannelContracts;

/** A change of a rule or of its silences. */
export const useRuleChange = <Id extends 'create' | 'update' | 'delete' | 'silence' | 'unsilence'>(
  which: Id,
  connection: string,
) =>
  useMutation({
    mutationFn: (input: WireInput<Rules[Id]>) =>
      call<Rules[Id]>(alertContracts[which], input, { connection }),
    onSettled: useRefetch(
      queryKeys.alerts(connection),
      queryKeys.alertHistory(connection),
      queryKeys.alertChannels(connection),
      queryKeys.overview(connection),
    ),
  });

export const useChannelChange = <Id extends 'create' | 'update' | 'delete' | 'test'>(
  which: Id,
  connection: string,
) =>
  useMutation({
    mutationFn: (input: WireInput<Channels[Id]>) =>
      call<Channels[Id]>(alertChannelContracts[which], input, { connection }),
    onSettled: useRefetch(queryKeys.alertChannels(connection), queryKeys.alerts(connection)),
  });
