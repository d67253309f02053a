import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  type QueryKey,
} from '@tanstack/react-query';
import { keepWithin, queryKeyOf } from '@/components/patterns/query-key';
import { refetchEvery } from '@/components/patterns/refetch';
import { call } from '@/lib/api-client';
import type { Result } from '@/lib/contract';
import type { SessionOrder } from '@/lib/sessions/schema';
import { sessionUserContracts } from '@/lib/sessions/user/schema';
import { inOrder } from './session-filter';

export type User = Result<typeof sessionUserContracts.user>;

/** Joins the pages loaded so far. Only the first has more than sessions, and a session may be in two pages. */
const inOne = (pages: readonly User[], order: SessionOrder): User => {
  const [first, last] = [pages[0]!, pages.at(-1)!];
  const sessions = new Map(pages.flatMap((page) => page.sessions.map((one) => [one.fingerprint, one])));
  return {
    ...first,
    username: pages.find(({ username }) => username !== null)?.username ?? null,
    // Only each page by itself is sorted.
    sessions: inOrder([...sessions.values()], { by: order.sort, order: order.order }),
    staleIndex: pages.reduce((sum, page) => sum + page.staleIndex, 0),
    cut: last.cut,
    nextCursor: last.nextCursor,
    complete: last.complete,
  };
};

/** The name is read from sessions: once they are revoked, the one that was known stays. */
const knownName = (client: QueryClient, key: QueryKey): string | null =>
  client
    .getQueriesData<InfiniteData<User>>({ queryKey: key })
    .flatMap(([, data]) => data?.pages ?? [])
    .find(({ username }) => username !== null)?.username ?? null;

/** One user, in pages. There is no placeholder, so data of another user is never shown while it loads. */
export const userQuery = (connection: string, userId: string, complete: boolean, order: SessionOrder) =>
  infiniteQueryOptions({
    queryKey: queryKeyOf(sessionUserContracts.user, connection, { userId, complete, ...order }),
    queryFn: async ({ client, signal, pageParam }) => {
      const input = { userId, complete, ...order, ...(pageParam === null ? {} : { cursor: pageParam }) };
      const user = await call(sessionUserContracts.user, input, { connection, signal });
      return {
        ...user,
        username:
          user.username ?? knownName(client, queryKeyOf(sessionUserContracts.user, connection, { userId })),
      };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? null,
    select: ({ pages }) => inOne(pages, order),
    placeholderData: keepWithin(queryKeyOf(sessionUserContracts.user, connection, { userId })),
    refetchInterval: refetchEvery(false),
  });
