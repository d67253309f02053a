import { type InfiniteData, MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiProblem, basePath } from '@/lib/api-client';

const toSignIn = () => {
  const { pathname, search } = window.location;
  const path = pathname.slice(basePath().length);
  if (path === '/sign-in' || path === '/setup') return;
  window.location.assign(`${basePath()}/sign-in?callbackUrl=${encodeURIComponent(pathname + search)}`);
};

/** How often a query begins again before it has been read to its end: where cursors never last, the error is shown. */
const MAX_BEGINNINGS = 2;

/** Whether nothing more is to come of what a query gave. */
const isWhole = (data: unknown): boolean =>
  !(data as InfiniteData<{ nextCursor?: string | null }> | undefined)?.pages?.at(-1)?.nextCursor;

const onError = (error: Error) => {
  // A session that ended while the page was open: sign in and come back to this very page.
  if (error instanceof ApiProblem && error.status === 401) toSignIn();
};

/**
 * A refusal is not asked twice, and an unreachable Redis is tried again. What another query answered stands in only
 * where a query says so (`placeholderData`), and its rows are shown as such. A list or search whose place the server
 * forgot (410) is read again from the start, twice at most before it is whole, and `onListReloaded` says so.
 */
export const makeQueryClient = (onListReloaded: () => void): QueryClient => {
  const begun = new WeakMap<Query<unknown, unknown>, number>();
  const beginAgain = (error: Error, query: Query<unknown, unknown>): void => {
    const times = begun.get(query) ?? 0;
    if (!(error instanceof ApiProblem) || error.code !== 'cursor_expired' || times === MAX_BEGINNINGS) return;
    begun.set(query, times + 1);
    error.restartsList = true;
    onListReloaded();
    // The query is over by then: it can be asked again.
    queueMicrotask(() => void client.refetchQueries({ queryKey: query.queryKey, exact: true }));
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError,
      onSettled: (data, error, query) => {
        if (error) beginAgain(error, query);
        else if (isWhole(data)) begun.delete(query);
      },
    }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        refetchOnWindowFocus: true,
        retry: (failures, error) =>
          failures < 2 && !(error instanceof ApiProblem && error.status >= 400 && error.status < 500),
      },
      mutations: { retry: false },
    },
  });
  return client;
};
