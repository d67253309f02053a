import { infiniteQueryOptions } from '@tanstack/react-query';
import { refetchEvery } from '@/components/patterns/refetch';
import { keepWithin, queryKeys } from '@/components/query-keys';
import { call } from '@/lib/api-client';
import type { Result } from '@/lib/contract';
import { personContracts } from '@/lib/sessions/person/schema';
import type { SessionOrder } from '@/lib/sessions/schema';
import { inOrder } from './session-filter';

export type Person = Result<typeof personContracts.user>;

/** The pages read so far as one: further pages have sessions only, and may bring one a second time. */
const inOne = (pages: readonly Person[], order: SessionOrder): Person => {
  const [first, last] = [pages[0]!, pages.at(-1)!];
  const sessions = new Map(pages.flatMap((page) => page.sessions.map((one) => [one.fingerprint, one])));
  return {
    ...first,
    username: pages.find(({ username }) => username !== null)?.username ?? null,
    // Each page is in order by itself.
    sessions: inOrder([...sessions.values()], { by: order.sort, order: order.order }),
    staleIndex: pages.reduce((sum, page) => sum + page.staleIndex, 0),
    cut: last.cut,
    nextCursor: last.nextCursor,
    complete: last.complete,
  };
};

/** One person, page by page where there is much. The values of another person are never shown while these load. */
export const personQuery = (connection: string, userId: string, complete: boolean, order: SessionOrder) =>
  infiniteQueryOptions({
    queryKey: queryKeys.person(connection, userId, complete, order),
    queryFn: ({ signal, pageParam }) =>
      call(
        personContracts.user,
        { userId, complete, ...order, ...(pageParam === null ? {} : { cursor: pageParam }) },
        { connection, signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? null,
    select: ({ pages }) => inOne(pages, order),
    placeholderData: keepWithin(queryKeys.person(connection, userId)),
    refetchInterval: refetchEvery(false),
  });
