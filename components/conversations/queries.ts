import { infiniteQueryOptions } from '@tanstack/react-query';
import { cursorPages } from '@/components/patterns/cursor-pages';
import { keepWithin, queryKeyOf } from '@/components/patterns/query-key';
import { refetchEvery } from '@/components/patterns/refetch';
import { call } from '@/lib/api-client';
import { conversationContracts } from '@/lib/conversations/schema';

/** Names a conversation. */
export interface ConversationName {
  kind: string;
  id: string;
}

const REFETCH_MS = 10_000;

export const conversationQueries = {
  /** Latest first. A page of a search may be empty and still have a next one. */
  messages: (connection: string, { kind, id }: ConversationName, q: string) =>
    infiniteQueryOptions({
      queryKey: queryKeyOf(conversationContracts.messages, connection, { kind, id, q }),
      queryFn: async ({ pageParam, signal }) => {
        const input = { kind, id, ...(q && { q }), ...(pageParam && { cursor: pageParam }) };
        const page = await call(conversationContracts.messages, input, { connection, signal });
        return { ...page, keys: page.messages ?? 0 };
      },
      ...cursorPages,
      placeholderData: keepWithin(queryKeyOf(conversationContracts.messages, connection, { kind, id })),
      // Older pages were loaded on request and are not polled.
      refetchInterval: ({ state }) =>
        (state.data?.pages.length ?? 0) > 1 ? false : refetchEvery(REFETCH_MS)({ state }),
    }),
};
